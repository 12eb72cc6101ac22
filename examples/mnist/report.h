// What the demo says, as text and JSON. Knows how to lay figures out; measures nothing.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mnist/measure.h"

namespace wick::demo {

struct ModelFigures {
  std::string title, remark;
  ProgramFigures fp32, int8;
};

// The glyphs, two side by side.
std::string drawings(const std::vector<Picture>& glyphs);
// One model: every glyph through both programs, a summary, and the table FP32 | INT8.
// `image_bytes`: flash of the target's runner image, which holds all operators.
std::string model_report(const ModelFigures& model, const std::string& target, const std::vector<Picture>& glyphs,
                         const std::vector<Picture>& test, std::optional<uint64_t> image_bytes);
nlohmann::ordered_json model_json(const ModelFigures& model, const std::vector<Picture>& glyphs,
                                  const std::vector<Picture>& test, std::optional<uint64_t> image_bytes);

}  // namespace wick::demo
