// A program of one operator, run on arrays of any dtype and dim_order. Arrays hold their values in logical order, as
// doubles, so that a test's definition needs to know neither.
#pragma once

#include <doctest.h>

#include <string>
#include <vector>

#include "kernels/element.h"
#include "runtime/method.h"
#include "support/program_builder.h"
#include "support/random.h"

namespace wick::test {

struct Array {
  DType dtype = DType::kFloat32;
  std::vector<int32_t> sizes;
  std::vector<uint8_t> order;  // empty: contiguous
  std::vector<double> values;

  size_t numel() const {
    size_t n = 1;
    for (int32_t s : sizes) n *= static_cast<size_t>(s);
    return n;
  }
  // The element's place in logical order.
  size_t at(const std::vector<int32_t>& index) const {
    size_t place = 0;
    for (size_t i = 0; i < sizes.size(); ++i)
      place = place * static_cast<size_t>(sizes[i]) + static_cast<size_t>(index[i]);
    return place;
  }
  double operator()(const std::vector<int32_t>& index) const { return values[at(index)]; }
};

// Calls fn(index) for every index below `sizes`, in logical order.
template <typename Fn>
void for_each_index(const std::vector<int32_t>& sizes, Fn fn) {
  std::vector<int32_t> index(sizes.size(), 0);
  for (int32_t s : sizes) {
    if (s == 0) return;
  }
  for (;;) {
    fn(const_cast<const std::vector<int32_t>&>(index));
    size_t d = sizes.size();
    for (;;) {
      if (d == 0) return;
      --d;
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
  }
}

inline std::vector<uint8_t> random_order(Random& random, size_t rank) {
  std::vector<uint8_t> order(rank);
  for (size_t i = 0; i < rank; ++i) order[i] = static_cast<uint8_t>(i);
  for (size_t i = rank; i > 1; --i)
    std::swap(order[i - 1], order[static_cast<size_t>(random.in(0, static_cast<int32_t>(i) - 1))]);
  return order;
}

inline Array random_array(Random& random, DType dtype, const std::vector<int32_t>& sizes, int32_t low, int32_t high) {
  Array a{dtype, sizes, random_order(random, sizes.size()), {}};
  for (size_t i = 0; i < a.numel(); ++i) a.values.push_back(random.in(low, high));
  return a;
}

// Bytes at the offsets that strides of dim_order say.
inline void transfer(Array& a, uint8_t* bytes, bool store) {
  Tensor t;
  t.sizes = a.sizes.data();
  t.dim_order = a.order.data();
  t.rank = static_cast<uint8_t>(a.sizes.size());
  int32_t strides[kMaxRank];
  strides_of(t, strides);
  a.values.resize(a.numel());
  size_t place = 0;
  for_each_index(a.sizes, [&](const std::vector<int32_t>& index) {
    int32_t offset = 0;
    for (size_t i = 0; i < index.size(); ++i) offset += index[i] * strides[i];
    double& value = a.values[place++];
    if (kernels::is_floating(a.dtype)) {
      if (store)
        kernels::store_f64(bytes, a.dtype, offset, value);
      else
        value = kernels::load_f64(bytes, a.dtype, offset);
    } else {
      if (store)
        kernels::store_i64(bytes, a.dtype, offset, static_cast<int64_t>(value));
      else
        value = static_cast<double>(kernels::load_i64(bytes, a.dtype, offset));
    }
  });
}

class OneOp {
 public:
  ProgramBuilder builder;

  int32_t input(const Array& array) {
    const int32_t value = add(array);
    inputs_.push_back(arrays_.back());
    input_values_.push_back(value);
    return value;
  }
  int32_t output(DType dtype, const std::vector<int32_t>& sizes, const std::vector<uint8_t>& order = {}) {
    const int32_t value = add({dtype, sizes, order, {}});
    outputs.push_back(arrays_.back());
    output_values_.push_back(value);
    return value;
  }

  // The outputs' values are then in `outputs`. The text of an error is in `error`.
  Status run(const char* name, const char* overload, const std::vector<int32_t>& args) {
    return run_repeating(name, overload, args, args.back());
  }
  // For operators of several outputs: what the file repeats as the return value.
  Status run_repeating(const char* name, const char* overload, std::vector<int32_t> args, int32_t returned) {
    args.push_back(returned);
    builder.plan_memory({planned_ + 16});
    builder.inputs(input_values_);
    builder.outputs(output_values_);
    builder.call(name, overload, args, false);
    const AlignedBytes file = builder.finish();
    char text[512] = {};
    ErrorText errors(text, sizeof(text));
    const Status status = run_file(file, errors);
    error = text;
    return status;
  }

  std::vector<Array> outputs;
  std::string error;

 private:
  int32_t add(Array array) {
    if (array.order.empty()) {
      for (size_t i = 0; i < array.sizes.size(); ++i) array.order.push_back(static_cast<uint8_t>(i));
    }
    const int32_t value = builder.tensor({.dtype = array.dtype,
                                          .sizes = array.sizes,
                                          .dim_order = array.order,
                                          .planned_at = static_cast<int32_t>(planned_)});
    planned_ += static_cast<int64_t>((array.numel() * dtype_bytes(array.dtype) + 31) / 16 * 16);
    arrays_.push_back(array);
    return value;
  }

  Status run_file(const AlignedBytes& file, ErrorText& errors) {
    Program program;
    Method method;
    MethodMemory memory;
    WICK_TRY(program.load(file.data(), file.size(), errors));
    WICK_TRY(Method::measure(program, "forward", kAllOps, &memory, errors));
    AlignedBytes bytes(memory.arena_bytes());
    Arena arena(bytes.data(), bytes.size());
    WICK_TRY(method.prepare(program, "forward", kAllOps, arena, errors));
    for (uint32_t i = 0; i < inputs_.size(); ++i) {
      AlignedBytes data(inputs_[i].numel() * dtype_bytes(inputs_[i].dtype));
      transfer(inputs_[i], data.data(), true);
      WICK_TRY(method.set_input(i, data.data(), data.size(), errors));
    }
    WICK_TRY(method.execute(errors));
    for (uint32_t i = 0; i < outputs.size(); ++i) {
      transfer(outputs[i], method.output(i).tensor.as<uint8_t>(), false);
    }
    return {};
  }

  std::vector<Array> arrays_, inputs_;
  std::vector<int32_t> input_values_, output_values_;
  int64_t planned_ = 0;
};

}  // namespace wick::test
