// The table of all operators.
#include "runtime/ops/ops.h"

namespace wick {

namespace {
constexpr Op kOps[] = {
#define WICK_OP(name, function) {name, op_hash(name), ops::function},
#include "runtime/ops/ops.inc"
#undef WICK_OP
};
}  // namespace

const OpTable kAllOps = {kOps, sizeof(kOps) / sizeof(kOps[0])};

}  // namespace wick
