#include <doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "compiler/compile.h"
#include "compiler/evaluate.h"
#include "compiler/golden_folders.h"
#include "files/failure.h"
#include "files/npy.h"

namespace wick::compiler {
namespace {

using files::Array;

std::filesystem::path numbered(const std::filesystem::path& folder, const std::string& what, size_t i, size_t k) {
  return folder / (what + "_" + std::to_string(i) + "_" + std::to_string(k) + ".npy");
}

// What is wrong with the outputs of all samples; empty for nothing.
std::string judged(const Graph& graph, const std::filesystem::path& folder) {
  const nlohmann::json facts = nlohmann::json::parse(std::ifstream(folder / "case.json"));
  const auto noted = facts.find("float_pte_max_abs_error");
  const double absolute = noted != facts.end() && noted->is_number() ? noted->get<double>() : 0;
  Evaluator run(graph, graph.outputs());
  size_t samples = 0;
  for (; std::filesystem::exists(numbered(folder, "float", samples, 0)); ++samples) {
    std::vector<Array> inputs;
    for (size_t k = 0; k < graph.inputs().size(); ++k) {
      inputs.push_back(files::read_npy(numbered(folder, "in", samples, k)));
    }
    const std::vector<Array> found = run(inputs);
    for (size_t k = 0; k < found.size(); ++k) {
      const Array expected = files::read_npy(numbered(folder, "float", samples, k));
      const files::Comparison comparison = files::compare(found[k], expected, {});
      if (comparison.matches) continue;
      if (!(comparison.max_abs_error <= absolute)) return comparison.difference;
    }
  }
  return samples > 0 ? "" : "there are no samples";
}

TEST_CASE("Compiler makes a float program of every golden that gives PyTorch's outputs") {
  for (const char* file : {"float.pt2", "float.onnx"}) {
    size_t right = 0, all = 0;
    for (const auto& folder : golden_folders("et-1.4.1")) {
      if (!std::filesystem::exists(folder / file)) continue;
      ++all;
      std::string wrong;
      try {
        wrong = judged(compile(folder / file, {}).graph, folder);
      } catch (const files::Failure& failure) {
        wrong = failure.what();
      }
      if (!wrong.empty()) std::cout << folder.filename() << ' ' << file << ": " << wrong << '\n';
      right += wrong.empty() ? 1 : 0;
    }
    std::cout << "float programs: " << right << " of " << all << ' ' << file << '\n';
    CHECK(right == all);
  }
}

}  // namespace
}  // namespace wick::compiler
