// What is asked of a machine that can run programs (this host, an emulated core, a board on a serial line), and what
// comes back. One job loads one program and makes calls in order; every figure that the machine can tell is in the
// result. Knows nothing of files or of how the machine is reached.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "files/array.h"
#include "files/files.h"

namespace wick::host {

// What is said of arrays and files is said here by the same names.
using namespace files;
using files::describe;  // beside the host's own

// Arrays are in memory order of the program's dim_order on the way to and from a machine.
using HostValue = std::variant<Array, int64_t, double, bool, std::string>;

struct Call {
  std::string method = "forward";
  std::vector<HostValue> inputs;
  bool reset_before = false;  // mutable state back to its initial values first
};

struct Job {
  std::string target = "host";  // host, cortex-m0plus, cortex-m4, cortex-m33, cortex-m55, pico2
  std::vector<uint8_t> program;
  std::vector<uint8_t> data;            // a .ptd file, or empty
  std::optional<uint64_t> arena_bytes;  // default: exactly what is needed
  std::vector<Call> calls;
  uint32_t repeat = 1;  // each call is made this often; figures are of the last
  bool profile = false;
  uint32_t time_limit_seconds = 300;  // of an emulated run
};

struct OperatorCost {
  uint32_t index = 0;  // instruction in the program
  std::string name;
  uint64_t calls = 0;
  uint64_t ticks = 0;
};

struct CallResult {
  std::vector<HostValue> outputs;
  uint64_t ticks = 0;                        // of one execute
  std::vector<OperatorCost> operators;       // with Job::profile
  std::optional<uint64_t> estimated_cycles;  // of one execute, where the machine has a model of time
};

struct JobResult {
  std::string error;         // empty when all went well; then the rest holds
  std::string tick_unit;     // "ns" on the host, "instructions" under emulation, "cycles" on a board
  uint64_t arena_bytes = 0;  // needed, all in
  uint64_t persistent_bytes = 0, planned_bytes = 0, scratch_bytes = 0;  // its parts
  std::optional<uint64_t> stack_bytes;                                  // high-water mark: the largest of the three
  std::optional<uint64_t> load_stack_bytes, prepare_stack_bytes, execute_stack_bytes;
  std::optional<uint64_t> load_ticks, prepare_ticks;
  uint64_t cycle_hz = 0;  // what cycles, counted or estimated, are of
  std::vector<CallResult> calls;
};

// Runs a job where job.target says. Never throws for what the program or the machine does wrong: that is in `error`.
JobResult run_job(const Job& job);
// The machines behind it.
JobResult run_job_on_host(const Job& job);
JobResult run_job_emulated(const Job& job);
JobResult run_job_on_board(const Job& job);
JobResult run_job_simulated(const Job& job);

}  // namespace wick::host
