// What is judged rarely: the vtable of a table that was met for the first time.
#include "format/checked.h"

namespace wick::format {

bool judge_layout(const Buffer& buffer, uint32_t at, const Field* wanted, uint32_t count, uint16_t* offsets,
                  uint32_t* present, uint32_t* extent) {
  const uint32_t size = buffer.size();
  *present = 0;
  *extent = 4;
  if (rotated(at) <= (size - 4) >> 2 && at >= 4) {
    const uint32_t vtable = at - buffer.u32(at), room = size - at;
    if (vtable <= size - 4 && (vtable & 1) == 0) {
      const uint16_t* v = reinterpret_cast<const uint16_t*>(buffer.bytes() + vtable);
      const uint32_t vtable_bytes = v[0];
      bool bad = vtable_bytes < 4 || vtable_bytes > size - vtable;
      for (uint32_t i = 0; i < count && !bad; ++i) {
        const uint32_t offset = wanted[i].slot + 2 <= vtable_bytes ? v[wanted[i].slot / 2] : 0;
        offsets[i] = static_cast<uint16_t>(offset);
        if (offset == 0) continue;
        const uint32_t end = offset + wanted[i].bytes;
        bad = offset < 4 || (offset & (wanted[i].bytes - 1) & 3) != 0 || end > room;
        *present |= 1u << i;
        if (end > *extent) *extent = end;
      }
      if (!bad) return true;
    }
  }
  buffer.fail();
  return false;
}

}  // namespace wick::format
