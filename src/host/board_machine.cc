// Runs jobs on a board at a serial port. The board notes cycles of its core.
#include "core/status.h"
#include "files/failure.h"
#include "host/frame_session.h"
#include "host/job.h"
#include "host/runner_link.h"
#include "host/serial_port.h"

namespace wick::host {
namespace {

std::string first_line_with(const std::string& text, const char* word) {
  const size_t at = text.find(word);
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

std::string describe_end(const SerialPort& port, const FrameSession& session, const std::string& activity) {
  const std::string fault = first_line_with(port.text(), "FAULT ");
  const std::string what = fault.empty() ? session.error : "the board faulted (" + fault.substr(6) + ")";
  return what + (activity.empty() ? "" : " while " + activity);
}

// An image with brief errors says but a code. The same program refused by this machine says why.
std::string whole_text(const Job& job, const std::string& error) {
  constexpr Code kCodes[] = {Code::kInvalidProgram, Code::kUnsupported, Code::kInvalidArgument,
                             Code::kOutOfMemory,    Code::kNotFound,    Code::kInvalidState};
  for (const Code code : kCodes) {
    if (error != code_name(code)) continue;
    const std::string here = run_job_on_host(job).error;
    return here.empty() ? error + " (build the image with --errors full to see more)" : here;
  }
  return error;
}

}  // namespace

JobResult run_job_on_board(const Job& job) {
  JobResult failed;
  try {
    SerialPort port(job.target);
    const FrameSession session = talk_in_frames(port, encode_requests(job, false), job.time_limit_seconds * 1000);
    Answers answers = decode_replies(session.replies, [](uint32_t cycles) -> uint64_t { return cycles; });
    if (answers.result.error.empty() && answers.complete) {
      answers.result.tick_unit = "cycles";
      return std::move(answers.result);
    }
    failed.error = answers.result.error.empty() ? job.target + ": " + describe_end(port, session, answers.activity)
                                                : whole_text(job, answers.result.error);
  } catch (const files::Failure& failure) {
    failed.error = failure.what();
  }
  return failed;
}

}  // namespace wick::host
