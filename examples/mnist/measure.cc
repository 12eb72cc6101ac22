#include "mnist/measure.h"

#include <cstring>

#include "files/array.h"
#include "files/failure.h"

namespace wick::demo {

using host::fail;

namespace {

size_t count_right(const std::vector<DigitResult>& results, const std::vector<Picture>& pictures) {
  size_t right = 0;
  for (size_t i = 0; i < results.size(); ++i) right += results[i].says == pictures[i].digit ? 1 : 0;
  return right;
}

std::vector<host::Sample> samples_of(const std::vector<Picture>& pictures, const std::vector<int32_t>& sizes) {
  std::vector<host::Sample> out;
  for (const Picture& picture : pictures) {
    host::Array array{DType::kFloat32, sizes, std::vector<uint8_t>(kPixels * sizeof(float))};
    std::memcpy(array.bytes.data(), picture.pixels.data(), array.bytes.size());
    out.push_back({std::move(array)});
  }
  return out;
}

std::vector<DigitResult> digits_in(const std::vector<std::vector<host::Array>>& outputs) {
  std::vector<DigitResult> out;
  for (const std::vector<host::Array>& values : outputs) {
    DigitResult& digit = out.emplace_back();
    for (uint64_t i = 0; i < element_count(values[0]); ++i) {
      digit.scores.push_back(static_cast<float>(element(values[0], i)));
    }
    digit.says = static_cast<int>(argmax(values[0]));
  }
  return out;
}

}  // namespace

size_t ProgramFigures::right_glyphs(const std::vector<Picture>& glyphs) const { return count_right(digits, glyphs); }
size_t ProgramFigures::right_tests(const std::vector<Picture>& pictures) const { return count_right(test, pictures); }

ProgramFigures measure(const std::filesystem::path& path, const std::string& target, const std::vector<Picture>& glyphs,
                       const std::vector<Picture>& test) {
  const host::LoadedProgram program(path);
  const host::MethodInfo& m = program.method();
  const bool fits = m.inputs.size() == 1 && m.outputs.size() == 1 && m.input(0).dtype == DType::kFloat32 &&
                    m.input(0).bytes() == kPixels * sizeof(float) && m.output(0).dtype == DType::kFloat32 &&
                    m.output(0).bytes() == 10 * sizeof(float);
  if (!fits) fail(path.string(), ": does not take one 28x28 float32 picture and give ten float32 scores");
  const host::Measurement on_target = host::measure(program, target, samples_of(glyphs, m.input(0).sizes));
  ProgramFigures f{path, on_target.cost, digits_in(on_target.outputs), {}};
  f.test = digits_in(host::outputs_of(program, "host", samples_of(test, m.input(0).sizes)));
  return f;
}

}  // namespace wick::demo
