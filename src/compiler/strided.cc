#include "compiler/strided.h"

#include <cstring>

#include "files/failure.h"

namespace wick::compiler {

namespace {

// Index of the last element that the view reaches, or -1 where the view is empty; fails where it is out of reach.
int64_t last_index(const StridedTensor& tensor, const std::string& name) {
  constexpr int64_t kMost = int64_t{1} << 40;
  if (tensor.strides.size() != tensor.sizes.size()) files::fail(name, ": has other strides than sizes");
  int64_t last = tensor.offset;
  if (last < 0 || last > kMost) files::fail(name, ": storage offset ", tensor.offset, " is impossible");
  for (size_t i = 0; i < tensor.sizes.size(); ++i) {
    const int64_t size = tensor.sizes[i], stride = tensor.strides[i];
    if (size < 0 || size > INT32_MAX || stride < 0 || stride > kMost) {
      files::fail(name, ": size ", size, " with stride ", stride, " is impossible");
    }
    if (size == 0) return -1;
    if (size > 1 && stride > kMost / (size - 1)) files::fail(name, ": reaches too far");
    last += (size - 1) * stride;
    if (last > kMost) files::fail(name, ": reaches too far");
  }
  return last;
}

void copy_out(const uint8_t* from, const StridedTensor& tensor, size_t dim, size_t width, uint8_t*& to) {
  if (dim == tensor.sizes.size()) {
    std::memcpy(to, from, width);
    to += width;
    return;
  }
  const auto step = static_cast<ptrdiff_t>(tensor.strides[dim]) * static_cast<ptrdiff_t>(width);
  if (dim + 1 == tensor.sizes.size() && tensor.strides[dim] == 1) {
    const size_t bytes = static_cast<size_t>(tensor.sizes[dim]) * width;
    std::memcpy(to, from, bytes);
    to += bytes;
    return;
  }
  for (int64_t i = 0; i < tensor.sizes[dim]; ++i) copy_out(from + i * step, tensor, dim + 1, width, to);
}

}  // namespace

files::Array dense(const files::Bytes& storage, const StridedTensor& tensor, const std::string& name) {
  if (tensor.sizes.size() > 16) files::fail(name, ": has ", tensor.sizes.size(), " dimensions");
  const int64_t last = last_index(tensor, name);
  const size_t width = dtype_bytes(tensor.dtype);
  files::Array array;
  array.dtype = tensor.dtype;
  array.sizes.assign(tensor.sizes.begin(), tensor.sizes.end());
  const auto bytes = files::array_bytes(array.dtype, array.sizes);
  constexpr uint64_t kMostBytes = uint64_t{1} << 31;
  if (!bytes || *bytes > kMostBytes) files::fail(name, ": is too large");
  if (last < 0 || storage.empty()) {
    array.bytes.resize(*bytes);
    return array;
  }
  if (static_cast<uint64_t>(last) >= storage.size() / width) {
    files::fail(name, ": needs ", (static_cast<uint64_t>(last) + 1) * width, " bytes, but the archive has ",
                storage.size());
  }
  array.bytes.resize(*bytes);
  uint8_t* to = array.bytes.data();
  copy_out(storage.data() + static_cast<size_t>(tensor.offset) * width, tensor, 0, width, to);
  return array;
}

}  // namespace wick::compiler
