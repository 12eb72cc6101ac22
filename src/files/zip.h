// Reading zip archives, compressed or not, through libzip. Throws Failure naming the archive and the entry.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "files/files.h"

struct zip;

namespace wick::files {

class ZipReader {
 public:
  explicit ZipReader(const std::filesystem::path& path);
  // An archive that lies in memory; `name` is for messages. The bytes must outlive the reader.
  ZipReader(const Bytes& bytes, const std::string& name);

  // Names of the entries, in the archive's order; folders are left out.
  const std::vector<std::string>& entries() const { return entries_; }
  bool has(const std::string& entry) const;
  Bytes read(const std::string& entry) const;

 private:
  struct Close {
    void operator()(zip* archive) const;
  };
  void list();

  std::string name_;
  std::unique_ptr<zip, Close> archive_;
  std::vector<std::string> entries_;
};

}  // namespace wick::files
