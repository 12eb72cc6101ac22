// Data movement by element size: strided copies, fills, triangles, gathers. Knows bytes; refuses to know numbers.
#include <cstring>

#include "kernels/portable.h"

namespace wick::kernels {

namespace {

// One word of the widest kind that the alignment allows.
template <typename Word, uint32_t kWords>
void copy_elements(uint32_t count, const uint8_t* in, int32_t in_step, uint8_t* out, int32_t out_step) {
  for (; count > 0; --count, in += in_step, out += out_step) {
    const Word* from = reinterpret_cast<const Word*>(in);
    Word* to = reinterpret_cast<Word*>(out);
    Word words[kWords];
    for (uint32_t i = 0; i < kWords; ++i) words[i] = from[i];
    for (uint32_t i = 0; i < kWords; ++i) to[i] = words[i];
  }
}

using CopyElements = void (*)(uint32_t count, const uint8_t* in, int32_t in_step, uint8_t* out, int32_t out_step);

CopyElements copy_loop(uint32_t run_bytes, uint32_t align) {
  if (align >= 4) {
    if (run_bytes == 4) return copy_elements<uint32_t, 1>;
    if (run_bytes == 8) return copy_elements<uint32_t, 2>;
  }
  if (align >= 2 && run_bytes == 2) return copy_elements<uint16_t, 1>;
  if (run_bytes == 1) return copy_elements<uint8_t, 1>;
  return nullptr;
}

double at_index(double start, double step, uint32_t i) { return start + i * step; }
int64_t at_index(int64_t start, int64_t step, uint32_t i) {
  return static_cast<int64_t>(static_cast<uint64_t>(start) + i * static_cast<uint64_t>(step));
}

}  // namespace

void move_bytes(void* to, const void* from, size_t bytes) {
  const uintptr_t a = reinterpret_cast<uintptr_t>(to), b = reinterpret_cast<uintptr_t>(from);
  if (a == b) return;
  if ((a < b ? b - a : a - b) >= bytes) {
    std::memcpy(to, from, bytes);
  } else {
    std::memmove(to, from, bytes);
  }
}

void strided_copy(const StridedCopy& c, const uint8_t* in, uint8_t* out) {
  if (c.walk.rank == 0) return move_bytes(out, in, c.run_bytes);
  // The innermost dimension is this function's own loop.
  Walk outer = c.walk;
  --outer.rank;
  const int32_t* inner = c.walk.dims + outer.rank * 3;
  const int32_t size = inner[0], out_step = inner[1], in_step = inner[2];
  const CopyElements elements = copy_loop(c.run_bytes, c.align);
  Cursor at{{out, const_cast<uint8_t*>(in)}};
  do {
    if (elements != nullptr) {
      elements(static_cast<uint32_t>(size), at.at[1], in_step, at.at[0], out_step);
    } else {
      for (int32_t i = 0; i < size; ++i) move_bytes(at.at[0] + i * out_step, at.at[1] + i * in_step, c.run_bytes);
    }
  } while (advance(outer, at));
}

void fill(void* out, uint32_t count, const uint8_t* pattern, uint32_t element) {
  bool same = true;
  for (uint32_t i = 1; i < element; ++i) same = same && pattern[i] == pattern[0];
  if (same) {
    std::memset(out, pattern[0], static_cast<size_t>(count) * element);
    return;
  }
  uint8_t* to = static_cast<uint8_t*>(out);
  for (; count > 0; --count, to += element) std::memcpy(to, pattern, element);
}

template <typename T>
void arange(T start, T step, uint32_t count, void* out, DType dtype) {
  uint8_t* to = static_cast<uint8_t*>(out);
  for (uint32_t i = 0; i < count; ++i, to += dtype_bytes(dtype)) {
    const T value = at_index(start, step, i);
    store_block(dtype, &value, 1, to, 1);
  }
}
template void arange(double, double, uint32_t, void*, DType);
template void arange(int64_t, int64_t, uint32_t, void*, DType);

void tril(const Tril& t, const uint8_t* in, uint8_t* out) {
  Cursor c{{out, const_cast<uint8_t*>(in)}};
  do {
    for (uint32_t row = 0; row < t.rows; ++row) {
      const int64_t kept = static_cast<int64_t>(row) + t.diagonal + 1;
      uint8_t* to = c.at[0] + static_cast<int32_t>(row) * t.out_row;
      const uint8_t* from = c.at[1] + static_cast<int32_t>(row) * t.in_row;
      for (uint32_t column = 0; column < t.columns; ++column, to += t.out_column, from += t.in_column) {
        if (column < kept) {
          move_bytes(to, from, t.element);
        } else {
          std::memset(to, 0, t.element);
        }
      }
    }
  } while (advance(t.walk, c));
}

bool gather(const Gather& g, const uint8_t* in, const uint8_t* index, uint8_t* out, int64_t* bad) {
  Cursor c{{out, const_cast<uint8_t*>(in), const_cast<uint8_t*>(index)}};
  do {
    for (uint32_t i = 0; i < g.run; ++i) {
      const int32_t at = static_cast<int32_t>(i);
      const uint8_t* where = c.at[2] + at * g.index_step;
      int64_t chosen;
      if (g.wide) {
        std::memcpy(&chosen, where, sizeof(chosen));
      } else {
        chosen = *reinterpret_cast<const int32_t*>(where);
      }
      if (chosen < 0 || chosen >= g.in_size) {
        *bad = chosen;
        return false;
      }
      move_bytes(c.at[0] + at * g.out_step, c.at[1] + at * g.in_step + static_cast<int32_t>(chosen) * g.in_stride,
                 g.element);
    }
  } while (advance(g.walk, c));
  return true;
}

}  // namespace wick::kernels
