// See xip_cache.h.
#include "sim/xip_cache.h"

namespace wick::sim {

void XipCache::set_timing(uint32_t timing, uint32_t format) {
  const uint32_t divider = (timing & 0xFF) == 0 ? 256 : timing & 0xFF;
  const auto lanes = [&](uint32_t shift) { return 1u << (format >> shift & 3); };
  const uint32_t prefix = format >> 12 & 1 ? 8 / lanes(0) : 0;
  const uint32_t address = 24 / lanes(2);
  const uint32_t suffix = (format >> 14 & 3) * 4 / lanes(4);
  const uint32_t dummy = (format >> 16 & 7) * 4 / lanes(6);
  const uint32_t data = 8 * costs::kCacheLineBytes / lanes(8);
  line_cycles_ = divider * (prefix + address + suffix + dummy + data);
  sequential_cycles_ = divider * data;
}

}  // namespace wick::sim
