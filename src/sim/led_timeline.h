// What someone sees who watches a pin's LED: when it was on and off, told in few words. Knows levels and times only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace wick::sim {

class LedTimeline {
 public:
  struct Blink {
    uint64_t count;
    double on_ms;   // of one, rounded to what the group has in common
    double off_ms;  // to the next one; 0 for a single one
  };
  void change(unsigned pin, bool level, uint64_t time_ps);
  bool empty() const { return pins_.empty(); }
  std::vector<unsigned> pins() const;
  // Blinks of about the same length in a row, as one.
  std::vector<Blink> blinks(unsigned pin) const;
  // "GPIO25: 10 x 500 ms" and so on; a LED that stays on says so.
  std::string describe(unsigned pin) const;

 private:
  struct Change {
    bool level;
    uint64_t time_ps;
  };
  std::map<unsigned, std::vector<Change>> pins_;
};

}  // namespace wick::sim
