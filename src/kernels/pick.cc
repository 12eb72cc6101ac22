#include "kernels/pick.h"

#include "kernels/element.h"
#include "kernels/move_element.h"

namespace wick::kernels {

namespace {

void add_element(void* to, const void* from, DType dtype, int32_t to_at, int32_t from_at) {
  if (dtype == DType::kFloat64) {
    store_f64(to, dtype, to_at, load_f64(to, dtype, to_at) + load_f64(from, dtype, from_at));
  } else if (is_floating(dtype)) {
    store_f32(to, dtype, to_at, load_f32(to, dtype, to_at) + load_f32(from, dtype, from_at));
  } else {
    store_as(to, dtype, to_at, load_as<uint64_t>(to, dtype, to_at) + load_as<uint64_t>(from, dtype, from_at));
  }
}

// Everything at one place.
struct Act {
  PickAction action;
  DType dtype;
  uint8_t* picked;
  uint8_t* other;

  template <uint32_t kRoom>
  void operator()(const Nest<2, kRoom>& rest, int32_t other_start, int32_t picked_start) const {
    const uint32_t bytes = dtype_bytes(dtype);
    const int32_t width = static_cast<int32_t>(bytes);
    rest.for_each_run([&](const int32_t(&at)[2]) {
      const int32_t size = rest.inner_size(), other_step = rest.inner_step(0), picked_step = rest.inner_step(1);
      int32_t o = other_start + at[0], q = picked_start + at[1];
      if (action == PickAction::kRead) {
        move_elements(other + o * width, other_step * width, picked + q * width, picked_step * width, size, bytes);
      } else if (action == PickAction::kWrite) {
        move_elements(picked + q * width, picked_step * width, other + o * width, other_step * width, size, bytes);
      } else {
        for (int32_t i = 0; i < size; ++i, o += other_step, q += picked_step) {
          add_element(picked, other, dtype, q, o);
        }
      }
    });
  }
};

// The step that an index means, in elements; false when it is out of range.
bool offset_of(const IndexTensor& t, int32_t at, int32_t* offset, int64_t* value) {
  int64_t index = t.wide ? static_cast<const int64_t*>(t.data)[at] : static_cast<const int32_t*>(t.data)[at];
  *value = index;
  if (index < 0 && t.wraps) index += t.size;
  if (index < 0 || index >= t.size) return false;
  *offset = static_cast<int32_t>(index) * t.stride;
  return true;
}

}  // namespace

bool pick_by_index(const PickByIndex& p, void* picked, void* other, BadIndex* bad) {
  const Act act{p.action, p.dtype, static_cast<uint8_t*>(picked), static_cast<uint8_t*>(other)};
  constexpr uint32_t kOperands = 2 + kMaxPicks;
  bool good = true;
  p.positions.for_each_run([&](const int32_t(&start)[kOperands]) {
    int32_t at[kOperands];
    for (uint32_t k = 0; k < kOperands; ++k) at[k] = start[k];
    for (int32_t i = 0; good && i < p.positions.inner_size(); ++i) {
      int32_t place = at[1];
      for (uint32_t k = 0; good && k < p.count; ++k) {
        int32_t offset = 0;
        int64_t value = 0;
        good = offset_of(p.indices[k], at[2 + k], &offset, &value);
        place += offset;
        if (!good) *bad = {k, value};
      }
      if (good) act(p.rest, at[0], place);
      for (uint32_t k = 0; k < kOperands; ++k) at[k] += p.positions.inner_step(k);
    }
  });
  return good;
}

uint32_t pick_by_mask(const PickByMask& p, const uint8_t* mask, void* picked, void* other) {
  const Act act{p.action, p.dtype, static_cast<uint8_t*>(picked), static_cast<uint8_t*>(other)};
  uint32_t count = 0;
  int32_t other_at = 0;
  p.positions.for_each_run([&](const int32_t(&at)[2]) {
    for (int32_t i = 0; i < p.positions.inner_size(); ++i) {
      if (mask[at[0] + i * p.positions.inner_step(0)] == 0) continue;
      if (count++ >= p.limit) continue;
      act(p.rest, other_at, at[1] + i * p.positions.inner_step(1));
      other_at += p.other_step;
    }
  });
  return count;
}

}  // namespace wick::kernels
