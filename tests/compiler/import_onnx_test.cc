#include "compiler/import_onnx.h"

#include <doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "compiler/evaluate.h"
#include "compiler/golden_folders.h"
#include "compiler/passes/decompose.h"
#include "compiler/passes/functionalize.h"
#include "compiler/schema.h"
#include "files/failure.h"
#include "files/npy.h"

namespace wick::compiler {
namespace {

using files::Array;

std::filesystem::path numbered(const std::filesystem::path& folder, const std::string& what, size_t i, size_t k) {
  return folder / (what + "_" + std::to_string(i) + "_" + std::to_string(k) + ".npy");
}

// Largest share of the largest magnitude that an output is off by, over the first sample.
double error_of(const Graph& graph, const std::filesystem::path& folder, const std::string& outputs) {
  std::vector<Array> inputs;
  for (size_t k = 0; k < graph.inputs().size(); ++k) inputs.push_back(files::read_npy(numbered(folder, "in", 0, k)));
  const std::vector<Array> found = evaluate(graph, inputs);
  double worst = 0;
  for (size_t k = 0; k < found.size(); ++k) {
    const Array expected = files::read_npy(numbered(folder, outputs, 0, k));
    CHECK(found[k].sizes == expected.sizes);
    CHECK(found[k].dtype == expected.dtype);
    const files::Comparison comparison = files::compare(found[k], expected, {});
    double largest = 1e-30;
    for (uint64_t i = 0; i < files::element_count(expected); ++i) {
      largest = std::max(largest, std::abs(files::element(expected, i)));
    }
    worst = std::max(worst, comparison.max_abs_error / largest);
  }
  return worst;
}

// Operators that passes take apart before a program can be emitted.
bool has_composite(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const auto& node) { return find_schema(node->op)->out_op.empty(); });
}

TEST_CASE("Importer reads every ONNX golden and computes what PyTorch does") {
  for (const auto& [file, outputs, bound] : {std::tuple("float.onnx", "float", 2e-5), {"qdq.onnx", "qdq", 0.05}}) {
    size_t right = 0, composite = 0, all = 0;
    for (const auto& folder : golden_folders("et-1.4.1")) {
      if (!std::filesystem::exists(folder / file)) continue;
      ++all;
      try {
        Graph graph = import_onnx(folder / file);
        functionalize(graph);
        decompose(graph);
        decompose_functions(graph);
        for (const auto& node : graph.nodes()) CHECK(node->args().size() == find_schema(node->op)->args.size());
        if (has_composite(graph)) {
          ++composite;
          continue;
        }
        const double error = error_of(graph, folder, outputs);
        const bool close = error <= bound;
        if (!close) std::cout << folder.filename() << ' ' << file << " is off by " << error << '\n';
        right += close ? 1 : 0;
      } catch (const files::Failure& failure) {
        std::cout << folder.filename() << ' ' << failure.what() << '\n';
      }
    }
    std::cout << "import_onnx: " << right << " of " << all << ' ' << file << ", and " << composite
              << " with operators to be decomposed\n";
    CHECK(right + composite == all);
  }
}

}  // namespace
}  // namespace wick::compiler
