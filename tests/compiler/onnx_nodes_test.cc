// The ONNX project's own operator tests against the importer. They are not part of this project:
// tests/conformance/make_onnx_node_cases.py writes them, WICK_ONNX_NODES says where to; without it this is skipped.
#include <doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "compiler/evaluate.h"
#include "compiler/import_onnx.h"
#include "compiler/passes/decompose.h"
#include "compiler/passes/functionalize.h"
#include "compiler/schema.h"
#include "compiler/type_of.h"
#include "files/failure.h"
#include "files/npy.h"

namespace wick::compiler {
namespace {

using files::Array;
using Path = std::filesystem::path;

std::vector<Array> arrays(const Path& folder, const std::string& what) {
  std::vector<Array> list;
  for (size_t k = 0; std::filesystem::exists(folder / (what + "_" + std::to_string(k) + ".npy")); ++k) {
    list.push_back(files::read_npy(folder / (what + "_" + std::to_string(k) + ".npy")));
  }
  return list;
}

// Empty when all outputs are right.
std::string judge(const Path& folder, const std::string& file) {
  Graph graph = import_onnx(folder / file);
  functionalize(graph);
  decompose(graph);
  decompose_functions(graph);
  for (const auto& node : graph.nodes()) {
    const Schema* schema = find_schema(node->op);
    if (schema != nullptr && schema->out_op.empty()) return "waits: " + node->op;
  }
  std::vector<Array> inputs = arrays(folder, "in");
  inputs.resize(graph.inputs().size());
  const std::vector<Array> found = evaluate(graph, inputs), expected = arrays(folder, "out");
  for (size_t k = 0; k < found.size(); ++k) {
    if (found[k].sizes != expected[k].sizes || found[k].dtype != expected[k].dtype) {
      return "wrong: output is " + files::describe(found[k]) + ", expected " + files::describe(expected[k]);
    }
    const bool single = found[k].dtype == DType::kFloat32 || found[k].dtype == DType::kFloat64;
    const double relative = single ? 1e-3 : is_float(found[k].dtype) ? 1e-2 : 0;
    const files::Comparison comparison = files::compare(found[k], expected[k], {1e-6, relative});
    if (!comparison.matches) return "wrong: " + comparison.difference;
  }
  return "";
}

// As it is, or with constants for every input but the first: microcontrollers' programs have fixed shapes.
std::string judge_either(const Path& folder) {
  std::string first;
  for (const char* file : {"model.onnx", "fixed.onnx"}) {
    try {
      const std::string wrong = judge(folder, file);
      if (wrong.empty()) return "";
      first = wrong;
    } catch (const files::Failure& failure) {
      const std::string text = failure.what();
      first = "refused: " + text.substr(std::min(text.size(), folder.string().size() + 12));
    }
  }
  return first;
}

TEST_CASE("Importer computes what the ONNX project's operator tests say") {
  const char* said = std::getenv("WICK_ONNX_NODES");
  if (said == nullptr) {
    std::cout << "skipped: WICK_ONNX_NODES does not say where the ONNX operator tests are\n";
    return;
  }
  std::vector<Path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(said)) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  size_t right = 0, wrong = 0;
  for (const Path& folder : folders) {
    const std::string text = judge_either(folder);
    right += text.empty() ? 1 : 0;
    wrong += text.starts_with("wrong") ? 1 : 0;
    if (!text.empty() && std::getenv("WICK_VERBOSE") != nullptr) {
      std::cout << folder.filename().string() << ' ' << text << '\n';
    }
  }
  std::cout << "import_onnx: " << right << " of " << folders.size() << " ONNX operator tests, " << wrong << " wrong\n";
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace wick::compiler
