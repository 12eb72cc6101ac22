// How long something takes on the board: microseconds of the crystal and cycles of the core, from construction on.
#pragma once

#include "apps/support/model.h"
#include "pico2/time.h"

namespace wick::platform {

class Stopwatch {
 public:
  Stopwatch() : microseconds_(pico2::microseconds()), cycles_(pico2::cycles()) {}
  apps::Duration elapsed() const {
    const uint32_t cycles = pico2::cycles() - cycles_;
    return {pico2::microseconds() - microseconds_, cycles};
  }

 private:
  uint32_t microseconds_, cycles_;
};

inline constexpr const char* kTimeNote = "times are the board's";

inline const char* place_of(const void* data) {
  return reinterpret_cast<uintptr_t>(data) >= 0x20000000 ? "SRAM" : "flash";
}

}  // namespace wick::platform
