// An emulated board has no time worth telling: everything takes 0.
#pragma once

#include "apps/support/model.h"

namespace wick::platform {

class Stopwatch {
 public:
  Stopwatch() {}
  apps::Duration elapsed() const { return {}; }
};

inline constexpr const char* kTimeNote = "an emulated board has no time: it shows 0";

inline const char* place_of(const void*) { return "memory"; }

}  // namespace wick::platform
