// What host code does with arrays by value: their bytes, their text, other memory orders, and how far one is from
// another. Knows nothing of files or programs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/dtype.h"

namespace wick::files {

// A tensor by value. `bytes` are C-contiguous in logical order unless somebody says which dim_order they follow.
struct Array {
  DType dtype = DType::kFloat32;
  std::vector<int32_t> sizes;  // logical
  std::vector<uint8_t> bytes;
};

// Bytes of a dense array; nothing when that overflows or a size is negative.
std::optional<uint64_t> array_bytes(DType dtype, std::span<const int32_t> sizes);
// "float32 [1, 28, 28]"
std::string describe(DType dtype, std::span<const int32_t> sizes);
std::string describe(const Array& array);
std::string describe_sizes(std::span<const int32_t> sizes);

// True when memory order and logical order differ for these sizes.
bool is_permuted(std::span<const int32_t> sizes, std::span<const uint8_t> dim_order);
// Logical (C-contiguous) order to the memory order of `dim_order`, and back.
Array to_memory_order(const Array& array, std::span<const uint8_t> dim_order);
Array to_logical_order(const Array& array, std::span<const uint8_t> dim_order);

uint64_t element_count(const Array& array);
double element(const Array& array, uint64_t index);
// Rounded to the array's dtype.
void set_element(Array& array, uint64_t index, double value);
// All elements the same.
Array filled(DType dtype, const std::vector<int32_t>& sizes, double value);
// "0.5 1 -3 ..." at most `count` elements.
std::string preview(const Array& array, uint64_t count);
// Index of the largest element; 0 for an empty array.
uint64_t argmax(const Array& array);

// How near an output must be. Without `absolute` and `relative`: integers equal, floating-point numbers within a
// step of their type (float32: 1e-5) relative to the largest magnitude that is expected.
struct Tolerance {
  std::optional<double> absolute, relative;
};

struct Comparison {
  bool matches = false;
  double max_abs_error = 0;  // infinite when a NaN or an infinity is not where it should be
  std::string difference;    // what does not match, as text
};
Comparison compare(const Array& found, const Array& expected, const Tolerance& tolerance);

}  // namespace wick::files
