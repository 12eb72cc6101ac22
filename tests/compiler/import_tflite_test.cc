#include "compiler/import_tflite.h"

#include <doctest.h>

#include <algorithm>
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
using Path = std::filesystem::path;

Path numbered(const Path& folder, const std::string& what, size_t i, size_t k) {
  return folder / (what + "_" + std::to_string(i) + "_" + std::to_string(k) + ".npy");
}

bool has_composite(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const auto& node) {
    const Schema* schema = find_schema(node->op);
    return schema != nullptr && schema->out_op.empty();
  });
}

// What does not match, over all samples in order on one instance; empty when all does.
std::string differences(const Graph& graph, const Path& folder, const std::string& outputs) {
  Evaluator run(graph, graph.outputs());
  CHECK(std::filesystem::exists(numbered(folder, outputs, 0, 0)));
  std::string text;
  for (size_t i = 0; std::filesystem::exists(numbered(folder, outputs, i, 0)); ++i) {
    std::vector<Array> inputs;
    for (size_t k = 0; k < graph.inputs().size(); ++k) inputs.push_back(files::read_npy(numbered(folder, "in", i, k)));
    const std::vector<Array> found = run(inputs);
    for (size_t k = 0; k < found.size(); ++k) {
      const Array expected = files::read_npy(numbered(folder, outputs, i, k));
      if (found[k].sizes != expected.sizes || found[k].dtype != expected.dtype) {
        return "output " + std::to_string(k) + " is " + files::describe(found[k]) + ", expected " +
               files::describe(expected);
      }
      const files::Comparison comparison = files::compare(found[k], expected, {});
      if (!comparison.matches && text.empty()) {
        text = "sample " + std::to_string(i) + " output " + std::to_string(k) + ": " + comparison.difference;
      }
    }
  }
  return text;
}

struct Tally {
  size_t right = 0, composite = 0, all = 0;
};

void judge(const Path& model, const Path& folder, Tally& tally) {
  ++tally.all;
  const bool dequantized = std::filesystem::exists(numbered(folder, "dequant", 0, 0));
  try {
    Graph graph = import_tflite(model);
    functionalize(graph);
    decompose(graph);
    decompose_functions(graph);
    if (has_composite(graph)) {
      ++tally.composite;
      return;
    }
    const std::string wrong = differences(graph, folder, dequantized ? "dequant" : "out");
    tally.right += wrong.empty() ? 1 : 0;
    if (!wrong.empty()) std::cout << folder.filename().string() << ": " << wrong << '\n';
  } catch (const files::Failure& failure) {
    std::cout << folder.filename().string() << ": " << failure.what() << '\n';
  }
}

TEST_CASE("Importer computes what TensorFlow Lite does, for every converted golden") {
  Tally tally;
  for (const auto& folder : golden_folders("tflite")) {
    if (folder.filename() == "lenet_int16x8") {
      CHECK_THROWS_WITH_AS(import_tflite(folder / "model.tflite"), doctest::Contains("int16"), files::Failure);
    } else if (std::filesystem::exists(folder / "model.tflite"))
      judge(folder / "model.tflite", folder, tally);
  }
  std::cout << "import_tflite: " << tally.right << " of " << tally.all << " converted models, and " << tally.composite
            << " with operators to be decomposed\n";
  CHECK(tally.right + tally.composite == tally.all);
}

TEST_CASE("Importer computes what TensorFlow Lite does, for the MLPerf Tiny models") {
  Tally tally;
  const std::vector<Path> generated = golden_folders("tflite");
  if (generated.empty()) return;
  const Path root = generated[0].parent_path().parent_path().parent_path() / "external" / "mlperf-tiny";
  for (const char* name :
       {"ad_fp32", "ad_int8", "ic_fp32", "ic_int8", "kws_int8", "sww_int8", "vww_fp32", "vww_int8"}) {
    const Path model = root / (std::string(name) + ".tflite");
    if (std::filesystem::exists(model)) judge(model, root / name, tally);
  }
  std::cout << "import_tflite: " << tally.right << " of " << tally.all << " MLPerf Tiny models\n";
  CHECK(tally.right == tally.all);
}

}  // namespace
}  // namespace wick::compiler
