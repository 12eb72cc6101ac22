// See firmware_checks.h.
#include "host/firmware_checks.h"

#include <algorithm>
#include <filesystem>

#include "files/failure.h"
#include "files/files.h"
#include "files/text_table.h"
#include "host/call_values.h"
#include "host/job.h"
#include "host/operator_facts.h"

namespace wick::host {
namespace {

constexpr uint64_t kPico2FlashBytes = 4u << 20, kPico2SramBytes = 520u << 10;
constexpr uint64_t kMnistPixels = 784, kMnistClasses = 10;

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

bool is_float_of(const ValueInfo& value, uint64_t count) {
  return value.kind == ValueInfo::Kind::kTensor && value.dtype == DType::kFloat32 &&
         value.bytes() == count * sizeof(float);
}

void check_signature(const std::string& app, const ProgramInfo& program) {
  if (app != "mnist") return;
  if (program.methods.empty()) fail(program.name, ": has no method");
  const MethodInfo& m = program.methods.front();
  if (m.inputs.size() == 1 && m.outputs.size() == 1 && is_float_of(m.input(0), kMnistPixels) &&
      is_float_of(m.output(0), kMnistClasses))
    return;
  std::string has;
  for (size_t i = 0; i < m.inputs.size(); ++i) has += (i > 0 ? ", " : "") + describe(m.input(i));
  has += " -> ";
  for (size_t i = 0; i < m.outputs.size(); ++i) has += (i > 0 ? ", " : "") + describe(m.output(i));
  fail(program.name, ": --app mnist needs one float32 input of 784 pixels and one float32 output of 10 scores, method ",
       m.name, " has ", has, " (--app run and --app bench take any program)");
}

// What a program asks of SRAM on the board's core.
FirmwareNeeds needs_of(const FirmwareSpec& spec, const EmbeddedFile& file, const ProgramInfo& program) {
  Job job;
  job.target = spec.board->target;
  job.program = files::read_file(file.path);
  job.time_limit_seconds = 60;
  if (const JobResult result = run_job(job); result.error.empty())
    return {result.arena_bytes, !spec.two_cores && spec.cmsis_nn.empty()};
  uint64_t planned = 0;
  for (const MethodInfo& m : program.methods) {
    uint64_t bytes = 0;
    for (const uint64_t memory : m.memory_bytes) bytes += memory;
    planned = std::max(planned, bytes);
  }
  return {planned, false};
}

}  // namespace

void check_operators(const ProgramInfo& program) {
  if (const auto backends = delegated_backends(program); !backends.empty())
    fail(program.name, ": needs backend ", joined(backends), ", which wick has not; export it without that backend");
  if (const auto missing = missing_operators(program); !missing.empty())
    fail(program.name, ": needs operators that wick has not: ", joined(missing));
}

FirmwareNeeds check_programs(const FirmwareSpec& spec, const std::vector<ProgramInfo>& programs) {
  FirmwareNeeds needs = {0, true};
  uint64_t program_bytes = 0;
  for (size_t i = 0; i < programs.size(); ++i) {
    const ProgramInfo& program = programs[i];
    check_operators(program);
    check_signature(spec.app, program);
    program_bytes += std::filesystem::file_size(spec.programs[i].path);
  }
  const uint64_t needed_at_least = spec.weights_in_sram ? program_bytes : 0;
  if (!spec.board->is_emulated()) {
    if (program_bytes > kPico2FlashBytes)
      fail(programs.back().name, ": does not fit: the programs take ", grouped(program_bytes), " bytes of flash, ",
           spec.board->name, " has ", grouped(kPico2FlashBytes));
    if (needed_at_least > kPico2SramBytes)
      fail(programs.back().name, ": does not fit: with --weights sram the programs take ", grouped(program_bytes),
           " bytes of SRAM, ", spec.board->name, " has ", grouped(kPico2SramBytes), "; leave the weights in flash");
  }
  for (size_t i = 0; i < programs.size(); ++i) {
    const FirmwareNeeds one = needs_of(spec, spec.programs[i], programs[i]);
    // The demo keeps all its programs ready; the other apps one at a time.
    needs.arena_bytes =
        spec.app == "mnist" ? needs.arena_bytes + one.arena_bytes : std::max(needs.arena_bytes, one.arena_bytes);
    needs.arena_is_exact = needs.arena_is_exact && one.arena_is_exact;
    if (!spec.board->is_emulated() && needs.arena_bytes + needed_at_least > kPico2SramBytes)
      fail(programs[i].name, ": does not fit: arena", spec.weights_in_sram ? " and programs" : "", " take ",
           grouped(needs.arena_bytes + needed_at_least), " bytes of SRAM, ", spec.board->name, " has ",
           grouped(kPico2SramBytes));
  }
  return needs;
}

void check_fit(const ImageParts& parts, const FirmwareNeeds& needs, const FirmwareSpec& spec) {
  if (parts.flash_bytes > parts.flash_capacity)
    fail(spec.programs.front().path, ": does not fit: the image takes ", grouped(parts.flash_bytes),
         " bytes of flash, ", spec.board->name, " has ", grouped(parts.flash_capacity));
  if (needs.arena_bytes > parts.free_bytes)
    fail(spec.programs.front().path, ": does not fit: arena ", grouped(needs.arena_bytes), ", data ",
         grouped(parts.data_bytes), ", programs ", grouped(parts.program_copy_bytes), " and stack ",
         grouped(parts.stack_bytes), " take ",
         grouped(needs.arena_bytes + parts.data_bytes + parts.program_copy_bytes + parts.stack_bytes),
         " bytes of SRAM, ", spec.board->name, " has ", grouped(parts.sram_capacity));
}

}  // namespace wick::host
