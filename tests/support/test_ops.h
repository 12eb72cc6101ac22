// A few operators for tests of the runtime: small enough to be obviously right, each with one thing to test.
#pragma once

#include "runtime/method.h"
#include "runtime/op.h"

namespace wick::test {

struct Unary {
  const float* x;
  float* y;
  uint32_t count;
};

// y = x + 1, with 100 bytes of scratch that it dirties and 12 bytes of prepared memory.
inline Status prepare_add_one(Prepare& p) {
  const Tensor x = p.tensor(0);
  Tensor y = p.output(1);
  p.require_arg_count(2);
  if (p.failed()) return p.status();
  p.require_dtype(0, x, DType::kFloat32);
  p.require_dtype(1, y, DType::kFloat32);
  p.resize(1, &y, x.sizes, x.rank);
  p.scratch(100);
  (void)p.persistent(12);
  return p.finish(
      [](const void* params, RunContext& context) -> Status {
        const Unary& u = *static_cast<const Unary*>(params);
        for (int i = 0; i < 100; ++i) static_cast<uint8_t*>(context.scratch)[i] = 0xA5;
        for (uint32_t i = 0; i < u.count; ++i) u.y[i] = u.x[i] + 1.0f;
        return {};
      },
      Unary{x.as<float>(), y.as<float>(), x.numel()});
}

// y = x * 2
inline Status prepare_twice(Prepare& p) {
  const Tensor x = p.tensor(0);
  Tensor y = p.output(1);
  if (p.failed()) return p.status();
  p.resize(1, &y, x.sizes, x.rank);
  return p.finish(
      [](const void* params, RunContext&) -> Status {
        const Unary& u = *static_cast<const Unary*>(params);
        for (uint32_t i = 0; i < u.count; ++i) u.y[i] = 2.0f * u.x[i];
        return {};
      },
      Unary{x.as<float>(), y.as<float>(), x.numel()});
}

// Fails when run, as an index out of range does.
inline Status prepare_refuse(Prepare& p) {
  return p.finish(
      [](const void*, RunContext& context) -> Status {
        context.error->add("index 7 is out of range");
        return Code::kInvalidArgument;
      },
      int32_t{0});
}

// out = a + 1 for an int value (a prim operator: no repeated return).
inline Status prepare_count(Prepare& p) {
  p.no_return_value();
  struct Params {
    int64_t a;
    Value* out;
  };
  const int64_t a = p.integer(0);
  Value* out = p.value_slot(1);
  if (p.failed()) return p.status();
  return p.finish(
      [](const void* params, RunContext&) -> Status {
        const Params& c = *static_cast<const Params*>(params);
        c.out->kind = Value::Kind::kInt;
        c.out->integer = c.a + 1;
        return {};
      },
      Params{a, out});
}

// flag = (a >= b), ints
inline Status prepare_reached(Prepare& p) {
  p.no_return_value();
  struct Params {
    bool reached;
    Value* out;
  };
  const bool reached = p.integer(0) >= p.integer(1);
  Value* out = p.value_slot(2);
  if (p.failed()) return p.status();
  return p.finish(
      [](const void* params, RunContext&) -> Status {
        const Params& c = *static_cast<const Params*>(params);
        c.out->kind = Value::Kind::kBool;
        c.out->integer = c.reached;
        return {};
      },
      Params{reached, out});
}

// Transposes a [r, c] float matrix; and a matrix product that can read a transposed constant.
struct Matrix {
  const float* x;
  const float* w;
  float* y;
  int32_t rows, depth, columns, w_row_stride, w_column_stride;
};
inline Status prepare_permute(Prepare& p) {
  const Tensor x = p.tensor(0);
  const Tensor y = p.output(2);
  const IntList dims = p.int_list(1);
  if (p.failed()) return p.status();
  if (!p.require(x.rank == 2 && dims.count == 2 && dims.items[0] == 1, Code::kUnsupported, 1, "only [1, 0]")) {
    return p.status();
  }
  return p.finish(
      [](const void* params, RunContext&) -> Status {
        const Matrix& m = *static_cast<const Matrix*>(params);
        for (int32_t i = 0; i < m.rows; ++i) {
          for (int32_t j = 0; j < m.columns; ++j) m.y[j * m.rows + i] = m.x[i * m.columns + j];
        }
        return {};
      },
      Matrix{x.as<float>(), nullptr, y.as<float>(), x.size(0), 0, x.size(1), 0, 0});
}
inline Status prepare_mm(Prepare& p) {
  const Tensor x = p.tensor(0), w = p.tensor(1);
  const Tensor y = p.output(2);
  if (p.failed()) return p.status();
  int32_t strides[kMaxRank];
  strides_of(w, strides);
  return p.finish(
      [](const void* params, RunContext&) -> Status {
        const Matrix& m = *static_cast<const Matrix*>(params);
        for (int32_t i = 0; i < m.rows; ++i) {
          for (int32_t j = 0; j < m.columns; ++j) {
            float sum = 0;
            for (int32_t k = 0; k < m.depth; ++k) {
              sum += m.x[i * m.depth + k] * m.w[k * m.w_row_stride + j * m.w_column_stride];
            }
            m.y[i * m.columns + j] = sum;
          }
        }
        return {};
      },
      Matrix{x.as<float>(), w.as<float>(), y.as<float>(), x.size(0), x.size(1), w.size(1), strides[0], strides[1]});
}

inline constexpr Op kTestOps[] = {
    {"test::add_one.out", op_hash("test::add_one.out"), prepare_add_one},
    {"test::twice.out", op_hash("test::twice.out"), prepare_twice},
    {"test::refuse.out", op_hash("test::refuse.out"), prepare_refuse},
    {"test::count", op_hash("test::count"), prepare_count},
    {"test::reached", op_hash("test::reached"), prepare_reached},
    {"aten::permute_copy.out", op_hash("aten::permute_copy.out"), prepare_permute},
    {"aten::mm.out", op_hash("aten::mm.out"), prepare_mm},
};
inline constexpr auto kSortedTestOps = sort_ops(kTestOps);
inline constexpr OpTable kTestTable = kSortedTestOps.table();

}  // namespace wick::test
