// How the simulator says no before anything has run: the file is not one that the chip would start.
#pragma once

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace wick::sim {

struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Addresses and register values in messages: 0x10000000.
inline std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace wick::sim
