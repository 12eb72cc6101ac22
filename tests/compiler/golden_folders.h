// Where the goldens' cases lie: beside the project, in tests/data, or where WICK_GOLDENS says.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace wick::compiler {

// Folders of the cases of one release, sorted. Empty, and said so, where they are absent.
inline std::vector<std::filesystem::path> golden_folders(const std::string& release) {
  const char* said = std::getenv("WICK_GOLDENS");
  const std::filesystem::path root(said != nullptr ? said : WICK_GOLDENS_FOUND);
  std::vector<std::filesystem::path> folders;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(root / "generated" / release, ignored)) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  if (folders.empty()) std::cout << "skipped: no goldens of " << release << " below " << root << '\n';
  return folders;
}

}  // namespace wick::compiler
