// Sends a job to the machine that its target names.
#include "host/emulator.h"
#include "host/job.h"
#include "host/serial_port.h"

namespace wick::host {

JobResult run_job(const Job& job) {
  if (job.target == "host") return run_job_on_host(job);
  if (is_serial_port(job.target)) return run_job_on_board(job);
  if (job.target == "pico2") return run_job_simulated(job);
  if (is_emulated_target(job.target)) return run_job_emulated(job);
  JobResult result;
  result.error = "unknown target '" + job.target + "': host, cortex-m0plus, cortex-m4, cortex-m33, cortex-m55 or pico2";
  return result;
}

}  // namespace wick::host
