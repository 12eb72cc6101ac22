// Whole files in and out. A file is written beside its place and then moved there, so that nobody ever sees half of it.
// Throws Failure with the path and the system's reason.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace wick::files {

using Bytes = std::vector<uint8_t>;

Bytes read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const void* data, size_t bytes);
void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace wick::files
