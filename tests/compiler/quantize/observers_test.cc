#include "compiler/quantize/observers.h"

#include <doctest.h>

#include <cmath>
#include <random>
#include <vector>

namespace wick::compiler {
namespace {

TEST_CASE("Affine parameters hold zero and round half to even") {
  CHECK(affine_qparams(-1.0f, 1.0f) == QParams{2.0f / 255.0f, -1});  // 1 / scale is 127.49999
  CHECK(affine_qparams(0.5f, 2.55f) == QParams{2.55f / 255.0f, -128});
  CHECK(affine_qparams(-5.1f, -1.0f).zero_point == 127);
  CHECK(affine_qparams(0, 0).scale == doctest::Approx(1.1920929e-07));
  CHECK(affine_qparams(1, -1) == QParams{1, 0});
}

TEST_CASE("Symmetric scale puts the largest magnitude on 127.5") {
  CHECK(symmetric_scale(-2.55f, 1.0f) == 2.55f / 127.5f);
  CHECK(symmetric_scale(0.1f, 0.2f) == 0.2f / 127.5f);
}

// Values and results below: torchao 0.18, HistogramObserver(int8, per_tensor_affine) on torch 2.13.
std::vector<float> ramp(int count, float from, float step) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(from + step * static_cast<float>(i));
  return values;
}

TEST_CASE("Histogram observer ignores infinities and empty tensors") {
  HistogramObserver observer;
  observer.observe({});
  CHECK_FALSE(observer.seen_anything());
  CHECK(observer.qparams() == QParams{1, 0});
  observer.observe(std::vector<float>{-1, 2, INFINITY, -INFINITY});
  CHECK(observer.min() == -1);
  CHECK(observer.max() == 2);
}

TEST_CASE("Histogram observer keeps an even distribution whole and cuts far outliers") {
  HistogramObserver even;
  even.observe(ramp(1001, -1.0f, 0.002f));
  CHECK(even.qparams().scale == doctest::Approx(2.0 / 255).epsilon(2e-3));
  HistogramObserver outlier;
  std::vector<float> values = ramp(100000, -1.0f, 0.00002f);
  values.push_back(40);
  outlier.observe(values);
  CHECK(outlier.max() == 40);
  CHECK(outlier.range(RangeRule::kTorch).max < 40);
  CHECK(outlier.range(RangeRule::kMinMax).max == 40);
  CHECK(outlier.range(RangeRule::kPercentile).max < 2);
  CHECK(outlier.range(RangeRule::kMse).max < 40);
  CHECK(outlier.clipped_share(affine_qparams(-1, 2)) == doctest::Approx(1.0 / 100001).epsilon(1e-3));
}

TEST_CASE("Entropy cuts the tail of a bell") {
  std::mt19937 random(7);
  std::normal_distribution<float> bell(0, 1);
  std::vector<float> values;
  for (int i = 0; i < 50000; ++i) values.push_back(bell(random));
  values.push_back(20);
  values.push_back(-20);
  HistogramObserver observer;
  observer.observe(values);
  CHECK(observer.range(RangeRule::kEntropy).max < 15);
  CHECK(observer.range(RangeRule::kEntropy).max > 2);
}

TEST_CASE("Histogram observer widens with what it counted before") {
  HistogramObserver observer;
  observer.observe(std::vector<float>{3, 3, 3});
  observer.observe(ramp(100, -2, 0.04f));
  observer.observe(ramp(100, -4, 0.08f));
  CHECK(observer.min() == -4);
  CHECK(observer.max() == doctest::Approx(3.92f));
  CHECK(observer.clipped_share(affine_qparams(-8, 2.9f)) == doctest::Approx(16.0 / 203).epsilon(0.05));
}

}  // namespace
}  // namespace wick::compiler
