// Samples of a model's inputs, as calibration and comparison want them, from the files that people have:
//   .npz    arrays named SAMPLE_INPUT ("0_0", "0_1", "1_0", ...), or one array per input with a leading sample axis
//           (named like the inputs, or in order)
//   folder  of .npy files: one per sample, or named SAMPLE_INPUT.npy
//   .npy    one array with a leading sample axis, or one sample
//   IDX     unsigned bytes (MNIST), scaled to 0..1 for float inputs
// Throws Failure naming file, array, what was expected and found.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "files/array.h"

namespace wick::files {

// What a model takes.
struct InputType {
  std::string name;
  DType dtype = DType::kFloat32;
  std::vector<int32_t> sizes;  // logical
};

// [sample][input], each of its input's dtype and sizes. At most `limit` samples (0: all).
std::vector<std::vector<Array>> read_samples(const std::filesystem::path& path, std::span<const InputType> inputs,
                                             size_t limit = 0);

// Class numbers: an IDX or .npy file of integers, or text with one number a line.
std::vector<int64_t> read_labels(const std::filesystem::path& path);

}  // namespace wick::files
