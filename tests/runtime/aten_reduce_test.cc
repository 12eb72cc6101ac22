// Reductions and row operators against their definitions, over random shapes, dtypes and memory orders.
#include <doctest.h>

#include <algorithm>
#include <cmath>

#include "kernels/portable.h"
#include "support/one_op.h"

namespace wick {
namespace {

using test::Array;
using test::OneOp;
using test::Random;
using Index = std::vector<int32_t>;

constexpr double kNan = __builtin_nan("");

struct Draw {
  Random random;
  Array x;
  std::vector<int64_t> dims;  // to reduce
  bool keepdim;
  Index out_sizes;

  Draw(uint32_t seed, std::initializer_list<DType> dtypes) : random(seed) {
    const std::vector<DType> choices(dtypes);
    Index sizes(static_cast<size_t>(random.in(1, 4)));
    for (int32_t& s : sizes) s = random.in(1, 5);
    x = test::random_array(random, choices[random.next() % choices.size()], sizes, -4, 4);
    keepdim = random.one_in(2);
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (random.one_in(2)) dims.push_back(static_cast<int64_t>(i));
    }
    if (dims.empty()) dims.push_back(0);
    shape();
  }
  void one_dim() {
    dims.resize(1);
    shape();
  }
  bool reduces(size_t d) const { return std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) != dims.end(); }
  void shape() {
    out_sizes.clear();
    for (size_t i = 0; i < x.sizes.size(); ++i) {
      if (!reduces(i) || keepdim) out_sizes.push_back(reduces(i) ? 1 : x.sizes[i]);
    }
  }
  std::vector<uint8_t> order() { return test::random_order(random, out_sizes.size()); }
  // The elements behind an output index, in logical order.
  std::vector<double> elements(const Index& out) const {
    std::vector<double> found;
    test::for_each_index(x.sizes, [&](const Index& index) {
      Index own;
      for (size_t i = 0; i < index.size(); ++i) {
        if (!reduces(i) || keepdim) own.push_back(reduces(i) ? 0 : index[i]);
      }
      if (own == out) found.push_back(x(index));
    });
    return found;
  }
};

double sum_of(const std::vector<double>& v) {
  double sum = 0;
  for (double e : v) sum += e;
  return sum;
}

TEST_CASE("Sums, means and extremes gather the right elements") {
  for (uint32_t seed = 0; seed < 120; ++seed) {
    CAPTURE(seed);
    Draw d(seed, {DType::kFloat32, DType::kFloat64, DType::kFloat16});
    const struct {
      const char *name, *overload;
      bool with_dtype;
      double (*of)(const std::vector<double>&);
    } cases[] = {
        {"aten::sum", "IntList_out", true, sum_of},
        {"aten::mean", "out", true,
         [](const std::vector<double>& v) { return sum_of(v) / static_cast<double>(v.size()); }},
        {"aten::amax", "out", false,
         [](const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); }},
        {"aten::amin", "out", false,
         [](const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); }},
    };
    for (const auto& c : cases) {
      CAPTURE(c.name);
      OneOp op;
      Index args = {op.input(d.x), op.builder.int_list(d.dims), op.builder.boolean(d.keepdim)};
      if (c.with_dtype) args.push_back(op.builder.none());
      args.push_back(op.output(d.x.dtype, d.out_sizes, d.order()));
      const Status status = op.run(c.name, c.overload, args);
      CAPTURE(op.error);
      REQUIRE(status.ok());
      test::for_each_index(d.out_sizes, [&](const Index& out) {
        REQUIRE(op.outputs[0](out) == doctest::Approx(c.of(d.elements(out))).epsilon(1e-3));
      });
    }
  }
}

TEST_CASE("Integers sum to int64, any is a bool, prod multiplies") {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Draw d(seed, {DType::kInt8, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool});
    if (d.x.dtype == DType::kUInt8) {
      for (double& v : d.x.values) v = std::fabs(v);
    }
    if (d.x.dtype == DType::kBool) {
      for (double& v : d.x.values) v = v > 2 ? 1 : 0;
    }
    OneOp sum;
    {
      const int32_t x = sum.input(d.x), dims = sum.builder.int_list(d.dims), keep = sum.builder.boolean(d.keepdim);
      const int32_t none = sum.builder.none();
      REQUIRE(sum.run("aten::sum", "IntList_out", {x, dims, keep, none, sum.output(DType::kInt64, d.out_sizes)}).ok());
    }
    test::for_each_index(d.out_sizes,
                         [&](const Index& out) { REQUIRE(sum.outputs[0](out) == sum_of(d.elements(out))); });
    d.one_dim();
    OneOp any, prod;
    {
      const int32_t x = any.input(d.x), dim = any.builder.integer(d.dims[0]), keep = any.builder.boolean(d.keepdim);
      REQUIRE(any.run("aten::any", "out", {x, dim, keep, any.output(DType::kBool, d.out_sizes, d.order())}).ok());
    }
    {
      const int32_t x = prod.input(d.x), dim = prod.builder.integer(d.dims[0]), keep = prod.builder.boolean(d.keepdim);
      const int32_t none = prod.builder.none();
      REQUIRE(prod.run("aten::prod", "int_out", {x, dim, keep, none, prod.output(DType::kInt64, d.out_sizes)}).ok());
    }
    test::for_each_index(d.out_sizes, [&](const Index& out) {
      double product = 1;
      bool found = false;
      for (double v : d.elements(out)) {
        product *= v;
        found = found || v != 0;
      }
      REQUIRE(any.outputs[0](out) == (found ? 1 : 0));
      REQUIRE(prod.outputs[0](out) == product);
    });
  }
}

TEST_CASE("Extremes know where they are: the first one wins, NaN before all") {
  for (uint32_t seed = 0; seed < 80; ++seed) {
    CAPTURE(seed);
    Draw d(seed, {DType::kFloat32, DType::kInt32, DType::kFloat16});
    d.one_dim();
    if (d.x.dtype == DType::kFloat32 && seed % 2 == 0) {
      for (double& v : d.x.values) v = d.random.one_in(6) ? kNan : v;
    }
    const bool largest = d.random.one_in(2);
    OneOp op, position;
    {
      const int32_t x = op.input(d.x), dim = op.builder.integer(d.dims[0]), keep = op.builder.boolean(d.keepdim);
      const int32_t values = op.output(d.x.dtype, d.out_sizes, d.order());
      const int32_t indices = op.output(DType::kInt64, d.out_sizes, d.order());
      const int32_t list = op.builder.tensor_list({values, indices});
      op.builder.call(largest ? "aten::max" : "aten::min", largest ? "dim_max" : "dim_min",
                      {x, dim, keep, values, indices, list}, false);
      // The harness' own call: the position alone, of the same operand.
      const int32_t alone = op.output(DType::kInt64, d.out_sizes, d.order());
      REQUIRE(op.run(largest ? "aten::argmax" : "aten::argmin", "out", {x, dim, keep, alone}).ok());
    }
    test::for_each_index(d.out_sizes, [&](const Index& out) {
      const std::vector<double> v = d.elements(out);
      size_t best = 0;
      for (size_t i = 1; i < v.size(); ++i) {
        if (std::isnan(v[best])) break;
        if (std::isnan(v[i]) || (largest ? v[i] > v[best] : v[i] < v[best])) best = i;
      }
      const double found = op.outputs[0](out);
      REQUIRE((std::isnan(v[best]) ? std::isnan(found) : found == v[best]));
      REQUIRE(op.outputs[1](out) == static_cast<double>(best));
      REQUIRE(op.outputs[2](out) == static_cast<double>(best));
    });
  }
}

TEST_CASE("Argmax of all elements counts in logical order") {
  OneOp op;
  Array x{DType::kFloat32, {2, 3}, {1, 0}, {1, 2, 9, 3, 9, 4}};
  const int32_t in = op.input(x), none = op.builder.none(), keep = op.builder.boolean(false);
  REQUIRE(op.run("aten::argmax", "out", {in, none, keep, op.output(DType::kInt64, {})}).ok());
  CHECK(op.outputs[0].values[0] == 2);
}

TEST_CASE("Reductions of nothing give what they start from") {
  const auto of_nothing = [](const char* name, const char* overload) {
    OneOp op;
    const int32_t x = op.input({DType::kFloat32, {2, 0}, {}, {}}), dims = op.builder.int_list({1});
    const int32_t keep = op.builder.boolean(false), none = op.builder.none();
    REQUIRE(op.run(name, overload, {x, dims, keep, none, op.output(DType::kFloat32, {2})}).ok());
    return op.outputs[0].values;
  };
  CHECK(of_nothing("aten::sum", "IntList_out") == std::vector<double>{0, 0});
  CHECK(std::isnan(of_nothing("aten::mean", "out")[0]));
  OneOp op;
  const int32_t x = op.input({DType::kFloat32, {2, 0}, {}, {}}), dims = op.builder.int_list({1});
  const int32_t keep = op.builder.boolean(false);
  CHECK(op.run("aten::amax", "out", {x, dims, keep, op.output(DType::kFloat32, {2})}).code() == Code::kInvalidProgram);
  CHECK(op.error.find("no elements to find an extreme of") != std::string::npos);
}

TEST_CASE("Variance divides by what its correction leaves") {
  const auto variance = [](double correction) {
    OneOp op;
    const int32_t x = op.input({DType::kFloat32, {4}, {}, {1, 2, 3, 6}}), dims = op.builder.int_list({0});
    const int32_t by = op.builder.number(correction), keep = op.builder.boolean(false);
    REQUIRE(op.run("aten::var", "correction_out", {x, dims, by, keep, op.output(DType::kFloat32, {})}).ok());
    return op.outputs[0].values[0];
  };
  CHECK(variance(0) == 3.5);
  CHECK(variance(1) == doctest::Approx(14.0 / 3));
  CHECK(variance(2) == 7);
  CHECK(std::isinf(variance(4)));
}

TEST_CASE("Softmax and its logarithm work along any dimension and memory order") {
  for (uint32_t seed = 0; seed < 80; ++seed) {
    CAPTURE(seed);
    Draw d(seed, {DType::kFloat32, DType::kFloat64, DType::kFloat16});
    d.keepdim = true;
    d.one_dim();
    if (d.x.dtype == DType::kFloat64 && !kernels::kFloat64Math) continue;
    const bool log = d.random.one_in(2);
    OneOp op;
    const int32_t x = op.input(d.x), dim = op.builder.integer(d.dims[0]), half = op.builder.boolean(false);
    const int32_t out = op.output(d.x.dtype, d.x.sizes, test::random_order(d.random, d.x.sizes.size()));
    REQUIRE(op.run(log ? "aten::_log_softmax" : "aten::_softmax", "out", {x, dim, half, out}).ok());
    test::for_each_index(d.x.sizes, [&](Index index) {
      const double found = op.outputs[0](index), own = d.x(index);
      index[static_cast<size_t>(d.dims[0])] = 0;
      double sum = 0;
      for (double v : d.elements(index)) sum += std::exp(v - own);
      REQUIRE(found == doctest::Approx(log ? -std::log(sum) : 1 / sum).epsilon(2e-3));
    });
  }
}

TEST_CASE("Softmax of large numbers and of NaN is PyTorch's") {
  OneOp op;
  Array x{DType::kFloat32, {3, 2}, {}, {1000, 1000, kNan, 1, -__builtin_inf(), 0}};
  const int32_t in = op.input(x), dim = op.builder.integer(-1), half = op.builder.boolean(false);
  REQUIRE(op.run("aten::_softmax", "out", {in, dim, half, op.output(DType::kFloat32, {3, 2})}).ok());
  const std::vector<double>& y = op.outputs[0].values;
  CHECK(y[0] == 0.5);
  CHECK(std::isnan(y[2]));
  CHECK(std::isnan(y[3]));
  CHECK(y[4] == 0);
  CHECK(y[5] == 1);
}

TEST_CASE("Running sums add up along their dimension") {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Draw d(seed, {DType::kFloat32, DType::kInt32, DType::kInt8});
    d.one_dim();
    const size_t at = static_cast<size_t>(d.dims[0]);
    const DType to = kernels::is_floating(d.x.dtype) ? d.x.dtype : DType::kInt64;
    OneOp op;
    const int32_t x = op.input(d.x), dim = op.builder.integer(d.dims[0]), none = op.builder.none();
    const int32_t out = op.output(to, d.x.sizes, test::random_order(d.random, d.x.sizes.size()));
    REQUIRE(op.run("aten::cumsum", "out", {x, dim, none, out}).ok());
    test::for_each_index(d.x.sizes, [&](const Index& index) {
      double sum = 0;
      Index before = index;
      for (before[at] = 0; before[at] <= index[at]; ++before[at]) sum += d.x(before);
      REQUIRE(op.outputs[0](index) == sum);
    });
  }
}

TEST_CASE("Topk orders the chosen and says where they were") {
  for (uint32_t seed = 0; seed < 80; ++seed) {
    CAPTURE(seed);
    Draw d(seed, {DType::kFloat32, DType::kInt32, DType::kFloat64});
    d.keepdim = true;
    d.one_dim();
    const size_t at = static_cast<size_t>(d.dims[0]);
    const int32_t k = d.random.in(0, d.x.sizes[at]);
    const bool largest = d.random.one_in(2);
    Index sizes = d.x.sizes;
    sizes[at] = k;
    OneOp op;
    const int32_t x = op.input(d.x), count = op.builder.integer(k), dim = op.builder.integer(d.dims[0]);
    const int32_t large = op.builder.boolean(largest), sorted = op.builder.boolean(true);
    const int32_t values = op.output(d.x.dtype, sizes, test::random_order(d.random, sizes.size()));
    const int32_t indices = op.output(DType::kInt64, sizes, test::random_order(d.random, sizes.size()));
    const int32_t list = op.builder.tensor_list({values, indices});
    const Status status =
        op.run_repeating("aten::topk", "values", {x, count, dim, large, sorted, values, indices}, list);
    CAPTURE(op.error);
    REQUIRE(status.ok());
    test::for_each_index(sizes, [&](const Index& index) {
      Index first = index;
      first[at] = 0;
      std::vector<double> v = d.elements(first);
      const size_t chosen = static_cast<size_t>(op.outputs[1](index));
      REQUIRE(chosen < v.size());
      REQUIRE(op.outputs[0](index) == v[chosen]);
      std::sort(v.begin(), v.end());
      if (largest) std::reverse(v.begin(), v.end());
      REQUIRE(op.outputs[0](index) == v[static_cast<size_t>(index[at])]);
    });
  }
}

}  // namespace
}  // namespace wick
