// The table of all operators.
#include "runtime/ops/ops.h"

namespace wick {

namespace {
constexpr Op kOps[] = {
#define WICK_OP(name, function) {name, op_hash(name), ops::function},
#include "runtime/ops/ops.inc"
#undef WICK_OP
};
constexpr auto kSorted = sort_ops(kOps);

// A row that stands twice, or two names with one hash.
constexpr bool has_twins() {
  for (uint32_t i = 1; i < kSorted.table().count; ++i) {
    if (kSorted.ops[i].hash == kSorted.ops[i - 1].hash) return true;
  }
  return false;
}
static_assert(!has_twins());
}  // namespace

const OpTable kAllOps = kSorted.table();

}  // namespace wick
