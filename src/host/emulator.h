// Runs a board image in QEMU: feeds it a file of requests, waits for a limited time, and hands back what it answered,
// how it ended, and how many instructions had been executed at each marker. Knows processes and files; refuses to know
// what the messages mean.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace wick::host {

struct EmulatorRun {
  enum class End {
    kExit,        // by itself, with status 0
    kFault,       // the core faulted: `text` is the handler's line
    kTimeout,     // stopped when the time was up
    kEmulator,    // the emulator gave up (a locked-up core, for one): `text` is what it said
    kNotStarted,  // no emulator, no image, no plugin: `text` says what to do
  };
  End end = End::kNotStarted;
  std::string text;
  std::vector<uint8_t> replies;   // as far as they came
  std::vector<uint64_t> markers;  // instructions executed before each marker; empty unless the run ended by itself
};

// `target` is a core's name. Images and plugin are looked for in $WICK_RUNNERS, then beside the running program (build
// tree) and in lib/wick next to its folder (installed).
EmulatorRun run_in_emulator(const std::string& target, const std::vector<uint8_t>& requests,
                            uint32_t time_limit_seconds);

// True for the cores that there is an emulated board for.
bool is_emulated_target(const std::string& target);

// The runner image of such a core; nothing when it has not been built.
std::optional<std::filesystem::path> runner_image(const std::string& target);

}  // namespace wick::host
