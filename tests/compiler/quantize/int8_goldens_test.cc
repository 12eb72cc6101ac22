// From float models and their calibration samples to INT8 programs: output bytes against ExecuTorch's own, and what is
// left of float in wick's.
#include <doctest.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "compiler/copy_graph.h"
#include "compiler/evaluate.h"
#include "compiler/golden_folders.h"
#include "compiler/passes/functionalize.h"
#include "compiler/quantize/float_runner.h"
#include "compiler/quantize/golden_case.h"
#include "compiler/quantize/lower_for_test.h"
#include "compiler/quantize/quantize.h"

namespace wick::compiler {
namespace {

// Where ExecuTorch's kernels are wrong the expected outputs are a simulation in float: integers may round to another
// step, at the last operator and before it.
double largest_error_allowed(const GoldenCase& golden) {
  constexpr double kSteps = 2;
  std::ifstream file(golden.folder / "case.json");
  const auto json = nlohmann::json::parse(file);
  return json.value("executorch_wrong", false) ? kSteps * json.value("int8_atol", 0.0) : 1e-6;
}

TEST_CASE("From float models to ExecuTorch's output bytes") {
  size_t equal = 0, all = 0;
  for (const auto& folder : golden_folders("et-1.4.1")) {
    if (!has_model_and_samples(folder) || !std::filesystem::exists(folder / "int8_0_0.npy")) continue;
    const std::string name = folder.filename();
    CAPTURE(name);
    ++all;
    GoldenCase golden(folder);
    QuantizeOptions options;
    options.quantizer = Quantizer::kExecuTorch;
    quantize(golden.graph, golden.calibration, options);
    lower(golden.graph, true);
    Evaluator run(golden.graph, golden.graph.outputs());
    files::Tolerance tolerance{largest_error_allowed(golden), 1e-6};
    bool matches = true;
    for (size_t sample = 0; sample < golden.inputs.size(); ++sample) {
      const auto found = run(golden.inputs[sample]);
      for (size_t i = 0; i < found.size(); ++i) {
        const auto expected = files::read_npy(golden.file("int8", static_cast<int>(sample), i));
        const auto verdict = files::compare(found[i], expected, tolerance);
        matches = matches && verdict.matches;
        CHECK_MESSAGE(verdict.matches, "sample ", sample, ": ", verdict.difference);
      }
    }
    equal += matches ? 1 : 0;
  }
  std::cout << "quantize like ExecuTorch: same outputs in " << equal << " of " << all << " models\n";
}

TEST_CASE("Wick's programs compute in integers alone, as their float simulation says") {
  size_t good = 0, all = 0;
  for (const auto& folder : golden_folders("et-1.4.1")) {
    const std::string name = folder.filename();
    const bool calibrated = has_model_and_samples(folder);
    if (!calibrated && (name != "gru" || !std::filesystem::exists(folder / "float.pt2"))) continue;
    CAPTURE(name);
    ++all;
    GoldenCase golden(folder);
    const auto& samples = calibrated ? golden.calibration : golden.inputs;
    quantize(golden.graph, samples, {});
    Graph simulated = copy_graph(golden.graph).graph;
    lower(golden.graph, false);
    bool integers = true;
    for (const auto& node : golden.graph.nodes()) {
      for (const Value* output : node->outputs()) {
        const bool border = node->op == "cortex_m::dequantize_per_tensor" || node->op.starts_with("dim_order_ops::");
        integers = integers && (border || output->type.dtype != DType::kFloat32);
      }
    }
    CHECK(integers);
    Evaluator run(golden.graph, golden.graph.outputs());
    FloatRunner float_run(simulated);
    double signal = 0, noise = 0;
    for (const auto& sample : golden.inputs) {
      const auto found = run(sample), expected = float_run.run(sample);
      for (size_t i = 0; i < found.size(); ++i) {
        if (found[i].dtype != DType::kFloat32) continue;
        for (uint64_t e = 0; e < files::element_count(found[i]); ++e) {
          const double x = files::element(expected[i], e), error = files::element(found[i], e) - x;
          signal += x * x, noise += error * error;
        }
      }
    }
    CHECK(noise < 0.004 * signal);  // 24 dB: rounding at every operator of deep models
    good += integers && noise < 0.004 * signal ? 1 : 0;
  }
  std::cout << "quantize by wick's rules: integers alone in " << good << " of " << all << " models\n";
}

TEST_CASE("Models of any operator can be quantized, what has no integer form stays float") {
  size_t ran = 0, all = 0, integers = 0;
  for (const auto& folder : golden_folders("et-1.4.1")) {
    const std::string name = folder.filename();
    if (!name.starts_with("fp32_") || !std::filesystem::exists(folder / "float.pt2")) continue;
    CAPTURE(name);
    ++all;
    GoldenCase golden(folder);
    functionalize(golden.graph);
    QuantizeReport report;
    quantize(golden.graph, golden.inputs, {}, &report);
    lower(golden.graph, false);
    Evaluator run(golden.graph, golden.graph.outputs());
    for (const auto& sample : golden.inputs) CHECK(!run(sample).empty());
    CHECK(report.output_error < 0.1);
    ++ran;
    integers += report.kept_float.empty() ? 1 : 0;
  }
  std::cout << "quantize by wick's rules: " << ran << " of " << all << " models of single operators, " << integers
            << " in integers alone\n";
}

}  // namespace
}  // namespace wick::compiler
