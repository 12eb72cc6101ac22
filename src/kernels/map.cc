// Runs elementwise loops over operands of any dtype and step: directly where the elements are stored as they are
// computed, otherwise through blocks on the stack.
#include "kernels/element.h"
#include "kernels/portable.h"

namespace wick::kernels {

namespace {

uint8_t* element(const Lane& lane, uint8_t* run, uint32_t index) {
  return run + static_cast<int32_t>(index) * lane.step * static_cast<int32_t>(dtype_bytes(lane.dtype));
}

template <typename T>
bool readable(const Lane& lane) {
  return lane.dtype == kNative<T> && (lane.step == 0 || lane.step == 1);
}

template <typename T>
bool writable(const Lane& lane) {
  return lane.dtype == kNative<T> && lane.step == 1;
}

// Part of an operand as T with step 0 or 1: where it lies, or converted into `block`.
template <typename T>
struct Part {
  const T* data;
  uint32_t step;
};
template <typename T>
Part<T> part_of(const Lane& lane, uint8_t* run, uint32_t index, uint32_t count, T* block) {
  if (readable<T>(lane)) {
    return {reinterpret_cast<const T*>(run) + static_cast<int32_t>(index) * lane.step,
            static_cast<uint32_t>(lane.step)};
  }
  load_block(lane.dtype, element(lane, run, index), lane.step, count, block);
  return {block, 1};
}

template <typename T>
bool has_zero(const Part<T>& part, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (part.data[i * part.step] == T(0)) return true;
  }
  return false;
}

// Elements that pass through a block at once.
uint32_t part_count(uint32_t run, uint32_t done) {
  const uint32_t left = run - done;
  return left < kBlock ? left : kBlock;
}

// T holds every value of the source exactly.
template <typename T>
void cast_elements(const CastMap& m) {
  Cursor c{{m.out.data, m.x.data}};
  do {
    for (uint32_t i = 0; i < m.run;) {
      const uint32_t count = part_count(m.run, i);
      T block[kBlock];
      load_block(m.x.dtype, element(m.x, c.at[1], i), m.x.step, count, block);
      store_block(m.out.dtype, block, count, element(m.out, c.at[0], i), m.out.step);
      i += count;
    }
  } while (advance(m.walk, c));
}

}  // namespace

template <typename T>
void map_unary(const UnaryMap<T>& m) {
  Cursor c{{m.out.data, m.x.data}};
  if (readable<T>(m.x) && m.x.step == 1 && writable<T>(m.out)) {
    do {
      m.loop(reinterpret_cast<const T*>(c.at[1]), reinterpret_cast<T*>(c.at[0]), m.run, m.extra);
    } while (advance(m.walk, c));
    return;
  }
  do {
    for (uint32_t i = 0; i < m.run;) {
      const uint32_t count = part_count(m.run, i);
      T block[kBlock];
      load_block(m.x.dtype, element(m.x, c.at[1], i), m.x.step, count, block);
      m.loop(block, block, count, m.extra);
      store_block(m.out.dtype, block, count, element(m.out, c.at[0], i), m.out.step);
      i += count;
    }
  } while (advance(m.walk, c));
}

template <typename T>
bool map_binary(const BinaryMap<T>& m) {
  const bool direct =
      (m.a_constant || readable<T>(m.a)) && (m.b_constant || readable<T>(m.b)) && writable<T>(m.out) && !m.nonzero_b;
  Cursor c{{m.out.data, m.a.data, m.b.data}};
  if (direct) {
    const T* constant = &m.constant;
    do {
      const T* a = m.a_constant ? constant : reinterpret_cast<const T*>(c.at[1]);
      const T* b = m.b_constant ? constant : reinterpret_cast<const T*>(c.at[2]);
      m.loop(a, static_cast<uint32_t>(m.a.step), b, static_cast<uint32_t>(m.b.step), reinterpret_cast<T*>(c.at[0]),
             m.run, m.extra);
    } while (advance(m.walk, c));
    return true;
  }
  const Part<T> constant = {&m.constant, 0};
  do {
    for (uint32_t i = 0; i < m.run;) {
      const uint32_t count = part_count(m.run, i);
      T a_block[kBlock], b_block[kBlock];
      const Part<T> a = m.a_constant ? constant : part_of(m.a, c.at[1], i, count, a_block);
      const Part<T> b = m.b_constant ? constant : part_of(m.b, c.at[2], i, count, b_block);
      if (m.nonzero_b && has_zero(b, count)) return false;
      if (writable<T>(m.out)) {
        m.loop(a.data, a.step, b.data, b.step, reinterpret_cast<T*>(c.at[0]) + i, count, m.extra);
      } else {
        m.loop(a.data, a.step, b.data, b.step, a_block, count, m.extra);
        store_block(m.out.dtype, a_block, count, element(m.out, c.at[0], i), m.out.step);
      }
      i += count;
    }
  } while (advance(m.walk, c));
  return true;
}

template <typename T>
void map_select(const SelectMap<T>& m) {
  Cursor c{{m.out.data, m.c.data, m.a.data, m.b.data}};
  const Part<T> constant = {&m.constant, 0};
  do {
    for (uint32_t i = 0; i < m.run;) {
      const uint32_t count = part_count(m.run, i);
      T a_block[kBlock], b_block[kBlock];
      const Part<T> a = m.a_constant ? constant : part_of(m.a, c.at[2], i, count, a_block);
      const Part<T> b = part_of(m.b, c.at[3], i, count, b_block);
      const uint8_t* choose = element(m.c, c.at[1], i);
      const int32_t choose_step = m.c.step;
      T* y = writable<T>(m.out) ? reinterpret_cast<T*>(c.at[0]) + i : b_block;
      for (uint32_t j = 0; j < count; ++j, choose += choose_step) {
        y[j] = *choose != 0 ? a.data[j * a.step] : b.data[j * b.step];
      }
      if (y == b_block) store_block(m.out.dtype, b_block, count, element(m.out, c.at[0], i), m.out.step);
      i += count;
    }
  } while (advance(m.walk, c));
}

void map_cast(const CastMap& m) {
  if (m.x.dtype == DType::kFloat64) {
    cast_elements<double>(m);
  } else if (is_floating(m.x.dtype)) {
    cast_elements<float>(m);
  } else {
    cast_elements<int64_t>(m);
  }
}

template void map_unary(const UnaryMap<float>&);
template void map_unary(const UnaryMap<double>&);
template void map_unary(const UnaryMap<int64_t>&);
template bool map_binary(const BinaryMap<float>&);
template bool map_binary(const BinaryMap<double>&);
template bool map_binary(const BinaryMap<int64_t>&);
template void map_select(const SelectMap<float>&);
template void map_select(const SelectMap<double>&);
template void map_select(const SelectMap<int64_t>&);

}  // namespace wick::kernels
