// Whole files in and out, with the C library's streams because they tell the reason of a failure.
#include "files/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "files/failure.h"

namespace wick::files {

namespace fs = std::filesystem;

namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

}  // namespace

Bytes read_file(const fs::path& path) {
  if (fs::is_directory(path)) fail(path.string(), ": is a folder, not a file");
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) fail(path.string(), ": cannot be read: ", std::strerror(errno));
  Bytes bytes;
  uint8_t block[1 << 16];
  size_t got = 0;
  while ((got = std::fread(block, 1, sizeof(block), file.get())) > 0) bytes.insert(bytes.end(), block, block + got);
  if (std::ferror(file.get())) fail(path.string(), ": cannot be read: ", std::strerror(errno));
  return bytes;
}

void write_file(const fs::path& path, const void* data, size_t bytes) {
  fs::path partial = path;
  partial += ".partial";
  std::string reason;
  {
    File file(std::fopen(partial.c_str(), "wb"));
    if (!file) fail(path.string(), ": cannot be written: ", std::strerror(errno));
    const bool complete = std::fwrite(data, 1, bytes, file.get()) == bytes && std::fflush(file.get()) == 0;
    if (!complete) reason = std::strerror(errno);
  }
  std::error_code error;
  if (reason.empty()) {
    fs::rename(partial, path, error);
    if (!error) return;
    reason = error.message();
  }
  fs::remove(partial, error);
  fail(path.string(), ": cannot be written: ", reason);
}

void write_file(const fs::path& path, std::string_view content) { write_file(path, content.data(), content.size()); }

}  // namespace wick::files
