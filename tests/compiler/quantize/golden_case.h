// A golden case as quantization wants it: the float model, its calibration samples and its test samples.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compiler/import_pt2.h"
#include "files/npy.h"
#include "files/samples.h"

namespace wick::compiler {

using Samples = std::vector<std::vector<files::Array>>;

// Not all selections of the goldens hold them.
inline bool has_model_and_samples(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / "float.pt2") && std::filesystem::exists(folder / "calib.npz");
}

struct GoldenCase {
  std::filesystem::path folder;
  Graph graph;
  Samples calibration, inputs;

  explicit GoldenCase(std::filesystem::path at) : folder(std::move(at)), graph(import_pt2(folder / "float.pt2")) {
    std::vector<files::InputType> types;
    for (const Value* input : graph.inputs()) {
      types.push_back({input->name, input->type.dtype, {input->type.sizes.begin(), input->type.sizes.end()}});
    }
    const auto samples = folder / "calib.npz";
    if (std::filesystem::exists(samples)) calibration = files::read_samples(samples, types);
    for (int sample = 0; std::filesystem::exists(file("in", sample, 0)); ++sample) {
      inputs.emplace_back();
      for (size_t i = 0; i < types.size(); ++i) inputs.back().push_back(files::read_npy(file("in", sample, i)));
    }
  }
  std::filesystem::path file(const std::string& what, int sample, size_t index) const {
    return folder / (what + "_" + std::to_string(sample) + "_" + std::to_string(index) + ".npy");
  }
};

}  // namespace wick::compiler
