// The judgement behind cortex_m_args.h: each check says what was expected and what was found.
#include "runtime/ops/cortex_m_args.h"

namespace wick::ops {

Image image_of(Prepare& p, uint32_t arg, const Tensor& t, Layout layout) {
  p.require_rank(arg, t, 4);
  p.require_dtype(arg, t, DType::kInt8);
  if (p.failed()) return Image();
  // That there are at most 2^31 - 1 bytes, and so elements, was seen when the tensor was read.
  for (uint32_t d = 0; d < 4; ++d) {
    if (!p.require(t.sizes[d] > 0, Code::kUnsupported, arg, "dimension ", d, " is empty")) return Image();
  }
  if (layout == Layout::kExplicitNhwc) {
    p.require_contiguous(arg, t);
    return {t.sizes[0], t.sizes[1], t.sizes[2], t.sizes[3]};
  }
  p.require_channels_last(arg, t);
  return {t.sizes[0], t.sizes[2], t.sizes[3], t.sizes[1]};
}

void resize_image(Prepare& p, uint32_t arg, Tensor* output, const Image& image, Layout layout) {
  const int32_t nchw[4] = {image.n, image.c, image.h, image.w};
  const int32_t nhwc[4] = {image.n, image.h, image.w, image.c};
  p.resize(arg, output, layout == Layout::kExplicitNhwc ? nhwc : nchw, 4);
}

Pair pair_of(Prepare& p, uint32_t arg, int32_t low, int32_t high) {
  int64_t items[2];
  if (p.two_ints(arg, items) && items[0] >= low && items[0] <= high && items[1] >= low && items[1] <= high) {
    return {static_cast<int32_t>(items[0]), static_cast<int32_t>(items[1])};
  }
  const IntList list = p.int_list(arg);
  if (p.failed() || !p.require(list.count == 2, Code::kInvalidProgram, arg, "expected 2 entries, found ", list.count)) {
    return Pair();
  }
  for (uint32_t i = 0; i < 2; ++i) {
    if (!p.require(list.items[i] >= low && list.items[i] <= high, Code::kUnsupported, arg, "entry ", i, " is ",
                   list.items[i], ", expected ", low, "..", high)) {
      return Pair();
    }
  }
  return {static_cast<int32_t>(list.items[0]), static_cast<int32_t>(list.items[1])};
}

int32_t window_outputs(Prepare& p, uint32_t arg, int32_t size, int32_t kernel, int32_t stride, int32_t pad,
                       int32_t dilation) {
  const int64_t extent = (int64_t{kernel} - 1) * dilation + 1;
  const int64_t room = size + 2 * int64_t{pad};
  if (!p.require(extent <= room, Code::kInvalidProgram, arg, "a window of ", extent, " does not fit into ", room) ||
      !p.require(room < (1 << 30), Code::kUnsupported, arg, "a padded size of ", room)) {
    return 1;
  }
  return static_cast<int32_t>(static_cast<uint32_t>(room - extent) / static_cast<uint32_t>(stride) + 1);
}

Range activation_of(Prepare& p, uint32_t min_arg, uint32_t max_arg) {
  const int32_t low = p.int32_in(min_arg, -128, 127), high = p.int32_in(max_arg, -128, 127);
  p.require(low <= high, Code::kInvalidProgram, max_arg, "the largest output ", high, " is below the smallest, ", low);
  return {low, high};
}

float scale_of(Prepare& p, uint32_t arg) {
  // Below or above, the scale or its inverse would leave a float's normal range.
  constexpr double kSmallest = 1.2e-38, kLargest = 8e37;
  const double scale = p.number(arg);
  if (p.failed() || !p.require(scale >= kSmallest && scale <= kLargest, Code::kInvalidProgram, arg,
                               "expected a positive finite scale")) {
    return 1.0f;
  }
  return static_cast<float>(scale);
}

namespace {

// All bits that are set in any element plus `offset`.
template <uint32_t offset>
uint32_t bits_of(const int32_t* table, int32_t count) {
  const auto* t = reinterpret_cast<const uint32_t*>(table);
  uint32_t bits = 0;
  int32_t k = 0;
  for (; k + 8 <= count; k += 8, t += 8) {
    bits |= (t[0] + offset) | (t[1] + offset) | (t[2] + offset) | (t[3] + offset) | (t[4] + offset) | (t[5] + offset) |
            (t[6] + offset) | (t[7] + offset);
  }
  for (; k < count; ++k, ++t) bits |= *t + offset;
  return bits;
}

// Whether all elements are in [low, high]. Says so of the usual ranges alone: multipliers are not negative (the
// sign bit is in none), shifts are -31..0 (plus 31 they have five bits).
bool all_usual(const int32_t* table, int32_t count, int32_t low, int32_t high) {
  if (low == INT32_MIN && high == INT32_MAX) return true;
  if (low == 0 && high == INT32_MAX) return bits_of<0>(table, count) >> 31 == 0;
  return low <= -31 && high >= 0 && bits_of<31>(table, count) >> 5 == 0;
}

// Whatever tensor it is, with everything that can be wrong with it.
const int32_t* judged_table(Prepare& p, uint32_t arg, const Tensor& t, int32_t count, int32_t low, int32_t high) {
  p.require_dtype(arg, t, DType::kInt32);
  p.require_constant(arg, t);
  if (p.failed() || !p.require(t.numel() == static_cast<uint32_t>(count), Code::kInvalidProgram, arg, "expected ",
                               count, " elements, found ", t.numel())) {
    return nullptr;
  }
  const int32_t* table = t.as<int32_t>();
  if (!p.require(reinterpret_cast<uintptr_t>(table) % 4 == 0, Code::kInvalidProgram, arg,
                 "int32 data is not aligned to 4 bytes")) {
    return nullptr;
  }
  const bool usual = all_usual(table, count, low, high);
  for (int32_t i = 0; !usual && i < count; ++i) {
    if (!p.require(table[i] >= low && table[i] <= high, Code::kInvalidProgram, arg, "element ", i, " is ", table[i],
                   ", expected ", low, "..", high)) {
      return nullptr;
    }
  }
  return table;
}

}  // namespace

const int32_t* table_of(Prepare& p, uint32_t arg, int32_t count, int32_t low, int32_t high) {
  const int32_t* table = p.int32_table(arg, count);
  if (table != nullptr && all_usual(table, count, low, high)) return table;
  return judged_table(p, arg, p.tensor(arg), count, low, high);
}

const int32_t* optional_table_of(Prepare& p, uint32_t arg, int32_t count) {
  if (const int32_t* table = p.int32_table(arg, count)) return table;
  Tensor t;
  if (!p.optional_tensor(arg, &t)) return nullptr;
  return judged_table(p, arg, t, count, INT32_MIN, INT32_MAX);
}

const int8_t* weights_of(Prepare& p, uint32_t arg, const Tensor& t) {
  p.require_rank(arg, t, 4);
  p.require_dtype(arg, t, DType::kInt8);
  p.require_constant(arg, t);
  p.require_contiguous(arg, t);
  return p.failed() ? nullptr : t.as<int8_t>();
}

}  // namespace wick::ops
