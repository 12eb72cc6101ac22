// Arrays by value: layout conversion and comparison.
#include "files/array.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "files/failure.h"
#include "kernels/element.h"

namespace wick::files {

std::optional<uint64_t> array_bytes(DType dtype, std::span<const int32_t> sizes) {
  uint64_t bytes = dtype_bytes(dtype);
  for (const int32_t size : sizes) {
    if (size < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes)) return std::nullopt;
  }
  return bytes;
}

std::string describe_sizes(std::span<const int32_t> sizes) {
  std::string out = "[";
  for (const int32_t size : sizes) out += (out.size() > 1 ? ", " : "") + std::to_string(size);
  return out + "]";
}

std::string describe(DType dtype, std::span<const int32_t> sizes) {
  return text(dtype_name(dtype), " ", describe_sizes(sizes));
}

std::string describe(const Array& array) { return describe(array.dtype, array.sizes); }

bool is_permuted(std::span<const int32_t> sizes, std::span<const uint8_t> dim_order) {
  int last = -1;
  for (const uint8_t dim : dim_order) {
    if (sizes[dim] == 1) continue;
    if (dim < last) return true;
    last = dim;
  }
  return false;
}

namespace {

// Copies element by element; `to_memory` says which side is in the order of `dim_order`.
Array reorder(const Array& array, std::span<const uint8_t> dim_order, bool to_memory) {
  if (dim_order.size() != array.sizes.size() || !is_permuted(array.sizes, dim_order)) return array;
  const size_t rank = array.sizes.size();
  std::vector<uint64_t> strides(rank);
  uint64_t step = 1;
  for (size_t i = rank; i-- > 0;) {
    strides[dim_order[i]] = step;
    step *= static_cast<uint64_t>(array.sizes[dim_order[i]]);
  }
  Array out = array;
  const size_t bytes = dtype_bytes(array.dtype);
  std::vector<int32_t> at(rank, 0);
  uint64_t memory = 0;
  for (uint64_t logical = 0; logical < step; ++logical) {
    const uint64_t from = to_memory ? logical : memory;
    const uint64_t to = to_memory ? memory : logical;
    std::memcpy(out.bytes.data() + to * bytes, array.bytes.data() + from * bytes, bytes);
    for (size_t dim = rank; dim-- > 0;) {
      memory += strides[dim];
      if (++at[dim] < array.sizes[dim]) break;
      memory -= strides[dim] * static_cast<uint64_t>(array.sizes[dim]);
      at[dim] = 0;
    }
  }
  return out;
}

std::string position(const Array& array, uint64_t index) {
  std::vector<int32_t> at(array.sizes.size());
  for (size_t dim = at.size(); dim-- > 0;) {
    const uint64_t size = static_cast<uint64_t>(array.sizes[dim]);
    at[dim] = static_cast<int32_t>(index % size);
    index /= size;
  }
  return describe_sizes(at);
}

// One rounding step of a type with few bits is more than what float32 sums differ by.
double default_relative(DType dtype) {
  if (dtype == DType::kFloat16) return 1e-3;
  if (dtype == DType::kBFloat16) return 1e-2;
  return 1e-5;
}

std::string number(double value) {
  std::ostringstream out;
  out.precision(9);
  out << value;
  return out.str();
}

}  // namespace

Array to_memory_order(const Array& array, std::span<const uint8_t> dim_order) {
  return reorder(array, dim_order, true);
}

Array to_logical_order(const Array& array, std::span<const uint8_t> dim_order) {
  return reorder(array, dim_order, false);
}

uint64_t element_count(const Array& array) { return array.bytes.size() / dtype_bytes(array.dtype); }

double element(const Array& array, uint64_t index) {
  const int32_t at = static_cast<int32_t>(index);
  return kernels::is_floating(array.dtype)
             ? kernels::load_f64(array.bytes.data(), array.dtype, at)
             : static_cast<double>(kernels::load_i64(array.bytes.data(), array.dtype, at));
}

void set_element(Array& array, uint64_t index, double value) {
  const int32_t at = static_cast<int32_t>(index);
  if (kernels::is_floating(array.dtype)) {
    kernels::store_f64(array.bytes.data(), array.dtype, at, value);
  } else {
    kernels::store_i64(array.bytes.data(), array.dtype, at, static_cast<int64_t>(value));
  }
}

Array filled(DType dtype, const std::vector<int32_t>& sizes, double value) {
  const auto bytes = array_bytes(dtype, sizes);
  if (!bytes) fail("an array of sizes ", describe_sizes(sizes), " is impossible");
  Array array{dtype, sizes, std::vector<uint8_t>(*bytes)};
  for (uint64_t i = 0; i < element_count(array); ++i) set_element(array, i, value);
  return array;
}

std::string preview(const Array& array, uint64_t count) {
  std::ostringstream out;
  out.precision(6);
  const uint64_t n = element_count(array);
  for (uint64_t i = 0; i < std::min(n, count); ++i) out << (i > 0 ? " " : "") << element(array, i);
  if (n > count) out << " ...";
  return out.str();
}

uint64_t argmax(const Array& array) {
  uint64_t best = 0;
  for (uint64_t i = 1; i < element_count(array); ++i) {
    if (element(array, i) > element(array, best)) best = i;
  }
  return best;
}

Comparison compare(const Array& found, const Array& expected, const Tolerance& tolerance) {
  Comparison result;
  if (found.dtype != expected.dtype || found.sizes != expected.sizes) {
    result.max_abs_error = std::numeric_limits<double>::infinity();
    result.difference = text("is ", describe(found), ", expected ", describe(expected));
    return result;
  }
  const bool exact = !kernels::is_floating(found.dtype) && !tolerance.absolute && !tolerance.relative;
  const bool per_element = tolerance.absolute || tolerance.relative;
  const uint64_t count = element_count(found);
  double largest = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const double want = std::abs(element(expected, i));
    if (std::isfinite(want)) largest = std::max(largest, want);
  }
  uint64_t wrong = 0, first = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const double f = element(found, i), e = element(expected, i);
    if (f == e || (std::isnan(f) && std::isnan(e))) continue;
    const double error =
        std::isfinite(f) && std::isfinite(e) ? std::abs(f - e) : std::numeric_limits<double>::infinity();
    result.max_abs_error = std::max(result.max_abs_error, error);
    double allowed = exact ? 0 : largest * default_relative(found.dtype);
    if (per_element) allowed = tolerance.absolute.value_or(0) + tolerance.relative.value_or(0) * std::abs(e);
    if (!(error <= allowed)) {
      if (wrong++ == 0) first = i;
    }
  }
  // 64-bit integers that differ may be the same double: equality is a matter of bytes.
  if (exact && wrong == 0 && found.bytes != expected.bytes) {
    const size_t bytes = dtype_bytes(found.dtype);
    const auto at = std::mismatch(found.bytes.begin(), found.bytes.end(), expected.bytes.begin()).first;
    first = static_cast<uint64_t>(at - found.bytes.begin()) / bytes;
    wrong = 1;
  }
  result.matches = wrong == 0;
  if (wrong > 0) {
    result.difference = text(wrong, " of ", count, " elements differ, the first at ", position(found, first), ": ",
                             number(element(found, first)), ", expected ", number(element(expected, first)),
                             "; largest error ", number(result.max_abs_error));
  }
  return result;
}

}  // namespace wick::files
