// The prepare function of every operator, one line each: what an operator table may name.
#pragma once

#include "runtime/op.h"

namespace wick::ops {

#define WICK_OP(name, function) Status function(Prepare& p);
#include "runtime/ops/ops.inc"
#undef WICK_OP

}  // namespace wick::ops
