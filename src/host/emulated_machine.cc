// Runs jobs on emulated cores. Knows how a run can go wrong and how to say so; refuses to know QEMU and the protocol.
#include "host/emulator.h"
#include "host/job.h"
#include "host/runner_link.h"

namespace wick::host {
namespace {

using End = EmulatorRun::End;

JobResult failure(std::string text) {
  JobResult result;
  result.error = std::move(text);
  return result;
}

Answers decode(const EmulatorRun& run) {
  return decode_replies(run.replies, [&run](uint32_t marker) -> uint64_t {
    return marker < run.markers.size() ? run.markers[marker] : 0;
  });
}

std::string describe_end(const Job& job, const EmulatorRun& run) {
  const std::string core = "the emulated " + job.target;
  switch (run.end) {
    case End::kFault:
      return core + " faulted (" + run.text + ")";
    case End::kTimeout:
      return core + " did not end within " + std::to_string(job.time_limit_seconds) + " s and was stopped";
    case End::kEmulator:
      return core + " stopped: " + run.text;
    default:
      return core + " ended without an answer";
  }
}

// The core ended badly. The same again, now with a word before every operator, tells in which one. After a long time
// limit that would double the wait, so what it was doing must do.
JobResult explain(const Job& job, const EmulatorRun& run, std::string activity) {
  constexpr uint32_t kShortLimit = 60;
  if (run.end != End::kTimeout || job.time_limit_seconds <= kShortLimit) {
    const EmulatorRun traced = run_in_emulator(job.target, encode_requests(job, true), job.time_limit_seconds);
    const std::string again = decode(traced).activity;
    if (traced.end == run.end && !again.empty()) activity = again;
  }
  return failure(describe_end(job, run) + (activity.empty() ? "" : " while " + activity));
}

}  // namespace

JobResult run_job_emulated(const Job& job) {
  const EmulatorRun run = run_in_emulator(job.target, encode_requests(job, false), job.time_limit_seconds);
  if (run.end == End::kNotStarted) return failure(run.text);
  Answers answers = decode(run);
  if (!answers.result.error.empty()) return failure(answers.result.error);
  if (run.end != End::kExit || !answers.complete) return explain(job, run, answers.activity);
  answers.result.tick_unit = "instructions";
  return std::move(answers.result);
}

}  // namespace wick::host
