// Values of a call: checks with the user's words, and layout.
#include "host/call_values.h"

#include <charconv>
#include <cstring>
#include <filesystem>

#include "files/failure.h"
#include "files/npy.h"

namespace wick::host {

namespace {

using Kind = ValueInfo::Kind;

template <typename T>
Array scalar_array(DType dtype, T value) {
  Array array{dtype, {}, std::vector<uint8_t>(sizeof(T))};
  std::memcpy(array.bytes.data(), &value, sizeof(T));
  return array;
}

std::string place(const MethodInfo& method, size_t input) { return text("input ", input, " of method ", method.name); }

std::string order_text(const std::vector<uint8_t>& dim_order) {
  std::string out = "(";
  for (const uint8_t dim : dim_order) out += (out.size() > 1 ? ", " : "") + std::to_string(dim);
  return out + ")";
}

// The one element of an array as a scalar of the kind that the method takes.
HostValue scalar_from(const ValueInfo& want, const Array& array, const std::string& where, const std::string& source) {
  if (element_count(array) != 1) {
    fail(where, ": ", source, " holds ", describe(array), ", but it takes one ", describe(want));
  }
  const double value = element(array, 0);
  if (want.kind == Kind::kDouble) return value;
  if (want.kind == Kind::kBool) return value != 0;
  const int64_t integer = static_cast<int64_t>(value);
  if (static_cast<double>(integer) != value) {
    fail(where, ": ", source, " holds ", value, ", but it takes an integer");
  }
  return integer;
}

HostValue scalar_from_text(const ValueInfo& want, const std::string& literal, const std::string& where) {
  const char *begin = literal.data(), *end = begin + literal.size();
  if (want.kind == Kind::kBool && (literal == "true" || literal == "false")) return literal == "true";
  if (want.kind == Kind::kString) return literal;
  if (want.kind == Kind::kInt) {
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error == std::errc() && stop == end) return value;
  } else if (want.kind == Kind::kDouble) {
    double value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error == std::errc() && stop == end) return value;
  }
  fail(where, " takes ", describe(want), ", but '", literal, "' is neither that nor a file");
}

}  // namespace

std::string describe(const ValueInfo& value) {
  switch (value.kind) {
    case Kind::kNone:
      return "nothing";
    case Kind::kInt:
      return "an integer";
    case Kind::kBool:
      return "a bool (true or false)";
    case Kind::kDouble:
      return "a number";
    case Kind::kString:
      return "a string";
    case Kind::kList:
      return "a list";
    case Kind::kTensor:
      return describe(value.dtype, value.sizes) + (value.dynamic ? " at most" : "");
  }
  return "unknown";
}

HostValue to_machine(const MethodInfo& method, size_t input, HostValue value, const std::string& source,
                     std::vector<std::string>* notes) {
  const ValueInfo& want = method.input(input);
  const std::string where = place(method, input);
  Array* array = std::get_if<Array>(&value);
  if (want.kind != Kind::kTensor) {
    return array != nullptr ? scalar_from(want, *array, where, source) : value;
  }
  if (array == nullptr) fail(where, " takes ", describe(want), ", but ", source, " is a scalar");
  if (array->dtype != want.dtype) {
    fail(where, " takes ", describe(want), ", but ", source, " holds ", describe(*array), "; save it as ",
         dtype_name(want.dtype));
  }
  const bool fits = want.dynamic ? array->sizes.size() == want.sizes.size() : array->sizes == want.sizes;
  if (!fits) fail(where, " takes ", describe(want), ", but ", source, " holds ", describe(*array));
  if (is_permuted(array->sizes, want.dim_order)) {
    *array = to_memory_order(*array, want.dim_order);
    notes->push_back(
        text(where, ": brought from logical order to the program's dim_order ", order_text(want.dim_order)));
  }
  return value;
}

HostValue read_input(const MethodInfo& method, size_t input, const std::string& source,
                     std::vector<std::string>* notes) {
  const ValueInfo& want = method.input(input);
  if (want.kind != Kind::kTensor && !std::filesystem::exists(source)) {
    return scalar_from_text(want, source, place(method, input));
  }
  return to_machine(method, input, read_array(source, want.dtype, want.sizes), source, notes);
}

Array as_array(const HostValue& value) {
  if (const auto* array = std::get_if<Array>(&value)) return *array;
  if (const auto* integer = std::get_if<int64_t>(&value)) return scalar_array(DType::kInt64, *integer);
  if (const auto* number = std::get_if<double>(&value)) return scalar_array(DType::kFloat64, *number);
  if (const auto* boolean = std::get_if<bool>(&value)) return scalar_array(DType::kBool, *boolean);
  const std::string& s = std::get<std::string>(value);
  return Array{DType::kUInt8, {static_cast<int32_t>(s.size())}, {s.begin(), s.end()}};
}

Array from_machine(const MethodInfo& method, size_t output, const HostValue& value, std::vector<std::string>* notes) {
  Array array = as_array(value);
  const ValueInfo& info = method.output(output);
  if (info.kind != Kind::kTensor || info.dim_order.size() != array.sizes.size() ||
      !is_permuted(array.sizes, info.dim_order)) {
    return array;
  }
  notes->push_back(text("output ", output, " of method ", method.name, ": brought from the program's dim_order ",
                        order_text(info.dim_order), " to logical order"));
  return to_logical_order(array, info.dim_order);
}

Array expectation_like(const MethodInfo& method, size_t output, const Array& expected, const Array& like) {
  const ValueInfo& info = method.output(output);
  if (info.kind == Kind::kTensor || info.kind == Kind::kString || element_count(expected) != 1) return expected;
  Array array = like;
  const double value = element(expected, 0);
  if (like.dtype == DType::kFloat64) {
    std::memcpy(array.bytes.data(), &value, sizeof(value));
  } else if (like.dtype == DType::kInt64) {
    const int64_t integer = static_cast<int64_t>(value);
    std::memcpy(array.bytes.data(), &integer, sizeof(integer));
  } else {
    array.bytes[0] = value != 0;
  }
  return array;
}

}  // namespace wick::host
