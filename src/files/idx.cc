// zlib reads gzip and plain files alike.
#include "files/idx.h"

#include <zlib.h>

#include <memory>

#include "files/array.h"
#include "files/failure.h"

namespace wick::files {

namespace {

struct Close {
  void operator()(gzFile file) const { gzclose(file); }
};

uint32_t big_endian(const uint8_t* p) {
  return static_cast<uint32_t>(p[0]) << 24 | static_cast<uint32_t>(p[1]) << 16 | static_cast<uint32_t>(p[2]) << 8 |
         p[3];
}

}  // namespace

Array read_idx(const std::filesystem::path& path) {
  const std::unique_ptr<gzFile_s, Close> file(gzopen(path.c_str(), "rb"));
  if (!file) fail(path.string(), ": cannot be read");
  const auto read = [&](uint8_t* to, size_t bytes) {
    if (gzread(file.get(), to, static_cast<unsigned>(bytes)) != static_cast<int>(bytes)) {
      fail(path.string(), ": ends too early, or its compression is damaged");
    }
  };
  uint8_t header[4];
  read(header, 4);
  if (header[0] != 0 || header[1] != 0) fail(path.string(), ": is not an IDX file");
  if (header[2] != 8)
    fail(path.string(), ": holds IDX elements of type ", int{header[2]}, "; unsigned bytes (8) are known");
  Array array{DType::kUInt8, {}, {}};
  for (uint8_t i = 0; i < header[3]; ++i) {
    uint8_t size[4];
    read(size, 4);
    array.sizes.push_back(static_cast<int32_t>(big_endian(size)));
  }
  const std::optional<uint64_t> bytes = array_bytes(array.dtype, array.sizes);
  if (!bytes || *bytes > (uint64_t{1} << 30)) fail(path.string(), ": an IDX file of impossible size");
  array.bytes.resize(static_cast<size_t>(*bytes));
  read(array.bytes.data(), array.bytes.size());
  return array;
}

}  // namespace wick::files
