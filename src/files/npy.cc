// The .npy format: magic, version, header length, a Python dictionary as text, then the elements.
#include "files/npy.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "files/array.h"
#include "files/failure.h"

namespace wick::files {

namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicBytes = 6;

struct Descr {
  DType dtype;
  const char* text;
};
// bfloat16 is no type of NumPy's own; extensions that have it write it as two opaque bytes.
constexpr Descr kDescrs[] = {
    {DType::kUInt8, "|u1"},  {DType::kInt8, "|i1"},     {DType::kInt16, "<i2"},   {DType::kInt32, "<i4"},
    {DType::kInt64, "<i8"},  {DType::kFloat16, "<f2"},  {DType::kFloat32, "<f4"}, {DType::kFloat64, "<f8"},
    {DType::kBool, "|b1"},   {DType::kBFloat16, "|V2"}, {DType::kUInt16, "<u2"},  {DType::kUInt32, "<u4"},
    {DType::kUInt64, "<u8"},
};

// The header's dictionary, read only as far as .npy files use Python's syntax.
class Header {
 public:
  Header(std::string content, const std::string& name) : content_(std::move(content)), name_(name) { parse(); }

  std::string descr;
  bool fortran_order = false;
  std::vector<int32_t> shape;

 private:
  void parse() {
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        if (peek() != '\'' && peek() != '"') fail(name_, ": holds records, not plain numbers");
        descr = quoted();
        has_descr = true;
      } else if (key == "fortran_order") {
        fortran_order = boolean();
        has_order = true;
      } else if (key == "shape") {
        tuple();
        has_shape = true;
      } else {
        fail(name_, ": .npy header has an unknown key '", key, "'");
      }
      accept(',');
    }
    if (!has_descr || !has_order || !has_shape) bad();
  }

  [[noreturn]] void bad() const { fail(name_, ": .npy header is damaged"); }
  char peek() {
    while (at_ < content_.size() && std::isspace(static_cast<unsigned char>(content_[at_]))) ++at_;
    return at_ < content_.size() ? content_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) bad();
  }
  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') bad();
    const size_t end = content_.find(quote, ++at_);
    if (end == std::string::npos) bad();
    const std::string inside = content_.substr(at_, end - at_);
    at_ = end + 1;
    return inside;
  }
  bool boolean() {
    peek();
    for (const bool value : {true, false}) {
      const std::string word = value ? "True" : "False";
      if (content_.compare(at_, word.size(), word) == 0) {
        at_ += word.size();
        return value;
      }
    }
    bad();
  }
  void tuple() {
    expect('(');
    while (!accept(')')) {
      peek();
      int64_t size = 0;
      const size_t start = at_;
      while (at_ < content_.size() && std::isdigit(static_cast<unsigned char>(content_[at_]))) {
        size = size * 10 + (content_[at_++] - '0');
        if (size > INT32_MAX) fail(name_, ": a dimension of the array is larger than ", INT32_MAX);
      }
      if (at_ == start) bad();
      accept('L');
      shape.push_back(static_cast<int32_t>(size));
      accept(',');
    }
  }

  std::string content_;
  const std::string& name_;
  size_t at_ = 0;
};

DType dtype_of(const std::string& descr, const std::string& name) {
  if (descr == "<V2") return DType::kBFloat16;
  for (const Descr& d : kDescrs) {
    // For single bytes any order mark will do.
    const bool one_byte = dtype_bytes(d.dtype) == 1;
    if (descr == d.text || (one_byte && descr.size() == 3 && descr.compare(1, 2, d.text + 1) == 0)) return d.dtype;
    if (descr.size() == 3 && descr[0] == '>' && descr.compare(1, 2, d.text + 1) == 0) {
      fail(name, ": holds big-endian numbers ('", descr, "'); save it with .astype('", d.text, "')");
    }
  }
  fail(name, ": holds elements of NumPy type '", descr, "', which programs cannot use");
}

}  // namespace

bool is_npy(const Bytes& bytes) {
  return bytes.size() >= kMagicBytes && std::memcmp(bytes.data(), kMagic, kMagicBytes) == 0;
}

Array parse_npy(const Bytes& bytes, const std::string& name) {
  if (!is_npy(bytes)) fail(name, ": is not a .npy file");
  if (bytes.size() < 12) fail(name, ": .npy file ends within its header");
  const uint8_t major = bytes[6];
  if (major < 1 || major > 3) fail(name, ": .npy version ", int{major}, " is not known (1 to 3 are)");
  const size_t length_bytes = major == 1 ? 2 : 4;
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) length |= static_cast<size_t>(bytes[8 + i]) << (8 * i);
  const size_t start = 8 + length_bytes;
  if (length > bytes.size() - start) fail(name, ": .npy file ends within its header");

  const char* text_start = reinterpret_cast<const char*>(bytes.data()) + start;
  const Header header(std::string(text_start, length), name);
  if (header.fortran_order) {
    fail(name, ": is in Fortran order; save it with numpy.save(file, numpy.ascontiguousarray(array))");
  }
  Array array;
  array.dtype = dtype_of(header.descr, name);
  array.sizes = header.shape;
  const size_t held = bytes.size() - start - length;
  const std::optional<uint64_t> wanted = array_bytes(array.dtype, array.sizes);
  if (!wanted || *wanted != held) {
    fail(name, ": holds ", held, " bytes of data, but ", describe(array.dtype, array.sizes), " takes ",
         wanted ? std::to_string(*wanted) : "more than any file has");
  }
  array.bytes.assign(bytes.end() - static_cast<std::ptrdiff_t>(held), bytes.end());
  return array;
}

Bytes format_npy(const Array& array) {
  std::string header = "{'descr': '";
  for (const Descr& d : kDescrs) {
    if (d.dtype == array.dtype) header += d.text;
  }
  header += "', 'fortran_order': False, 'shape': (";
  for (const int32_t size : array.sizes) header += std::to_string(size) + ", ";
  // NumPy writes "(3,)" and "(3, 4)".
  if (array.sizes.size() == 1) header.pop_back();
  if (array.sizes.size() > 1) header.resize(header.size() - 2);
  header += "), }";
  constexpr size_t kPrefix = kMagicBytes + 4;
  header.append(63 - (kPrefix + header.size()) % 64, ' ');
  header += '\n';

  Bytes bytes(kPrefix + header.size() + array.bytes.size());
  const uint8_t version_and_length[] = {1, 0, static_cast<uint8_t>(header.size()),
                                        static_cast<uint8_t>(header.size() >> 8)};
  uint8_t* at = std::copy(kMagic, kMagic + kMagicBytes, bytes.data());
  at = std::copy(std::begin(version_and_length), std::end(version_and_length), at);
  at = std::copy(header.begin(), header.end(), at);
  std::copy(array.bytes.begin(), array.bytes.end(), at);
  return bytes;
}

Array read_npy(const std::filesystem::path& path) { return parse_npy(read_file(path), path.string()); }

void write_npy(const std::filesystem::path& path, const Array& array) {
  const Bytes bytes = format_npy(array);
  write_file(path, bytes.data(), bytes.size());
}

Array read_array(const std::filesystem::path& path, DType dtype, const std::vector<int32_t>& sizes) {
  Bytes bytes = read_file(path);
  if (is_npy(bytes) || path.extension() == ".npy") return parse_npy(bytes, path.string());
  const std::optional<uint64_t> wanted = array_bytes(dtype, sizes);
  if (!wanted || bytes.size() != *wanted) {
    fail(path.string(), ": has ", bytes.size(), " bytes, but ", describe(dtype, sizes), " takes ", wanted.value_or(0));
  }
  return Array{dtype, sizes, std::move(bytes)};
}

}  // namespace wick::files
