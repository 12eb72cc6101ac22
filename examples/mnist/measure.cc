#include "mnist/measure.h"

#include <cstring>

#include "files/array.h"
#include "files/failure.h"
#include "files/files.h"
#include "host/call_values.h"
#include "host/program_info.h"

namespace wick::demo {

using host::fail;

namespace {

size_t count_right(const std::vector<DigitResult>& results, const std::vector<Picture>& pictures) {
  size_t right = 0;
  for (size_t i = 0; i < results.size(); ++i) right += results[i].says == pictures[i].digit ? 1 : 0;
  return right;
}

class Meter {
 public:
  Meter(const std::filesystem::path& path, const std::string& target) : path_(path), target_(target) {
    program_ = host::read_file(path);
    info_ = host::read_program_info(program_, path.string());
    const host::MethodInfo& m = info_.method("forward");
    const bool fits = m.inputs.size() == 1 && m.outputs.size() == 1 && m.input(0).dtype == DType::kFloat32 &&
                      m.input(0).bytes() == kPixels * sizeof(float) && m.output(0).dtype == DType::kFloat32 &&
                      m.output(0).bytes() == 10 * sizeof(float);
    if (!fits) fail(path.string(), ": does not take one 28x28 float32 picture and give ten float32 scores");
  }

  ProgramFigures operator()(const std::vector<Picture>& glyphs, const std::vector<Picture>& test) {
    ProgramFigures f;
    f.path = path_;
    f.program_bytes = program_.size();
    const host::JobResult on_target = run(target_, glyphs, false);
    f.arena_bytes = on_target.arena_bytes;
    f.persistent_bytes = on_target.persistent_bytes;
    f.planned_bytes = on_target.planned_bytes;
    f.scratch_bytes = on_target.scratch_bytes;
    f.stack_bytes = on_target.stack_bytes;
    f.load_ticks = on_target.load_ticks;
    f.prepare_ticks = on_target.prepare_ticks;
    f.tick_unit = on_target.tick_unit;
    f.digits = results(on_target);
    // Apart from the rest, so that the profile's own cost is in no other figure.
    const host::JobResult profiled = run(target_, {glyphs.begin(), glyphs.begin() + 1}, true);
    const host::MethodInfo& m = info_.method("forward");
    for (const host::OperatorCost& cost : profiled.calls[0].operators) {
      const std::optional<uint64_t> macs =
          cost.index < m.instructions.size() ? m.macs_of(m.instructions[cost.index]) : std::nullopt;
      f.operators.push_back({cost.index, cost.name, cost.ticks, macs});
    }
    f.test = results(run("host", test, false));
    return f;
  }

 private:
  host::JobResult run(const std::string& target, const std::vector<Picture>& pictures, bool profile) const {
    host::Job job;
    job.target = target;
    job.program = program_;
    job.profile = profile;
    const host::MethodInfo& m = info_.method("forward");
    std::vector<std::string> notes;
    for (const Picture& picture : pictures) {
      host::Array array{DType::kFloat32, m.input(0).sizes, std::vector<uint8_t>(kPixels * sizeof(float))};
      std::memcpy(array.bytes.data(), picture.pixels.data(), array.bytes.size());
      job.calls.emplace_back().inputs = {to_machine(m, 0, std::move(array), "a picture", &notes)};
    }
    host::JobResult result = run_job(job);
    if (!result.error.empty()) fail(path_.string(), " on ", target, ": ", result.error);
    return result;
  }

  static std::vector<DigitResult> results(const host::JobResult& job) {
    std::vector<DigitResult> out;
    for (const host::CallResult& call : job.calls) {
      const host::Array scores = host::as_array(call.outputs[0]);
      DigitResult& digit = out.emplace_back();
      for (uint64_t i = 0; i < element_count(scores); ++i)
        digit.scores.push_back(static_cast<float>(element(scores, i)));
      digit.says = static_cast<int>(argmax(scores));
      digit.ticks = call.ticks;
    }
    return out;
  }

  std::filesystem::path path_;
  std::string target_;
  host::Bytes program_;
  host::ProgramInfo info_;
};

}  // namespace

size_t ProgramFigures::right_glyphs(const std::vector<Picture>& glyphs) const { return count_right(digits, glyphs); }
size_t ProgramFigures::right_tests(const std::vector<Picture>& pictures) const { return count_right(test, pictures); }

ProgramFigures measure(const std::filesystem::path& program, const std::string& target,
                       const std::vector<Picture>& glyphs, const std::vector<Picture>& test) {
  return Meter(program, target)(glyphs, test);
}

uint64_t image_flash_bytes(const std::filesystem::path& elf) {
  const host::Bytes bytes = host::read_file(elf);
  const auto word = [&](size_t at, size_t count) -> uint64_t {
    uint64_t value = 0;
    if (at + count > bytes.size()) fail(elf.string(), ": is not a whole ELF file");
    for (size_t i = 0; i < count; ++i) value |= static_cast<uint64_t>(bytes[at + i]) << (8 * i);
    return value;
  };
  // 32-bit little-endian: program headers at e_phoff, e_phentsize bytes each; p_filesz at 16 of a PT_LOAD (1).
  if (word(0, 4) != 0x464c457f || word(4, 1) != 1) fail(elf.string(), ": is not a 32-bit ELF file");
  uint64_t total = 0;
  for (uint64_t i = 0; i < word(44, 2); ++i) {
    const size_t header = static_cast<size_t>(word(28, 4) + i * word(42, 2));
    if (word(header, 4) == 1) total += word(header + 16, 4);
  }
  return total;
}

}  // namespace wick::demo
