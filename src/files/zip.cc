#include "files/zip.h"

#include <zip.h>

#include <algorithm>

#include "files/failure.h"

namespace wick::files {

namespace {

// An archive may claim any size; no model that a microcontroller runs comes near this.
constexpr uint64_t kMostEntryBytes = uint64_t{1} << 31;

std::string reason(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string words = zip_error_strerror(&error);
  zip_error_fini(&error);
  return words;
}

}  // namespace

void ZipReader::Close::operator()(zip* archive) const { zip_discard(archive); }

ZipReader::ZipReader(const std::filesystem::path& path) : name_(path.string()) {
  int code = 0;
  archive_.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!archive_) fail(name_, ": is not a zip archive that can be read: ", reason(code));
  list();
}

ZipReader::ZipReader(const Bytes& bytes, const std::string& name) : name_(name) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source != nullptr) archive_.reset(zip_open_from_source(source, ZIP_RDONLY, &error));
  if (!archive_) {
    const std::string words = zip_error_strerror(&error);
    if (source != nullptr) zip_source_free(source);
    zip_error_fini(&error);
    fail(name_, ": is not a zip archive that can be read: ", words);
  }
  zip_error_fini(&error);
  list();
}

void ZipReader::list() {
  const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* entry = zip_get_name(archive_.get(), static_cast<zip_uint64_t>(i), 0);
    if (entry == nullptr || *entry == 0) continue;
    if (std::string_view(entry).back() != '/') entries_.emplace_back(entry);
  }
}

bool ZipReader::has(const std::string& entry) const {
  return std::find(entries_.begin(), entries_.end(), entry) != entries_.end();
}

Bytes ZipReader::read(const std::string& entry) const {
  zip_stat_t stat;
  if (zip_stat(archive_.get(), entry.c_str(), 0, &stat) != 0) fail(name_, ": has no entry ", entry);
  if ((stat.valid & ZIP_STAT_SIZE) == 0 || stat.size > kMostEntryBytes) {
    fail(name_, ": entry ", entry, " has an impossible size");
  }
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen(archive_.get(), entry.c_str(), 0), zip_fclose);
  if (!file) fail(name_, ": entry ", entry, " cannot be read: ", zip_strerror(archive_.get()));
  // Grown as it is read: the size that the archive claims may be far from what is there.
  Bytes bytes;
  constexpr size_t kStep = size_t{1} << 20;
  while (bytes.size() < stat.size) {
    const size_t had = bytes.size();
    bytes.resize(static_cast<size_t>(std::min<uint64_t>(stat.size, had + kStep)));
    const zip_int64_t got = zip_fread(file.get(), bytes.data() + had, bytes.size() - had);
    if (got <= 0) fail(name_, ": entry ", entry, " is damaged");
    bytes.resize(had + static_cast<size_t>(got));
  }
  return bytes;
}

}  // namespace wick::files
