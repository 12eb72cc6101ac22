// A job as messages for a board, and a board's answers as a job's result (boards/protocol.h). Knows the protocol;
// refuses to know how the messages travel and what a tick is: that comes in as a function.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host/job.h"

namespace wick::host {

// Methods that the board prepares: those that the job calls, each once, in order of first call; all of the program when
// it makes no calls.
std::vector<std::string> methods_of(const Job& job);

// Everything that the board must be told. With Job::profile all calls are made twice, the second time on freshly
// prepared methods and with the hook in: so the totals of the first are without it. `trace` makes the board say which
// operator it starts.
std::vector<uint8_t> encode_requests(const Job& job, bool trace);

struct Answers {
  JobResult result;       // `error` when the board refused something or contradicts itself
  bool complete = false;  // the board said goodbye: nothing is missing
  std::string activity;   // what it was doing last
};

// `tick` turns what the board noted into a running count; `error` receives its complaint.
Answers decode_replies(const std::vector<uint8_t>& replies, const std::function<uint64_t(uint32_t)>& tick);

}  // namespace wick::host
