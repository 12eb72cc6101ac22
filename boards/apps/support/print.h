// Lines of text for the console, put together from parts without printf. A part is text, an integer, or one of the
// forms below.
#pragma once

#include <cstdint>

#include "console.h"
#include "core/status.h"

namespace wick::apps {

// A float with so many digits after the point; "nan" and "inf" as such. Magnitudes above 2^32 are cut to that.
struct Fixed {
  float value;
  uint32_t digits = 4;
};
// An integer set to the right of a column.
struct Right {
  uint32_t value;
  uint32_t columns;
};
// Text set to the left of a column.
struct Left {
  const char* text;
  uint32_t columns;
};
struct Hex {
  uint32_t value;
};

void add(ErrorText& line, Fixed part);
void add(ErrorText& line, Right part);
void add(ErrorText& line, Left part);
void add(ErrorText& line, Hex part);
inline void add(ErrorText& line, const char* part) { line.add(part); }
inline void add(ErrorText& line, uint32_t part) { line.add(part); }
inline void add(ErrorText& line, int part) { line.add(part); }

template <typename... Parts>
void print(Parts... parts) {
  static char buffer[200];
  ErrorText line(buffer, sizeof(buffer));
  (add(line, parts), ...);
  board::say(buffer);
}

}  // namespace wick::apps
