// Argument counts of cortex_m operators by release, out argument included, return value not.
#include "host/releases.h"

#include <algorithm>
#include <string_view>

#include "files/failure.h"

namespace wick::host {

namespace {

constexpr const char* kReleases[] = {"1.3", "1.4", "1.5"};
constexpr uint8_t kAbsent = 0;

struct Signature {
  std::string_view name;
  uint8_t arguments[3];  // per release
};
// Operators that are the same in all three are not listed.
constexpr Signature kSignatures[] = {
    {"cortex_m::quantized_conv2d.out", {13, 14, 14}},
    {"cortex_m::quantized_depthwise_conv2d.out", {14, 15, 15}},
    {"cortex_m::quantized_transpose_conv2d.out", {14, 16, 16}},
    {"cortex_m::quantized_batch_matmul.out", {8, 9, 9}},
    {"cortex_m::quantized_avg_pool2d.out", {8, 9, 10}},
    {"cortex_m::quantized_activation.out", {kAbsent, 3, 3}},
    {"cortex_m::quantized_div.out", {kAbsent, kAbsent, 7}},
    {"cortex_m::quantized_conv2d_nhwc.out", {kAbsent, kAbsent, 14}},
    {"cortex_m::quantized_depthwise_conv2d_nhwc.out", {kAbsent, kAbsent, 15}},
    {"cortex_m::quantized_transpose_conv2d_nhwc.out", {kAbsent, kAbsent, 16}},
    {"cortex_m::quantized_avg_pool2d_nhwc.out", {kAbsent, kAbsent, 10}},
    {"cortex_m::quantized_max_pool2d_nhwc.out", {kAbsent, kAbsent, 11}},
};

}  // namespace

ReleaseVerdict releases_of(const ProgramInfo& program) {
  ReleaseVerdict verdict;
  bool right[3] = {true, true, true};
  for (const MethodInfo& method : program.methods) {
    for (size_t i = 0; i < method.instructions.size(); ++i) {
      const InstructionInfo& call = method.instructions[i];
      for (const Signature& s : kSignatures) {
        if (call.name != s.name) continue;
        const size_t arguments = call.args.empty() ? 0 : call.args.size() - 1;
        bool any = false;
        for (size_t r = 0; r < 3; ++r) {
          const bool fits = s.arguments[r] == arguments && arguments != kAbsent;
          right[r] = right[r] && fits;
          any = any || fits;
        }
        if (!any) {
          verdict.problems.push_back(text("method ", method.name, ", instruction ", i, ": ", call.name, " has ",
                                          arguments, " arguments, as in no known release"));
        }
      }
    }
  }
  for (size_t r = 0; r < 3; ++r) {
    if (right[r]) verdict.releases.push_back(kReleases[r]);
  }
  return verdict;
}

}  // namespace wick::host
