// Reductions, and operators along rows: softmax, running sums, the k largest. Knows numbers and steps; refuses to know
// shapes.
#include <cmath>
#include <cstring>
#include <type_traits>

#include "kernels/portable.h"

namespace wick::kernels {

namespace {

template <typename T>
T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}
template <typename T>
T times(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return a * b;
  }
}

struct Sum {
  template <typename T>
  static void run(Accumulator<T>& acc, const T* x, int32_t step, uint32_t count) {
    T value = acc.value;
    for (; count > 0; --count, x += step) value = plus(value, *x);
    acc.value = value;
  }
};
struct Prod {
  template <typename T>
  static void run(Accumulator<T>& acc, const T* x, int32_t step, uint32_t count) {
    T value = acc.value;
    for (; count > 0; --count, x += step) value = times(value, *x);
    acc.value = value;
  }
};
struct Squares {
  template <typename T>
  static void run(Accumulator<T>& acc, const T* x, int32_t step, uint32_t count) {
    T value = acc.value;
    for (; count > 0; --count, x += step) value += (*x - acc.mean) * (*x - acc.mean);
    acc.value = value;
  }
};
// The first extreme, or the first NaN.
template <bool kLargest>
struct Extreme {
  template <typename T>
  static void run(Accumulator<T>& acc, const T* x, int32_t step, uint32_t count) {
    T value = acc.value;
    for (uint32_t i = 0; i < count; ++i, x += step) {
      const T candidate = *x;
      if ((kLargest ? candidate > value : candidate < value) || (candidate != candidate && value == value)) {
        value = candidate;
        acc.best = acc.seen + i;
      }
    }
    acc.value = value;
  }
};
struct Any {
  template <typename T>
  static void run(Accumulator<T>& acc, const T* x, int32_t step, uint32_t count) {
    for (; count > 0; --count, x += step) {
      if (*x != T(0)) acc.value = T(1);
    }
  }
};

template <typename T>
void accumulate(const Reduce<T>& r, ReduceLoop<T> loop, uint8_t* from, Accumulator<T>& acc) {
  const int32_t step_bytes = r.run_step * static_cast<int32_t>(dtype_bytes(r.in_dtype));
  Cursor c{{from}};
  do {
    if (r.in_dtype == kNative<T>) {
      loop(acc, reinterpret_cast<const T*>(c.at[0]), r.run_step, r.run);
      acc.seen += r.run;
    } else {
      for (uint32_t i = 0; i < r.run;) {
        T block[kBlock];
        const uint32_t count = r.run - i < kBlock ? r.run - i : kBlock;
        load_block(r.in_dtype, c.at[0] + static_cast<int32_t>(i) * step_bytes, r.run_step, count, block);
        loop(acc, block, 1, count);
        acc.seen += count;
        i += count;
      }
    }
  } while (advance(r.inner, c));
}

template <typename T>
T load_one(DType dtype, const uint8_t* from) {
  T value;
  load_block(dtype, from, 0, 1, &value);
  return value;
}
template <typename T>
void store_one(DType dtype, uint8_t* to, T value) {
  store_block(dtype, &value, 1, to, 0);
}

// Rows whose elements are stored as they are computed are read and written where they lie.
template <typename T, bool kDirect>
struct RowAccess {
  int32_t in_step, out_step;  // bytes
  DType in_dtype, out_dtype;
  T get(const uint8_t* row, uint32_t i) const {
    const uint8_t* at = row + static_cast<int32_t>(i) * in_step;
    return kDirect ? *reinterpret_cast<const T*>(at) : load_one<T>(in_dtype, at);
  }
  void put(uint8_t* row, uint32_t i, T value) const {
    uint8_t* at = row + static_cast<int32_t>(i) * out_step;
    if constexpr (kDirect) {
      *reinterpret_cast<T*>(at) = value;
    } else {
      store_one(out_dtype, at, value);
    }
  }
};

template <typename T, bool kDirect>
RowAccess<T, kDirect> access_of(const Rows& r) {
  return {r.in_step * static_cast<int32_t>(dtype_bytes(r.in_dtype)),
          r.out_step * static_cast<int32_t>(dtype_bytes(r.out_dtype)), r.in_dtype, r.out_dtype};
}

template <typename T, bool kDirect>
void softmax_rows(const Rows& r, bool log) {
  const RowAccess<T, kDirect> row = access_of<T, kDirect>(r);
  Cursor c{{r.out, const_cast<uint8_t*>(r.in)}};
  do {
    T largest = row.get(c.at[1], 0);
    for (uint32_t i = 1; i < r.count; ++i) {
      const T x = row.get(c.at[1], i);
      if (x > largest || x != x) largest = x;
    }
    T sum = 0;
    for (uint32_t i = 0; i < r.count; ++i) {
      const T e = std::exp(row.get(c.at[1], i) - largest);
      sum += e;
      if (kDirect && !log) row.put(c.at[0], i, e);
    }
    if (log) {
      const T offset = std::log(sum);
      for (uint32_t i = 0; i < r.count; ++i) row.put(c.at[0], i, row.get(c.at[1], i) - largest - offset);
      continue;
    }
    const T scale = 1 / sum;
    for (uint32_t i = 0; i < r.count; ++i) {
      if constexpr (kDirect) {
        *reinterpret_cast<T*>(c.at[0] + static_cast<int32_t>(i) * row.out_step) *= scale;
      } else {
        // What a narrower type would have rounded is computed again rather than read back.
        row.put(c.at[0], i, std::exp(row.get(c.at[1], i) - largest) * scale);
      }
    }
  } while (advance(r.walk, c));
}

}  // namespace

#define WICK_REDUCE_LOOPS(F) \
  { F::run<float>, F::run<double>, F::run<int64_t> }
const ReduceLoops kSum = WICK_REDUCE_LOOPS(Sum);
const ReduceLoops kProd = WICK_REDUCE_LOOPS(Prod);
const ReduceLoops kSquares = {Squares::run<float>, Squares::run<double>, nullptr};
const ReduceLoops kMax = WICK_REDUCE_LOOPS(Extreme<true>);
const ReduceLoops kMin = WICK_REDUCE_LOOPS(Extreme<false>);
const ReduceLoops kAny = WICK_REDUCE_LOOPS(Any);
#undef WICK_REDUCE_LOOPS

template <typename T>
void reduce(const Reduce<T>& r) {
  Cursor c{{r.in, r.values, r.indices}};
  do {
    Accumulator<T> acc = {r.init, T(0), 0, 0};
    accumulate(r, r.loop, c.at[0], acc);
    if (r.second != nullptr) {
      acc = {T(0), acc.value / r.mean_of, 0, 0};
      accumulate(r, r.second, c.at[0], acc);
    }
    if (r.values != nullptr) store_one(r.out_dtype, c.at[1], r.divide ? acc.value / r.divisor : acc.value);
    if (r.indices != nullptr) {
      const int64_t best = acc.best;
      std::memcpy(c.at[2], &best, sizeof(best));
    }
  } while (advance(r.outer, c));
}
template void reduce(const Reduce<float>&);
template void reduce(const Reduce<double>&);
template void reduce(const Reduce<int64_t>&);

template <typename T>
void softmax(const Rows& r, bool log) {
  if (r.in_dtype == kNative<T> && r.out_dtype == kNative<T>) {
    softmax_rows<T, true>(r, log);
  } else {
    softmax_rows<T, false>(r, log);
  }
}
template void softmax<float>(const Rows&, bool);
template void softmax<double>(const Rows&, bool);

template <typename T>
void cumsum(const Rows& r) {
  const RowAccess<T, false> row = access_of<T, false>(r);
  Cursor c{{r.out, const_cast<uint8_t*>(r.in)}};
  do {
    T sum = 0;
    for (uint32_t i = 0; i < r.count; ++i) {
      sum = plus(sum, row.get(c.at[1], i));
      row.put(c.at[0], i, sum);
    }
  } while (advance(r.walk, c));
}
template void cumsum<float>(const Rows&);
template void cumsum<double>(const Rows&);
template void cumsum<int64_t>(const Rows&);

template <typename T>
void topk(const TopK& t, void* scratch) {
  T* values = static_cast<T*>(scratch);
  uint32_t* indices = reinterpret_cast<uint32_t*>(values + t.k);
  const int32_t bytes = static_cast<int32_t>(dtype_bytes(t.dtype));
  const auto before = [&](T a, T b) {
    if (t.largest) return a > b || (a != a && b == b);
    return a < b || (b != b && a == a);
  };
  Cursor c{{t.values, t.indices, t.in}};
  do {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t.count && t.k > 0; ++i) {
      const T x = load_one<T>(t.dtype, c.at[2] + static_cast<int32_t>(i) * t.in_step * bytes);
      if (kept == t.k && !before(x, values[kept - 1])) continue;
      uint32_t at = kept < t.k ? kept++ : kept - 1;
      for (; at > 0 && before(x, values[at - 1]); --at) {
        values[at] = values[at - 1];
        indices[at] = indices[at - 1];
      }
      values[at] = x;
      indices[at] = i;
    }
    for (uint32_t i = 0; i < kept; ++i) {
      store_one(t.dtype, c.at[0] + static_cast<int32_t>(i) * t.values_step * bytes, values[i]);
      const int64_t index = indices[i];
      std::memcpy(c.at[1] + static_cast<int32_t>(i) * t.indices_step * 8, &index, sizeof(index));
    }
  } while (advance(t.walk, c));
}
template void topk<float>(const TopK&, void*);
template void topk<double>(const TopK&, void*);
template void topk<int64_t>(const TopK&, void*);

}  // namespace wick::kernels
