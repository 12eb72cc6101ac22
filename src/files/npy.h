// NumPy's .npy files and raw little-endian bytes, to and from Array. Knows the file format (versions 1 to 3) and
// the element types of core/dtype.h; refuses what would have to be converted on the way: Fortran order, big-endian
// numbers, other types. Arrays are C-contiguous in logical order here. Throws Failure naming the file.
#pragma once

#include <filesystem>

#include "files/array.h"
#include "files/files.h"

namespace wick::files {

// True when the bytes start like a .npy file.
bool is_npy(const Bytes& bytes);
// `name` is for messages.
Array parse_npy(const Bytes& bytes, const std::string& name);
Bytes format_npy(const Array& array);

Array read_npy(const std::filesystem::path& path);
void write_npy(const std::filesystem::path& path, const Array& array);

// Reads either: a .npy file as it is; anything else as raw elements of `dtype` and `sizes`, whose bytes must match.
Array read_array(const std::filesystem::path& path, DType dtype, const std::vector<int32_t>& sizes);

}  // namespace wick::files
