// How host code gives up: a message for the user, thrown where it is known and caught once, by the command that runs.
// Device code never throws; this stays on the host's side of the house.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace wick::files {

// Joins its parts as text.
template <typename... Parts>
std::string text(Parts&&... parts) {
  std::ostringstream out;
  (out << ... << std::forward<Parts>(parts));
  return out.str();
}

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename... Parts>
[[noreturn]] void fail(Parts&&... parts) {
  throw Failure(text(std::forward<Parts>(parts)...));
}

}  // namespace wick::files
