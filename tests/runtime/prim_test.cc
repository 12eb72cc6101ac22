// Scalars, sizes and views that a program computes at run time, as programs with dynamic shapes and loops do.
#include <doctest.h>

#include <string>
#include <vector>

#include "runtime/method.h"
#include "runtime/ops/ops.h"
#include "support/program_builder.h"
#include "support/test_ops.h"

namespace wick {
namespace {

using test::AlignedBytes;
using test::ProgramBuilder;

constexpr Op kPrimOps[] = {
#define WICK_OP(name, function) {name, op_hash(name), ops::function},
#include "runtime/ops/ops.inc"
#undef WICK_OP
    {"test::twice.out", op_hash("test::twice.out"), test::prepare_twice},
};
constexpr auto kSorted = sort_ops(kPrimOps);
constexpr OpTable kTable = kSorted.table();

struct Loaded {
  AlignedBytes file;
  char buffer[256] = {};
  ErrorText error{buffer, sizeof(buffer)};
  Program program;
  std::vector<AlignedBytes> memory;
  Method method;
  explicit Loaded(const AlignedBytes& bytes) : file(bytes) {
    MethodMemory needed;
    Status status = program.load(file.data(), file.size(), error);
    if (status.ok()) status = Method::measure(program, "forward", kTable, &needed, error);
    CAPTURE(buffer);
    REQUIRE(status.ok());
    memory.emplace_back(needed.arena_bytes());
    Arena arena(memory[0].data(), memory[0].size());
    status = method.prepare(program, "forward", kTable, arena, error);
    CAPTURE(buffer);
    REQUIRE(status.ok());
  }
};

// The result of one binary prim operator on two values.
Value binary(const char* name, const char* overload, bool floats, double a, double b, std::string* error = nullptr) {
  ProgramBuilder builder;
  const int32_t x = floats ? builder.number(a) : builder.integer(static_cast<int64_t>(a));
  const int32_t y = floats ? builder.number(b) : builder.integer(static_cast<int64_t>(b));
  const int32_t out = builder.integer(0);
  builder.outputs({out});
  builder.call(name, overload, {x, y, out}, false);
  Loaded loaded(builder.finish());
  const Status status = loaded.method.execute(loaded.error);
  if (error != nullptr) {
    *error = loaded.buffer;
  } else {
    CHECK(status.ok());
  }
  return loaded.method.output(0);
}

TEST_CASE("Prim operators compute as Python does") {
  CHECK(binary("executorch_prim::add", "Scalar", false, 2, 3).integer == 5);
  CHECK(binary("executorch_prim::mul", "Scalar", true, 2.5, 4).number == 10.0);
  CHECK(binary("executorch_prim::floordiv", "Scalar", false, -7, 2).integer == -4);
  CHECK(binary("executorch_prim::mod", "int", false, -7, 2).integer == 1);
  CHECK(binary("executorch_prim::mod", "Scalar", false, 7, -2).integer == -1);
  CHECK(binary("executorch_prim::truediv", "Scalar", false, 7, 2).number == 3.5);
  CHECK(binary("executorch_prim::ge", "Scalar", false, 3, 3).integer == 1);
  CHECK(binary("executorch_prim::lt", "Scalar", true, 3, 3).integer == 0);
  CHECK(binary("executorch_prim::sym_max", "Scalar", false, -3, 2).integer == 2);
  CHECK(binary("executorch_prim::eq", "Scalar", false, 4, 4).kind == Value::Kind::kBool);
}

TEST_CASE("Division by zero at run time is an error") {
  for (const char* name : {"executorch_prim::floordiv", "executorch_prim::mod", "executorch_prim::truediv"}) {
    std::string error;
    (void)binary(name, "Scalar", false, 1, 0, &error);
    CHECK(error.find("division by zero (operator executorch_prim::") == 0);
  }
}

TEST_CASE("A view computed from a size follows the input") {
  ProgramBuilder b;
  b.plan_memory({128});
  const int32_t x = b.tensor({.sizes = {4, 2}, .planned_at = 0, .dynamism = 1});
  const int32_t view = b.tensor({.sizes = {8}, .dynamism = 1});
  const int32_t y = b.tensor({.sizes = {8}, .planned_at = 64, .dynamism = 1});
  const int32_t zero = b.integer(0), rows = b.integer(0), two = b.integer(2), total = b.integer(0);
  const int32_t sizes = b.int_list_of({total});
  b.inputs({x});
  b.outputs({y, total});
  b.call("aten::sym_size", "int", {x, zero, rows}, false);
  b.call("executorch_prim::mul", "Scalar", {rows, two, total}, false);
  b.call("executorch_prim::et_view", "default", {x, sizes, view}, false);
  b.call("test::twice", "out", {view, y});
  Loaded loaded(b.finish());
  const float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int32_t n : {3, 4, 1}) {
    const int32_t shape[2] = {n, 2};
    REQUIRE(loaded.method.set_input(0, values, static_cast<size_t>(n) * 8, shape, 2, loaded.error).ok());
    const Status status = loaded.method.execute(loaded.error);
    CAPTURE(loaded.buffer);
    REQUIRE(status.ok());
    const Tensor out = loaded.method.output(0).tensor;
    CHECK(loaded.method.output(1).integer == 2 * n);
    REQUIRE(out.rank == 1);
    CHECK(out.size(0) == 2 * n);
    CHECK(out.as<float>()[2 * n - 1] == 2 * values[2 * n - 1]);
  }
}

TEST_CASE("A loop collects its rows") {
  ProgramBuilder b;
  b.plan_memory({128});
  const int32_t x = b.tensor({.sizes = {2}, .planned_at = 0});
  const int32_t rows = b.tensor({.sizes = {3, 2}, .planned_at = 64, .dynamism = 1});
  const int32_t i = b.integer(0), one = b.integer(1), three = b.integer(3), done = b.boolean(false);
  b.inputs({x});
  b.outputs({rows});
  b.call("executorch_prim::et_copy_index", "tensor", {rows, x, i}, false);
  b.call("test::twice", "out", {x, x});
  b.call("executorch_prim::add", "Scalar", {i, one, i}, false);
  b.call("executorch_prim::eq", "Scalar", {i, three, done}, false);
  b.jump_if_false(done, 0);
  Loaded loaded(b.finish());
  const float values[2] = {1, 3};
  REQUIRE(loaded.method.set_input(0, values, sizeof(values), loaded.error).ok());
  const Status status = loaded.method.execute(loaded.error);
  CAPTURE(loaded.buffer);
  REQUIRE(status.ok());
  const Tensor out = loaded.method.output(0).tensor;
  CHECK(out.size(0) == 3);
  const float expected[6] = {1, 3, 2, 6, 4, 12};
  for (int k = 0; k < 6; ++k) CHECK(out.as<float>()[k] == expected[k]);
}

}  // namespace
}  // namespace wick
