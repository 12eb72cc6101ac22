// IDX files, as MNIST comes in: unsigned bytes with a shape in front, gzipped or not. Throws Failure naming the file.
#pragma once

#include <filesystem>

#include "files/array.h"

namespace wick::files {

Array read_idx(const std::filesystem::path& path);

}  // namespace wick::files
