#include "host/measure.h"

#include "files/failure.h"
#include "host/call_values.h"
#include "host/emulator.h"

namespace wick::host {

namespace {

JobResult run(const LoadedProgram& program, const std::string& target, std::span<const Sample> samples, bool profile) {
  Job job;
  // The RP2350 has the core that is emulated as cortex-m33.
  job.target = target == "pico2" ? "cortex-m33" : target;
  job.program = program.bytes;
  job.profile = profile;
  const MethodInfo& m = program.method();
  std::vector<std::string> notes;
  for (size_t s = 0; s < samples.size(); ++s) {
    Call& call = job.calls.emplace_back();
    call.method = program.method_name;
    call.reset_before = true;  // samples know nothing of each other
    for (size_t i = 0; i < samples[s].size(); ++i) {
      call.inputs.push_back(to_machine(m, i, samples[s][i], text("sample ", s), &notes));
    }
  }
  JobResult result = run_job(job);
  if (!result.error.empty()) fail(program.name, " on ", target, ": ", result.error);
  return result;
}

std::vector<std::vector<Array>> outputs_in(const LoadedProgram& program, const JobResult& result) {
  std::vector<std::vector<Array>> out;
  std::vector<std::string> notes;
  for (const CallResult& call : result.calls) {
    std::vector<Array>& outputs = out.emplace_back();
    for (size_t i = 0; i < call.outputs.size(); ++i) {
      outputs.push_back(from_machine(program.method(), i, call.outputs[i], &notes));
    }
  }
  return out;
}

// 32-bit little-endian ELF: program headers at e_phoff, e_phentsize bytes each; p_filesz at 16 of a PT_LOAD (1).
uint64_t elf_load_bytes(const Bytes& elf, const std::string& name) {
  const auto word = [&](size_t at, size_t count) -> uint64_t {
    uint64_t value = 0;
    if (at + count > elf.size()) fail(name, ": is not a whole ELF file");
    for (size_t i = 0; i < count; ++i) value |= static_cast<uint64_t>(elf[at + i]) << (8 * i);
    return value;
  };
  if (word(0, 4) != 0x464c457f || word(4, 1) != 1) fail(name, ": is not a 32-bit ELF file");
  uint64_t total = 0;
  for (uint64_t i = 0; i < word(44, 2); ++i) {
    const size_t header = static_cast<size_t>(word(28, 4) + i * word(42, 2));
    if (word(header, 4) == 1) total += word(header + 16, 4);
  }
  return total;
}

}  // namespace

LoadedProgram::LoadedProgram(const std::filesystem::path& path, const std::string& method)
    : name(path.string()), method_name(method), bytes(read_file(path)), info(read_program_info(bytes, name)) {
  info.method(method);
}

std::vector<std::vector<Array>> outputs_of(const LoadedProgram& program, const std::string& target,
                                           std::span<const Sample> samples) {
  return outputs_in(program, run(program, target, samples, false));
}

Measurement measure(const LoadedProgram& program, const std::string& target, std::span<const Sample> samples) {
  Measurement m;
  const JobResult result = run(program, target, samples, false);
  m.outputs = outputs_in(program, result);
  ProgramCost& cost = m.cost;
  cost.program_bytes = program.bytes.size();
  cost.arena_bytes = result.arena_bytes;
  cost.persistent_bytes = result.persistent_bytes;
  cost.planned_bytes = result.planned_bytes;
  cost.scratch_bytes = result.scratch_bytes;
  cost.stack_bytes = result.stack_bytes;
  cost.load_ticks = result.load_ticks;
  cost.prepare_ticks = result.prepare_ticks;
  cost.tick_unit = result.tick_unit;
  for (const CallResult& call : result.calls) cost.latency_ticks.push_back(call.ticks);

  const JobResult profiled = run(program, target, samples.first(1), true);
  const MethodInfo& method = program.method();
  for (const OperatorCost& step : profiled.calls[0].operators) {
    const std::optional<uint64_t> macs =
        step.index < method.instructions.size() ? method.macs_of(method.instructions[step.index]) : std::nullopt;
    cost.operators.push_back({step.index, step.name, step.ticks, macs});
  }
  return m;
}

std::optional<uint64_t> runner_flash_bytes(const std::string& target) {
  const std::string core = target == "pico2" ? "cortex-m33" : target;
  if (!is_emulated_target(core)) return std::nullopt;
  const std::optional<std::filesystem::path> image = runner_image(core);
  if (!image) return std::nullopt;
  return elf_load_bytes(read_file(*image), image->string());
}

}  // namespace wick::host
