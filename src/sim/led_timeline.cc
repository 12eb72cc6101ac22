// See led_timeline.h.
#include "sim/led_timeline.h"

#include <cmath>
#include <cstdio>

namespace wick::sim {
namespace {

// Two blinks are alike when no eye could tell them apart.
bool alike(double a_ms, double b_ms) { return std::abs(a_ms - b_ms) <= 1 + 0.02 * a_ms; }

std::string milliseconds(double ms) {
  char text[32];
  std::snprintf(text, sizeof(text), ms < 10 ? "%.3g ms" : "%.0f ms", ms);
  return text;
}

}  // namespace

void LedTimeline::change(unsigned pin, bool level, uint64_t time_ps) {
  std::vector<Change>& changes = pins_[pin];
  const bool before = !changes.empty() && changes.back().level;
  if (level != before) changes.push_back({level, time_ps});
}

std::vector<unsigned> LedTimeline::pins() const {
  std::vector<unsigned> out;
  for (const auto& [pin, changes] : pins_) out.push_back(pin);
  return out;
}

std::vector<LedTimeline::Blink> LedTimeline::blinks(unsigned pin) const {
  std::vector<Blink> out;
  const auto found = pins_.find(pin);
  if (found == pins_.end()) return out;
  const std::vector<Change>& c = found->second;
  const auto between = [&](size_t from, size_t to) {
    return static_cast<double>(c[to].time_ps - c[from].time_ps) * 1e-9;
  };
  for (size_t i = 0; i + 1 < c.size(); i += 2) {
    const double on = between(i, i + 1);
    const double off_before = i > 0 ? between(i - 1, i) : 0;
    if (!out.empty() && alike(out.back().on_ms, on) &&
        (out.back().count == 1 || alike(out.back().off_ms, off_before))) {
      Blink& last = out.back();
      last.off_ms = last.count == 1 ? off_before : last.off_ms;
      ++last.count;
    } else {
      out.push_back({1, on, 0});
    }
  }
  return out;
}

std::string LedTimeline::describe(unsigned pin) const {
  std::string text;
  for (const Blink& blink : blinks(pin)) {
    text += (text.empty() ? "" : ", ") + std::to_string(blink.count) + " x " + milliseconds(blink.on_ms);
  }
  const auto found = pins_.find(pin);
  if (found != pins_.end() && !found->second.empty() && found->second.back().level) {
    text += (text.empty() ? "on from " : ", then on from ") +
            milliseconds(static_cast<double>(found->second.back().time_ps) * 1e-9);
  }
  return "GPIO" + std::to_string(pin) + ": " + (text.empty() ? "off" : text);
}

}  // namespace wick::sim
