// Runs one program over the demo's pictures, on a target for what it costs and on the host for how right it is. Knows
// jobs; refuses to know how results are shown.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/job.h"
#include "mnist/digits.h"

namespace wick::demo {

struct DigitResult {
  std::vector<float> scores;
  int says = 0;
  uint64_t ticks = 0;
};

struct OperatorFigures {
  uint32_t index = 0;
  std::string name;
  uint64_t ticks = 0;
  std::optional<uint64_t> macs;
};

struct ProgramFigures {
  std::filesystem::path path;
  uint64_t program_bytes = 0;
  uint64_t arena_bytes = 0, persistent_bytes = 0, planned_bytes = 0, scratch_bytes = 0;
  std::optional<uint64_t> stack_bytes, load_ticks, prepare_ticks;
  std::string tick_unit;
  std::vector<DigitResult> digits;         // the glyphs, on the target
  std::vector<OperatorFigures> operators;  // one call, on the target
  std::vector<DigitResult> test;           // MNIST's test digits, on the host
  size_t right_glyphs(const std::vector<Picture>& glyphs) const;
  size_t right_tests(const std::vector<Picture>& pictures) const;
};

// Throws Failure naming the program.
ProgramFigures measure(const std::filesystem::path& program, const std::string& target,
                       const std::vector<Picture>& glyphs, const std::vector<Picture>& test);

// Bytes of an image that must lie in flash: code, constants and initial data of an ELF file.
uint64_t image_flash_bytes(const std::filesystem::path& elf);

}  // namespace wick::demo
