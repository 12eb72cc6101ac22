// Matrix products on Helium: INT8 linear four outputs at a time, batch matmul on the same core, and linear in float
// with a lane per output.
#include "kernels/mve/linear.h"

#include "kernels/isa.h"
#include "kernels/mve/requantize.h"

namespace wick::kernels::mve {

namespace {

enum Path : uint32_t { kScalar, kQuads };

// All outputs of one row; the last four overlap the ones before where 4 does not divide them.
void run_row(Linear* a, int32_t outputs) {
  a->quads = outputs >> 2;
  wick_mve_linear(a);
  if ((outputs & 3) == 0) return;
  const int32_t rest = outputs - 4;
  Linear last = *a;
  last.weights += rest * a->depth;
  last.start += rest;
  last.out += rest;
  last.quads = 1;
  wick_mve_linear(&last);
}

bool folds(const LinearS8& c) {
  return c.kernel_sum == nullptr && (c.input_offset != 0 || c.filter_offset != 0 || c.bias == nullptr);
}

Path path_of(const LinearS8& c) {
  if (c.out_features < 4 || c.in_features < 1 || !is_right_shift(c.multiplier, c.shift)) return kScalar;
  if (!are_bytes(c.output_offset, c.act_min, c.act_max)) return kScalar;
  const int32_t* start = c.kernel_sum != nullptr ? c.kernel_sum : c.bias;
  return is_word_aligned(start) ? kQuads : kScalar;
}

}  // namespace

KernelMemory linear_s8_plan(LinearS8& c) {
  const Path path = path_of(c);
  if (path == kScalar) {
    const KernelMemory memory = scalar::linear_s8_plan(c);
    c.path <<= 1;  // an even path is one of scalar's
    return memory;
  }
  c.path = 1;
  return {folds(c) ? static_cast<uint32_t>(c.out_features) * 4 : 0, 0};
}

void linear_s8_prepare(LinearS8& c, void* prepared) {
  c.prepared = prepared;
  if (c.path != 1) {
    LinearS8 s = c;
    s.path >>= 1;
    scalar::linear_s8_prepare(s, prepared);
    c.prepared = s.prepared;
    return;
  }
  if (!folds(c)) return;
  // sum (x + i)(w + f) = sum x w + f sum x + (i sum w + depth i f): the last part does not change.
  int32_t* folded = static_cast<int32_t*>(prepared);
  fold_bias(folded, c.bias, c.weights, c.out_features, c.in_features, c.input_offset);
  const int32_t both = wrap_mul(wrap_mul(c.in_features, c.input_offset), c.filter_offset);
  for (int32_t o = 0; o < c.out_features; ++o) folded[o] = wrap_add(folded[o], both);
}

void linear_s8(const LinearS8& c, const int8_t* input, int8_t* output, void* scratch) {
  if (c.path != 1) {
    LinearS8 s = c;
    s.path >>= 1;
    return scalar::linear_s8(s, input, output, scratch);
  }
  const int32_t* start = folds(c)                  ? static_cast<const int32_t*>(c.prepared)
                         : c.kernel_sum != nullptr ? c.kernel_sum
                                                   : c.bias;
  Linear a = {input, c.weights, c.in_features, start, output, 0, c.multiplier, c.shift, c.output_offset, 0};
  for (int32_t row = 0; row < c.rows; ++row) {
    if (c.filter_offset != 0) a.add = wrap_mul(c.filter_offset, sum_of(a.x, c.in_features));
    run_row(&a, c.out_features);
    a.x += c.in_features;
    a.out += c.out_features;
  }
  clamp_in_place(output, static_cast<uint32_t>(c.rows * c.out_features), c.act_min, c.act_max);
}

KernelMemory batch_matmul_s8_plan(BatchMatmulS8& c) {
  const bool quads = c.rhs_rows >= 4 && c.depth >= 1 && is_right_shift(c.multiplier, c.shift) &&
                     are_bytes(c.output_zero_point, -128, 127);
  c.path = quads ? kQuads : kScalar;
  return {0, quads ? static_cast<uint32_t>(c.rhs_rows) * 4 : 0};
}

void batch_matmul_s8(const BatchMatmulS8& c, const int8_t* lhs, const int8_t* rhs, int8_t* output, void* scratch) {
  if (c.path == kScalar) return scalar::batch_matmul_s8(c, lhs, rhs, output, scratch);
  int32_t* start = static_cast<int32_t*>(scratch);
  const int32_t both = wrap_mul(wrap_mul(c.depth, c.lhs_offset), c.rhs_offset);
  Linear a = {lhs, rhs, c.depth, start, output, 0, c.multiplier, c.shift, c.output_zero_point, 0};
  for (int32_t b = 0; b < c.batch; ++b, a.weights += c.rhs_rows * c.depth) {
    if (c.lhs_offset != 0 || b == 0) fold_bias(start, nullptr, a.weights, c.rhs_rows, c.depth, c.lhs_offset);
    for (int32_t m = 0; m < c.lhs_rows; ++m) {
      a.add = both;
      if (c.rhs_offset != 0) a.add = wrap_add(both, wrap_mul(c.rhs_offset, sum_of(a.x, c.depth)));
      run_row(&a, c.rhs_rows);
      a.x += c.depth;
      a.out += c.rhs_rows;
    }
  }
}

#if defined(WICK_ISA_MVE_FLOAT)

namespace {

// One output, for what is left of four.
float dot(const float* x, const float* w, uint32_t depth) {
  float32x4_t acc = vdupq_n_f32(0.0f);
  for (uint32_t k = 0; k < depth; k += 4) {
    const mve_pred16_t p = vctp32q(depth - k);
    acc = vfmaq_m_f32(acc, vldrwq_z_f32(x + k, p), vldrwq_z_f32(w + k, p), p);
  }
  return (vgetq_lane_f32(acc, 0) + vgetq_lane_f32(acc, 1)) + (vgetq_lane_f32(acc, 2) + vgetq_lane_f32(acc, 3));
}

}  // namespace

// Four partial sums per output instead of one: the same numbers on every run, not scalar's to the last bit.
void linear_f32(const float* x, const float* w, const float* bias, float* y, uint32_t rows, uint32_t depth,
                uint32_t outputs) {
  const uintptr_t places = reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(w) |
                           reinterpret_cast<uintptr_t>(bias) | reinterpret_cast<uintptr_t>(y);
  if ((places & 3) != 0) return scalar::linear_f32(x, w, bias, y, rows, depth, outputs);
  alignas(4) const float zeros[4] = {};
  const uint32_t whole = outputs & ~3u;
  for (uint32_t r = 0; r < rows; ++r, x += depth, y += outputs) {
    if (whole > 0) {
      const LinearF32 arguments = {
          x, w, depth, bias != nullptr ? bias : zeros, y, whole / 4, bias != nullptr ? 16u : 0u};
      wick_mve_linear_f32(&arguments);
    }
    for (uint32_t n = whole; n < outputs; ++n) y[n] = dot(x, w + n * depth, depth) + (bias != nullptr ? bias[n] : 0.0f);
  }
}

#else

void linear_f32(const float* x, const float* w, const float* bias, float* y, uint32_t rows, uint32_t depth,
                uint32_t outputs) {
  scalar::linear_f32(x, w, bias, y, rows, depth, outputs);
}

#endif

}  // namespace wick::kernels::mve
