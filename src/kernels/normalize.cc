// Two passes for the statistics (the mean, then squares of distances from it, which lose nothing to cancellation) and
// one for the result.
#include "kernels/normalize.h"

#include <cmath>

#include "kernels/element.h"

namespace wick::kernels {

namespace {

struct F32 {
  using Value = float;
  static float load(const void* data, DType, int32_t at) { return static_cast<const float*>(data)[at]; }
  static void store(void* data, DType, int32_t at, float value) { static_cast<float*>(data)[at] = value; }
};
template <typename T>
struct Converted {
  using Value = T;
  static T load(const void* data, DType dtype, int32_t at) { return load_as<T>(data, dtype, at); }
  static void store(void* data, DType dtype, int32_t at, T value) { store_as(data, dtype, at, value); }
};

constexpr uint32_t kX = Normalize::kX, kY = Normalize::kY, kWeight = Normalize::kWeight, kBias = Normalize::kBias,
                   kStatistic = Normalize::kStatistic, kOperands = Normalize::kOperands;

template <typename Value>
struct Statistics {
  Value mean, variance;
};

template <typename Access>
Statistics<typename Access::Value> statistics_of(const Normalize& n, const void* x, int32_t x_group) {
  using Value = typename Access::Value;
  const int32_t size = n.elements.inner_size(), step = n.elements.inner_step(kX);
  const Value count = static_cast<Value>(n.count);
  Value sum{0};
  n.elements.for_each_run([&](const int32_t(&at)[kOperands]) {
    int32_t x_at = x_group + at[kX];
    for (int32_t i = 0; i < size; ++i, x_at += step) sum += Access::load(x, n.dtype, x_at);
  });
  const Value mean = n.count > 0 ? sum / count : Value{0};
  Value squares{0};
  n.elements.for_each_run([&](const int32_t(&at)[kOperands]) {
    int32_t x_at = x_group + at[kX];
    for (int32_t i = 0; i < size; ++i, x_at += step) {
      const Value distance = Access::load(x, n.dtype, x_at) - mean;
      squares += distance * distance;
    }
  });
  return {mean, squares / count};
}

template <typename Access>
void apply(const Normalize& n, const NormalizeData& d, const int32_t (&group)[kOperands], typename Access::Value mean,
           typename Access::Value reciprocal) {
  using Value = typename Access::Value;
  const int32_t size = n.elements.inner_size();
  const int32_t x_step = n.elements.inner_step(kX), y_step = n.elements.inner_step(kY);
  const int32_t w_step = n.elements.inner_step(kWeight), b_step = n.elements.inner_step(kBias);
  n.elements.for_each_run([&](const int32_t(&at)[kOperands]) {
    int32_t x = group[kX] + at[kX], y = group[kY] + at[kY];
    int32_t w = group[kWeight] + at[kWeight], b = group[kBias] + at[kBias];
    const auto weight_at = [&](int32_t i) {
      return d.weight != nullptr ? Access::load(d.weight, n.parameter_dtype, i) * reciprocal : reciprocal;
    };
    const auto bias_at = [&](int32_t i) {
      return d.bias != nullptr ? Access::load(d.bias, n.parameter_dtype, i) : Value{0};
    };
    if (w_step == 0 && b_step == 0) {
      const Value scale = weight_at(w), shift = bias_at(b);
      for (int32_t i = 0; i < size; ++i, x += x_step, y += y_step) {
        Access::store(d.y, n.dtype, y, (Access::load(d.x, n.dtype, x) - mean) * scale + shift);
      }
      return;
    }
    for (int32_t i = 0; i < size; ++i, x += x_step, y += y_step, w += w_step, b += b_step) {
      Access::store(d.y, n.dtype, y, (Access::load(d.x, n.dtype, x) - mean) * weight_at(w) + bias_at(b));
    }
  });
}

// Calls each(group offsets) for every group.
template <typename Function>
void for_each_group(const Normalize& n, Function&& each) {
  n.groups.for_each_run([&](const int32_t(&at)[kOperands]) {
    int32_t group[kOperands];
    for (uint32_t k = 0; k < kOperands; ++k) group[k] = at[k];
    for (int32_t i = 0; i < n.groups.inner_size(); ++i) {
      each(group);
      for (uint32_t k = 0; k < kOperands; ++k) group[k] += n.groups.inner_step(k);
    }
  });
}

template <typename Value>
Value reciprocal_root(Value value) {
  return Value{1} / std::sqrt(value);
}

template <typename Access>
void normalize_given(const Normalize& n, const NormalizeData& d, const void* mean, const void* variance) {
  using Value = typename Access::Value;
  for_each_group(n, [&](const int32_t(&group)[kOperands]) {
    const Value m = Access::load(mean, n.statistic_dtype, group[kStatistic]);
    const Value v = Access::load(variance, n.statistic_dtype, group[kStatistic]);
    apply<Access>(n, d, group, m, reciprocal_root<Value>(v + static_cast<Value>(n.eps)));
  });
}

template <typename Access>
void normalize_computed(const Normalize& n, const NormalizeData& d, void* mean, void* reciprocal) {
  using Value = typename Access::Value;
  for_each_group(n, [&](const int32_t(&group)[kOperands]) {
    const Statistics<Value> s = statistics_of<Access>(n, d.x, group[kX]);
    const Value r = reciprocal_root<Value>(s.variance + static_cast<Value>(n.eps));
    apply<Access>(n, d, group, s.mean, r);
    Access::store(mean, n.statistic_dtype, group[kStatistic], s.mean);
    Access::store(reciprocal, n.statistic_dtype, group[kStatistic], r);
  });
}

template <typename Access>
void compute_statistics(const Normalize& n, const void* x, void* mean, void* variance) {
  using Value = typename Access::Value;
  for_each_group(n, [&](const int32_t(&group)[kOperands]) {
    const Statistics<Value> s = statistics_of<Access>(n, x, group[kX]);
    Access::store(mean, n.statistic_dtype, group[kStatistic], s.mean);
    Access::store(variance, n.statistic_dtype, group[kStatistic], s.variance);
  });
}

bool all_f32(const Normalize& n) {
  return n.dtype == DType::kFloat32 && n.parameter_dtype == DType::kFloat32 && n.statistic_dtype == DType::kFloat32;
}

}  // namespace

void normalize(const Normalize& n, const NormalizeData& d, const void* mean, const void* variance) {
  if (all_f32(n)) return normalize_given<F32>(n, d, mean, variance);
  if (n.dtype == DType::kFloat64) return normalize_given<Converted<double>>(n, d, mean, variance);
  normalize_given<Converted<float>>(n, d, mean, variance);
}

void normalize_by_own(const Normalize& n, const NormalizeData& d, void* mean, void* reciprocal_deviation) {
  if (all_f32(n)) return normalize_computed<F32>(n, d, mean, reciprocal_deviation);
  if (n.dtype == DType::kFloat64) return normalize_computed<Converted<double>>(n, d, mean, reciprocal_deviation);
  normalize_computed<Converted<float>>(n, d, mean, reciprocal_deviation);
}

void group_statistics(const Normalize& n, const void* x, void* mean, void* variance) {
  if (n.dtype == DType::kFloat64) return compute_statistics<Converted<double>>(n, x, mean, variance);
  compute_statistics<Converted<float>>(n, x, mean, variance);
}

}  // namespace wick::kernels
