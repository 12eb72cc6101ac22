// Runs jobs on a simulated Pico 2: the board's own runner image, spoken to over the simulated USB cable. The board
// notes cycles; the simulator knows what had been executed at each of its notes, so that instructions are exact and
// cycles, which are estimated, come beside them.
#include <chrono>
#include <deque>
#include <unordered_map>

#include "files/failure.h"
#include "host/elf_image.h"
#include "host/embed_program.h"
#include "host/emulator.h"
#include "host/frame_session.h"
#include "host/job.h"
#include "host/runner_link.h"
#include "host/uf2.h"
#include "sim/machine.h"
#include "sim/refusal.h"

namespace wick::host {
namespace {

constexpr uint64_t kMillisecondPs = 1'000'000'000;
constexpr uint32_t kPortSeconds = 5;               // of simulated time, until the board's port is open
constexpr uint32_t kAnswerMilliseconds = 600'000;  // of simulated time

class SimulatedLine final : public ByteLine {
 public:
  SimulatedLine(const std::vector<uint8_t>& uf2, uint32_t time_limit_seconds)
      : deadline_(std::chrono::steady_clock::now() + std::chrono::seconds(time_limit_seconds)) {
    sim::MachineOptions options;
    options.time_limit_ps = options.idle_limit_ps = sim::kNever / 4;
    options.on_usb = [this](uint8_t byte) { received_.push_back(byte); };
    options.on_remark = [this](const std::string& line) { remarks_.push_back(line); };
    machine_ = std::make_unique<sim::Machine>(uf2, options);
  }

  bool wait_for_port() {
    return run_until([this] { return machine_->usb_host().is_open(); }, kPortSeconds * 1000);
  }
  bool read(uint8_t* byte, uint32_t milliseconds) override {
    if (!run_until([this] { return !received_.empty(); }, milliseconds)) return false;
    *byte = received_.front();
    received_.pop_front();
    return true;
  }
  void write(const void* bytes, size_t count) override {
    const uint8_t* first = static_cast<const uint8_t*>(bytes);
    machine_->type_usb({first, first + count});
  }
  void text(uint8_t) override {}

  const sim::Machine& machine() const { return *machine_; }
  bool out_of_time() const { return out_of_time_; }
  std::string remarks() const {
    std::string all;
    for (const std::string& line : remarks_) all += (all.empty() ? "" : "; ") + line;
    return all;
  }

 private:
  template <typename Condition>
  bool run_until(Condition&& condition, uint32_t milliseconds) {
    for (uint32_t i = 0; i < milliseconds && !condition(); ++i) {
      if (std::chrono::steady_clock::now() > deadline_) out_of_time_ = true;
      if (out_of_time_ || machine_->run(kMillisecondPs) != sim::StopKind::kRunning) return condition();
    }
    return condition();
  }

  std::chrono::steady_clock::time_point deadline_;
  bool out_of_time_ = false;
  std::deque<uint8_t> received_;
  std::vector<std::string> remarks_;
  std::unique_ptr<sim::Machine> machine_;
};

JobResult failure(std::string text) {
  JobResult result;
  result.error = std::move(text);
  return result;
}

// The same answers with the board's notes told as instructions, and as cycles.
Answers decode_notes(const std::vector<uint8_t>& replies, const sim::Machine& machine) {
  std::unordered_map<uint32_t, const sim::CycleRead*> reads;
  for (const sim::CycleRead& read : machine.cycle_reads()) reads[read.value] = &read;
  const auto with = [&](uint64_t sim::CycleRead::*what) {
    return decode_replies(replies, [&, what](uint32_t value) -> uint64_t {
      const auto found = reads.find(value);
      return found == reads.end() ? 0 : found->second->*what;
    });
  };
  Answers answers = with(&sim::CycleRead::instructions);
  const Answers cycles = with(&sim::CycleRead::cycles);
  answers.result.tick_unit = "instructions";
  answers.result.cycle_hz = machine.sys_hz();
  for (size_t i = 0; i < answers.result.calls.size() && i < cycles.result.calls.size(); ++i)
    answers.result.calls[i].estimated_cycles = cycles.result.calls[i].ticks;
  return answers;
}

std::string describe_end(const SimulatedLine& line, const FrameSession& session, uint32_t limit_seconds) {
  std::string text = "the simulated pico2 ";
  if (line.out_of_time()) {
    text += "did not end within " + std::to_string(limit_seconds) + " s and was stopped";
  } else if (line.machine().stop_kind() != sim::StopKind::kRunning) {
    text += "stopped: " + line.machine().stop_reason();
  } else {
    text += "ended without an answer: " + session.error;
  }
  return line.remarks().empty() ? text : text + " (" + line.remarks() + ")";
}

struct Attempt {
  Answers answers;
  std::string end;  // how it ended, when answers are missing
  bool timed_out = false;
};

Attempt attempt(const Job& job, const std::filesystem::path& image, bool trace) {
  // The program is where a board's would be: in flash. One that has no room there is sent, for what that is worth.
  ElfImage runner = read_elf(image);
  embed_program(job.program, &runner);
  SimulatedLine line(format_uf2(runner.load), job.time_limit_seconds);
  FrameSession session;
  if (line.wait_for_port()) session = talk_in_frames(line, encode_requests(job, trace), kAnswerMilliseconds);
  Attempt result;
  result.answers = decode_notes(session.replies, line.machine());
  result.end = describe_end(line, session, job.time_limit_seconds);
  result.timed_out = line.out_of_time();
  return result;
}

// The same again, now with a word before every operator, tells in which one it ended. After a long time limit that
// would double the wait, so what it was doing must do.
std::string activity_of(const Job& job, const std::filesystem::path& image, const Attempt& ended) {
  constexpr uint32_t kShortLimit = 60;
  if (ended.timed_out && job.time_limit_seconds > kShortLimit) return ended.answers.activity;
  const std::string again = attempt(job, image, true).answers.activity;
  return again.empty() ? ended.answers.activity : again;
}

}  // namespace

JobResult run_job_simulated(const Job& job) {
  const std::optional<std::filesystem::path> image = runner_image("pico2");
  if (!image)
    return failure(
        "no runner image pico2.elf: build it with `cmake --preset host && cmake --build --preset host` (needs "
        "arm-none-eabi-gcc), or set WICK_RUNNERS to its folder");
  try {
    Attempt result = attempt(job, *image, false);
    if (!result.answers.result.error.empty()) return failure(result.answers.result.error);
    if (result.answers.complete) return std::move(result.answers.result);
    const std::string activity = activity_of(job, *image, result);
    return failure(result.end + (activity.empty() ? "" : " while " + activity));
  } catch (const sim::Refusal& refusal) {
    return failure(image->string() + ": " + refusal.what());
  } catch (const files::Failure& problem) {
    return failure(problem.what());
  }
}

}  // namespace wick::host
