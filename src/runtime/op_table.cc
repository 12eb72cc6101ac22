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
}  // namespace

const OpTable kAllOps = kSorted.table();

}  // namespace wick
