// Elementwise operators against their definitions, over random shapes, dtypes and memory orders. Values are small whole
// numbers, so that results are exact in every dtype; what PyTorch says of the corners is written out.
#include <doctest.h>

#include <cmath>
#include <functional>

#include "kernels/portable.h"
#include "support/one_op.h"

namespace wick {
namespace {

using test::Array;
using test::OneOp;
using test::Random;

constexpr DType kReal[] = {DType::kFloat32, DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16};
constexpr DType kAny[] = {DType::kFloat32, DType::kInt32, DType::kInt64,   DType::kInt8,
                          DType::kUInt8,   DType::kInt16, DType::kFloat16, DType::kFloat64};
constexpr double kNan = __builtin_nan("");
constexpr double kInf = __builtin_inf();

std::vector<int32_t> random_sizes(Random& random) {
  std::vector<int32_t> sizes(static_cast<size_t>(random.in(0, 4)));
  for (int32_t& s : sizes) s = random.in(1, 6);
  return sizes;
}

// Sizes that broadcast to `sizes`.
std::vector<int32_t> narrowed(Random& random, std::vector<int32_t> sizes) {
  for (int32_t& s : sizes) s = random.one_in(3) ? 1 : s;
  while (!sizes.empty() && random.one_in(4)) sizes.erase(sizes.begin());
  return sizes;
}

double picked(const Array& a, const std::vector<int32_t>& index) {
  std::vector<int32_t> own(index.end() - static_cast<ptrdiff_t>(a.sizes.size()), index.end());
  for (size_t i = 0; i < own.size(); ++i) own[i] = a.sizes[i] == 1 ? 0 : own[i];
  return a(own);
}

struct BinaryCase {
  const char* name;
  const char* overload;
  double (*of)(double, double);
  bool real_only = false;
};
const BinaryCase kBinaries[] = {
    {"aten::mul", "out", [](double a, double b) { return a * b; }},
    {"aten::maximum", "out", [](double a, double b) { return a > b ? a : b; }},
    {"aten::minimum", "out", [](double a, double b) { return a < b ? a : b; }},
    {"aten::div", "out", [](double a, double b) { return a / b; }, true},
    {"aten::floor_divide", "out", [](double a, double b) { return std::floor(a / b); }},
    {"aten::fmod", "Tensor_out", [](double a, double b) { return std::fmod(a, b); }},
    {"aten::remainder", "Tensor_out", [](double a, double b) { return a - std::floor(a / b) * b; }},
};
const BinaryCase kPredicates[] = {
    {"aten::eq", "Tensor_out", [](double a, double b) { return a == b ? 1.0 : 0.0; }},
    {"aten::ne", "Tensor_out", [](double a, double b) { return a != b ? 1.0 : 0.0; }},
    {"aten::lt", "Tensor_out", [](double a, double b) { return a < b ? 1.0 : 0.0; }},
    {"aten::le", "Tensor_out", [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
    {"aten::gt", "Tensor_out", [](double a, double b) { return a > b ? 1.0 : 0.0; }},
    {"aten::ge", "Tensor_out", [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
    {"aten::logical_and", "out", [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }},
    {"aten::logical_or", "out", [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }},
    {"aten::logical_xor", "out", [](double a, double b) { return (a != 0) != (b != 0) ? 1.0 : 0.0; }},
};

void check_binary(uint32_t seed, const BinaryCase& c, bool predicate) {
  CAPTURE(seed);
  CAPTURE(c.name);
  Random random(seed);
  const std::vector<int32_t> sizes = random_sizes(random);
  DType dtype = c.real_only ? random.of(kReal) : random.of(kAny);
  if (dtype == DType::kFloat64 && !kernels::kFloat64Math) dtype = DType::kFloat32;
  const bool is_unsigned = dtype == DType::kUInt8;
  Array a = test::random_array(random, dtype, narrowed(random, sizes), is_unsigned ? 0 : -8, 8);
  Array b = test::random_array(random, dtype, sizes, 1, 8);
  for (double& v : b.values) v = !is_unsigned && random.one_in(2) ? -v : v;
  if (c.real_only) {
    for (double& v : b.values) v = v < 0 ? -2 : 4;
  }
  OneOp op;
  const int32_t x = op.input(a), y = op.input(b);
  const int32_t out = op.output(predicate ? DType::kBool : dtype, sizes, test::random_order(random, sizes.size()));
  REQUIRE(op.run(c.name, c.overload, {x, y, out}).ok());
  test::for_each_index(sizes, [&](const std::vector<int32_t>& index) {
    CHECK(op.outputs[0](index) == c.of(picked(a, index), picked(b, index)));
  });
}

TEST_CASE("Binary operators keep to logical indices in every dtype and memory order") {
  for (uint32_t seed = 0; seed < 300; ++seed) check_binary(seed, kBinaries[seed % std::size(kBinaries)], false);
}
TEST_CASE("Comparisons keep to logical indices in every dtype and memory order") {
  for (uint32_t seed = 0; seed < 200; ++seed) check_binary(seed, kPredicates[seed % std::size(kPredicates)], true);
}

// Values of a one-operator program on one array.
std::vector<double> applied(const char* name, const char* overload, DType dtype, const std::vector<double>& x,
                            DType out_dtype, const std::function<std::vector<int32_t>(OneOp&)>& more = {}) {
  OneOp op;
  const std::vector<int32_t> sizes = {static_cast<int32_t>(x.size())};
  std::vector<int32_t> args = {op.input({dtype, sizes, {}, x})};
  if (more) {
    for (int32_t arg : more(op)) args.push_back(arg);
  }
  args.push_back(op.output(out_dtype, sizes));
  CAPTURE(name);
  const Status status = op.run(name, overload, args);
  CAPTURE(op.error);
  REQUIRE(status.ok());
  return op.outputs[0].values;
}

bool alike(const std::vector<double>& a, const std::vector<double>& b, double tolerance = 0) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) != std::isnan(b[i])) return false;
    if (!std::isnan(a[i]) && a[i] != b[i] && !(std::fabs(a[i] - b[i]) <= tolerance)) return false;
  }
  return true;
}

TEST_CASE("Activations treat NaN, infinities and signed zero as PyTorch does") {
  const std::vector<double> x = {-kInf, -1.5, -0.0, 0, 2.5, kInf, kNan, -kNan};
  const DType f32 = DType::kFloat32;
  CHECK(alike(applied("aten::relu", "out", f32, x, f32), {0, 0, 0, 0, 2.5, kInf, kNan, kNan}));
  CHECK(alike(applied("aten::sign", "out", f32, x, f32), {-1, -1, 0, 0, 1, 1, 0, 0}));
  CHECK(alike(applied("aten::isnan", "out", f32, x, DType::kBool), {0, 0, 0, 0, 0, 0, 1, 1}));
  CHECK(alike(applied("aten::isinf", "out", f32, x, DType::kBool), {1, 0, 0, 0, 0, 1, 0, 0}));
  CHECK(alike(applied("aten::hardtanh", "out", f32, x, f32,
                      [](OneOp& op) {
                        return std::vector<int32_t>{op.builder.number(-1), op.builder.integer(2)};
                      }),
              {-1, -1, 0, 0, 2, 2, kNan, kNan}));
  CHECK(alike(applied("aten::sigmoid", "out", f32, {-kInf, 0, kInf, kNan}, f32), {0, 0.5, 1, kNan}));
}

TEST_CASE("Rounding goes half to even, in integers it is the identity") {
  const DType f32 = DType::kFloat32;
  CHECK(alike(applied("aten::round", "out", f32, {-2.5, -1.5, -0.5, 0.5, 1.5, 2.4}, f32), {-2, -2, 0, 0, 2, 2}));
  CHECK(alike(applied("aten::trunc", "out", f32, {-2.5, 2.5}, f32), {-2, 2}));
  CHECK(alike(applied("aten::floor", "out", DType::kInt32, {-7, 9}, DType::kInt32), {-7, 9}));
}

TEST_CASE("Functions of real numbers take integers and half floats") {
  CHECK(alike(applied("aten::sqrt", "out", DType::kInt32, {0, 4, 9}, DType::kFloat32), {0, 2, 3}));
  CHECK(alike(applied("aten::exp", "out", DType::kFloat16, {0, 1, -kInf}, DType::kFloat16), {1, 2.71875, 0}));
  CHECK(alike(applied("aten::reciprocal", "out", DType::kBool, {1, 0}, DType::kFloat32), {1, kInf}));
  if (kernels::kFloat64Math)
    CHECK(alike(applied("aten::log", "out", DType::kFloat64, {1, 0, -1}, DType::kFloat64), {0, -kInf, kNan}));
}

TEST_CASE("A build without float64 functions refuses them by name") {
  if (kernels::kFloat64Math) return;
  OneOp op;
  const int32_t x = op.input({DType::kFloat64, {1}, {}, {1}});
  CHECK(op.run("aten::exp", "out", {x, op.output(DType::kFloat64, {1})}).code() == Code::kUnsupported);
  CHECK(op.error.find("float64 in this build") != std::string::npos);
}

TEST_CASE("Clamp lets the upper bound win and promotes with its bounds") {
  const auto bounds = [](double low, double high) {
    return [=](OneOp& op) { return std::vector<int32_t>{op.builder.number(low), op.builder.number(high)}; };
  };
  CHECK(alike(applied("aten::clamp", "out", DType::kFloat32, {-5, 0, 5, kNan}, DType::kFloat32, bounds(2, 1)),
              {1, 1, 1, kNan}));
  CHECK(alike(applied("aten::clamp", "out", DType::kInt64, {-5, 0, 5}, DType::kFloat32, bounds(-1.5, 1.5)),
              {-1.5, 0, 1.5}));
  CHECK(alike(applied("aten::clamp", "out", DType::kInt32, {-5, 0, 5}, DType::kInt32,
                      [](OneOp& op) {
                        return std::vector<int32_t>{op.builder.none(), op.builder.integer(3)};
                      }),
              {-5, 0, 3}));
}

TEST_CASE("Scalars scale, promote and come first in rsub and pow") {
  const auto two = [](double other, double alpha) {
    return [=](OneOp& op) { return std::vector<int32_t>{op.builder.number(other), op.builder.number(alpha)}; };
  };
  const DType f32 = DType::kFloat32;
  CHECK(alike(applied("aten::add", "Scalar_out", f32, {1, 2, 3, 4, 5}, f32, two(2, 3)), {7, 8, 9, 10, 11}));
  CHECK(alike(applied("aten::rsub", "Scalar_out", f32, {1, 2}, f32, two(10, 2)), {8, 6}));
  CHECK(alike(applied("aten::sub", "Scalar_out", DType::kInt32, {1, 2}, f32, two(0.5, 1)), {0.5, 1.5}));
  const auto one = [](double other) {
    return [=](OneOp& op) { return std::vector<int32_t>{op.builder.number(other)}; };
  };
  CHECK(alike(applied("aten::pow", "Tensor_Scalar_out", f32, {-3, 2}, f32, one(2)), {9, 4}));
  CHECK(alike(applied("aten::pow", "Tensor_Scalar_out", f32, {4, 9}, f32, one(0.5)), {2, 3}, 1e-6));
  CHECK(
      alike(applied("aten::mul", "Scalar_out", DType::kFloat16, {1, -2, 0.5}, DType::kFloat16, one(3)), {3, -6, 1.5}));
  CHECK(alike(applied("aten::gt", "Scalar_out", DType::kInt32, {1, 2, 3}, DType::kBool, one(1.5)), {0, 1, 1}));

  OneOp op;
  const int32_t base = op.builder.integer(2), x = op.input({DType::kInt64, {4}, {}, {0, 1, 10, -1}});
  const int32_t out = op.output(DType::kInt64, {4});
  REQUIRE(op.run("aten::pow", "Scalar_out", {base, x, out}).ok());
  CHECK(alike(op.outputs[0].values, {1, 2, 1024, 0}));
}

TEST_CASE("Division rounds by its mode and refuses an integer zero") {
  const auto run = [](DType dtype, const char* mode, const std::vector<double>& a, const std::vector<double>& b,
                      OneOp& op) {
    const std::vector<int32_t> sizes = {static_cast<int32_t>(a.size())};
    const int32_t x = op.input({dtype, sizes, {}, a}), y = op.input({dtype, sizes, {}, b});
    const int32_t rounding = op.builder.string(mode);
    const int32_t out = op.output(dtype, sizes);
    return op.run("aten::div", "out_mode", {x, y, rounding, out});
  };
  for (DType dtype : {DType::kInt32, DType::kFloat32, DType::kFloat64}) {
    if (dtype == DType::kFloat64 && !kernels::kFloat64Math) continue;
    OneOp floor, trunc;
    REQUIRE(run(dtype, "floor", {7, -7, 7, -7}, {2, 2, -2, -2}, floor).ok());
    CHECK(alike(floor.outputs[0].values, {3, -4, -4, 3}));
    REQUIRE(run(dtype, "trunc", {7, -7, 7, -7}, {2, 2, -2, -2}, trunc).ok());
    CHECK(alike(trunc.outputs[0].values, {3, -3, -3, 3}));
  }
  OneOp zero;
  CHECK(run(DType::kInt32, "floor", {7, 1}, {2, 0}, zero).code() == Code::kInvalidArgument);
  CAPTURE(zero.error);
  CHECK(zero.error.find("division of integers by zero") != std::string::npos);
  OneOp real_zero;
  REQUIRE(run(DType::kFloat32, "floor", {7, -1, 0}, {0, 0, 0}, real_zero).ok());
  CHECK(alike(real_zero.outputs[0].values, {kInf, -kInf, kNan}));
}

TEST_CASE("Integers wrap in add, mul and neg and shift by any distance") {
  const auto run = [](const char* name, const char* overload, DType dtype, const std::vector<double>& a,
                      const std::vector<double>& b) {
    OneOp op;
    const std::vector<int32_t> sizes = {static_cast<int32_t>(a.size())};
    const int32_t x = op.input({dtype, sizes, {}, a}), y = op.input({dtype, sizes, {}, b});
    const int32_t out = op.output(dtype, sizes);
    REQUIRE(op.run(name, overload, {x, y, out}).ok());
    return op.outputs[0].values;
  };
  CHECK(alike(run("aten::mul", "out", DType::kInt8, {100, -128}, {2, -1}), {-56, -128}));
  CHECK(alike(run("aten::bitwise_left_shift", "Tensor_out", DType::kInt32, {1, 1, 3, 1}, {4, 31, 40, -1}),
              {16, -2147483648.0, 0, 0}));
  CHECK(alike(run("aten::bitwise_right_shift", "Tensor_out", DType::kInt32, {-16, 16, -1}, {2, 70, -3}), {-4, 0, -1}));
  CHECK(alike(run("aten::bitwise_xor", "Tensor_out", DType::kBool, {1, 1, 0}, {1, 0, 0}), {0, 1, 0}));
  CHECK(alike(applied("aten::bitwise_not", "out", DType::kBool, {1, 0}, DType::kBool), {0, 1}));
  CHECK(alike(applied("aten::bitwise_not", "out", DType::kUInt8, {1, 0}, DType::kUInt8), {254, 255}));
  CHECK(alike(applied("aten::neg", "out", DType::kInt8, {-128, 5}, DType::kInt8), {-128, -5}));
}

TEST_CASE("Choosing operators broadcast all three operands") {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const std::vector<int32_t> sizes = random_sizes(random);
    const DType dtype = random.of(kAny);
    const Array c = test::random_array(random, DType::kBool, narrowed(random, sizes), 0, 1);
    const Array a = test::random_array(random, dtype, sizes, 0, 50);
    const Array b = test::random_array(random, dtype, narrowed(random, sizes), 51, 100);
    OneOp where, fill;
    {
      const int32_t p = where.input(c), q = where.input(a), r = where.input(b);
      const int32_t out = where.output(dtype, sizes, test::random_order(random, sizes.size()));
      REQUIRE(where.run("aten::where", "self_out", {p, q, r, out}).ok());
    }
    {
      const int32_t q = fill.input(a), p = fill.input(c), value = fill.builder.integer(77);
      const int32_t out = fill.output(dtype, sizes, test::random_order(random, sizes.size()));
      REQUIRE(fill.run("aten::masked_fill", "Scalar_out", {q, p, value, out}).ok());
    }
    test::for_each_index(sizes, [&](const std::vector<int32_t>& index) {
      const bool chosen = picked(c, index) != 0;
      CHECK(where.outputs[0](index) == (chosen ? a(index) : picked(b, index)));
      CHECK(fill.outputs[0](index) == (chosen ? 77 : a(index)));
    });
  }
}

TEST_CASE("Illegal elementwise calls are refused with their place") {
  const auto refused = [](const char* name, DType a, DType b, DType out, const std::vector<int32_t>& sizes,
                          const char* part) {
    OneOp op;
    const int32_t x = op.input({a, {2, 3}, {}, std::vector<double>(6, 1)});
    const int32_t y = op.input({b, sizes, {}, std::vector<double>(static_cast<size_t>(sizes[0] * sizes[1]), 1)});
    const int32_t o = op.output(out, {2, 3});
    const Status status = op.run(name, "out", {x, y, o});
    CAPTURE(op.error);
    CHECK(status.code() != Code::kOk);
    CHECK(op.error.find(name) != std::string::npos);
    CHECK(op.error.find(part) != std::string::npos);
  };
  const DType f32 = DType::kFloat32;
  refused("aten::mul", f32, f32, f32, {2, 2}, "do not broadcast");
  refused("aten::mul", f32, f32, DType::kInt32, {2, 3}, "is int32, but the result is float32");
  refused("aten::mul", DType::kUInt32, f32, f32, {2, 3}, "no arithmetic on uint32");
  refused("aten::atan2", DType::kInt32, DType::kInt32, DType::kInt32, {2, 3}, "is int32, but the result is float32");
}

}  // namespace
}  // namespace wick
