// Runs one program over the demo's pictures, on a target for what it costs and on the host for how right it is. Knows
// jobs; refuses to know how results are shown.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/measure.h"
#include "mnist/digits.h"

namespace wick::demo {

struct DigitResult {
  std::vector<float> scores;
  int says = 0;
};

struct ProgramFigures {
  std::filesystem::path path;
  host::ProgramCost cost;           // on the target; a latency for each glyph
  std::vector<DigitResult> digits;  // the glyphs, on the target
  std::vector<DigitResult> test;    // MNIST's test digits, on the host
  size_t right_glyphs(const std::vector<Picture>& glyphs) const;
  size_t right_tests(const std::vector<Picture>& pictures) const;
};

// Throws Failure naming the program.
ProgramFigures measure(const std::filesystem::path& program, const std::string& target,
                       const std::vector<Picture>& glyphs, const std::vector<Picture>& test);

}  // namespace wick::demo
