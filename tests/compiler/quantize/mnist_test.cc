// Accuracy on digits that nobody trained with: what INT8 costs in the end.
#include <doctest.h>

#include <cstdlib>
#include <iostream>

#include "compiler/evaluate.h"
#include "compiler/quantize/float_runner.h"
#include "compiler/quantize/golden_case.h"
#include "compiler/quantize/lower_for_test.h"
#include "compiler/quantize/quantize.h"

namespace wick::compiler {
namespace {

TEST_CASE("Wick's INT8 is right on as many digits as ExecuTorch's") {
  const char* said = std::getenv("WICK_GOLDENS");
  const std::filesystem::path root(said != nullptr ? said : WICK_GOLDENS_FOUND);
  const auto images = root / "mnist" / "test-images-idx3-ubyte.gz",
             labels = root / "mnist" / "test-labels-idx1-ubyte.gz";
  for (const char* name : {"mlp_784_32_16_10", "mnist_cnn"}) {
    const auto folder = root / "generated" / "et-1.4.1" / name;
    if (!std::filesystem::exists(images) || !has_model_and_samples(folder)) {
      std::cout << "skipped: no digits or no " << name << " below " << root << '\n';
      continue;
    }
    CAPTURE(name);
    size_t right[3] = {};
    const std::vector<int64_t> expected = files::read_labels(labels);
    for (int mode = 0; mode < 3; ++mode) {
      GoldenCase golden(folder);
      const Value* input = golden.graph.inputs()[0];
      const std::vector<files::InputType> types = {
          {input->name, input->type.dtype, {input->type.sizes.begin(), input->type.sizes.end()}}};
      const Samples digits = files::read_samples(images, types);
      REQUIRE(digits.size() == expected.size());
      const auto count = [&](auto& run) {
        for (size_t i = 0; i < digits.size(); ++i) {
          right[mode] += static_cast<int64_t>(files::argmax(run(digits[i]))) == expected[i] ? 1 : 0;
        }
      };
      if (mode == 0) {
        FloatRunner runner(golden.graph);
        const auto run = [&](const std::vector<files::Array>& digit) { return runner.run(digit)[0]; };
        count(run);
      } else {
        QuantizeOptions options;
        options.quantizer = mode == 1 ? Quantizer::kExecuTorch : Quantizer::kWick;
        quantize(golden.graph, golden.calibration, options);
        lower(golden.graph, mode == 1);
        Evaluator evaluator(golden.graph, golden.graph.outputs());
        const auto run = [&](const std::vector<files::Array>& digit) { return evaluator(digit)[0]; };
        count(run);
      }
    }
    CHECK(right[2] >= right[1]);
    std::cout << name << " of " << expected.size() << " digits: float " << right[0] << ", INT8 like ExecuTorch "
              << right[1] << ", INT8 by wick " << right[2] << '\n';
  }
}

}  // namespace
}  // namespace wick::compiler
