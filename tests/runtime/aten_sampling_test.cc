// grid_sampler_2d against PyTorch's own results, and repeat_interleave against what it is.
#include <doctest.h>

#include "support/one_op.h"

namespace wick {
namespace {

using test::Array;

// torch.ops.aten.grid_sampler_2d on x[i] = 5 i mod 11 as [1, 1, 3, 4] and the grid below; torch 2.13.
struct Sampled {
  int64_t mode, padding, align_corners;
  double values[4];
};
constexpr Sampled kSampled[] = {
    {0, 0, 0, {0.0, 4.320001602172852, 0.0, 6.75}},
    {0, 0, 1, {0.4499998390674591, 6.149999618530273, 1.119999647140503, 6.4375}},
    {0, 1, 0, {2.25, 5.40000057220459, 4.0, 6.75}},
    {0, 1, 1, {4.5, 6.149999618530273, 4.0, 6.4375}},
    {0, 2, 0, {3.825000286102295, 5.40000057220459, 5.80000114440918, 6.75}},
    {0, 2, 1, {4.049999713897705, 6.149999618530273, 7.000000476837158, 6.4375}},
    {1, 0, 0, {0.0, 6.0, 0.0, 8.0}},
    {1, 0, 1, {0.0, 6.0, 0.0, 8.0}},
    {1, 1, 0, {0.0, 6.0, 4.0, 8.0}},
    {1, 1, 1, {0.0, 6.0, 4.0, 8.0}},
    {1, 2, 0, {5.0, 6.0, 4.0, 8.0}},
    {1, 2, 1, {5.0, 6.0, 10.0, 8.0}},
    {2, 0, 0, {-0.09966804087162018, 4.595587253570557, -0.017729470506310463, 7.2890625}},
    {2, 0, 1, {0.38458508253097534, 6.874939918518066, 0.8930768966674805, 6.9007568359375}},
    {2, 1, 0, {2.109375476837158, 5.619750499725342, 4.0035624504089355, 7.2890625}},
    {2, 1, 1, {4.690875053405762, 6.299342632293701, 3.7885043621063232, 6.9007568359375}},
    {2, 2, 0, {3.366260290145874, 5.571750640869141, 5.981500148773193, 7.2890625}},
    {2, 2, 1, {4.024103164672852, 6.107342720031738, 7.537006378173828, 6.9007568359375}},
};

Array sampled_image(const std::vector<uint8_t>& order) {
  Array x{DType::kFloat32, {1, 1, 3, 4}, order, {}};
  for (int32_t i = 0; i < 12; ++i) x.values.push_back(i * 5 % 11);
  return x;
}

TEST_CASE("grid_sampler_2d gives PyTorch's values in every mode, padding and memory order") {
  for (const Sampled& s : kSampled) {
    for (const std::vector<uint8_t>& order : {std::vector<uint8_t>{0, 1, 2, 3}, std::vector<uint8_t>{0, 2, 3, 1}}) {
      CAPTURE(s.mode);
      CAPTURE(s.padding);
      CAPTURE(s.align_corners);
      test::OneOp op;
      auto& b = op.builder;
      const int32_t x = op.input(sampled_image(order));
      const int32_t grid = op.input({DType::kFloat32, {1, 2, 2, 2}, {}, {-1.6, -0.5, 0.3, 0.8, 1.4, -1.3, 0.125, 0.0}});
      const int32_t out = op.output(DType::kFloat32, {1, 1, 2, 2}, order);
      const std::vector<int32_t> args = {
          x, grid, b.integer(s.mode), b.integer(s.padding), b.boolean(s.align_corners != 0), out};
      REQUIRE(op.run("aten::grid_sampler_2d", "out", args).ok());
      for (size_t i = 0; i < 4; ++i) CHECK(op.outputs[0].values[i] == doctest::Approx(s.values[i]).epsilon(2e-5));
    }
  }
}

TEST_CASE("grid_sampler_2d takes places far away and NaN as outside") {
  test::OneOp op;
  auto& b = op.builder;
  const int32_t x = op.input(sampled_image({}));
  const double nan = __builtin_nan(""), far = 3e38;
  const int32_t grid = op.input({DType::kFloat32, {1, 1, 3, 2}, {}, {nan, 0, far, -far, 0, nan}});
  const int32_t out = op.output(DType::kFloat32, {1, 1, 1, 3});
  REQUIRE(op.run("aten::grid_sampler_2d", "out", {x, grid, b.integer(0), b.integer(0), b.boolean(false), out}).ok());
  CHECK(op.outputs[0].values == std::vector<double>{0, 0, 0});
}

std::string repeat(const std::vector<double>& repeats, int32_t outputs, std::vector<double>* result) {
  test::OneOp op;
  auto& b = op.builder;
  const int32_t x = op.input({DType::kInt64, {static_cast<int32_t>(repeats.size())}, {}, repeats});
  const int32_t out = op.output(DType::kInt64, {outputs});
  (void)op.run("aten::repeat_interleave", "Tensor_out", {x, b.none(), out}).ok();
  *result = op.outputs[0].values;
  return op.error;
}

TEST_CASE("repeat_interleave names each index as often as it is asked to, and refuses what does not add up") {
  std::vector<double> out;
  REQUIRE(repeat({2, 0, 3, 1}, 6, &out) == "");
  CHECK(out == std::vector<double>{0, 0, 2, 2, 2, 3});
  CHECK(repeat({2, 0, 3, 1}, 5, &out).find("entry 3 asks for 1 repeats") != std::string::npos);
  CHECK(repeat({2, -1}, 5, &out).find("entry 1 asks for -1 repeats") != std::string::npos);
  CHECK(repeat({1, 1}, 5, &out).find("repeats add up to 2, the output has 5") != std::string::npos);
}

}  // namespace
}  // namespace wick
