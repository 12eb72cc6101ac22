#include "core/status.h"

namespace wick {

void ErrorText::put(const char* text) {
  for (; *text != '\0'; ++text) put_char(*text);
}

namespace {

// Divides by 10 and gives the remainder, in 16-bit pieces: 64-bit division would be a library function on a device.
uint32_t take_digit(uint64_t* value) {
  uint64_t quotient = 0;
  uint32_t rest = 0;
  for (int shift = 48; shift >= 0; shift -= 16) {
    const uint32_t piece = rest << 16 | static_cast<uint32_t>(*value >> shift & 0xFFFF);
    quotient |= static_cast<uint64_t>(piece / 10) << shift;
    rest = piece % 10;
  }
  *value = quotient;
  return rest;
}

}  // namespace

void ErrorText::put(uint64_t value) {
  char digits[20];
  uint32_t n = 0;
  do {
    digits[n++] = static_cast<char>('0' + take_digit(&value));
  } while (value != 0);
  while (n > 0) put_char(digits[--n]);
}

void ErrorText::put(int64_t value) {
  if (value < 0) put_char('-');
  put(value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value));
}

void ErrorText::add_sizes(const int32_t* sizes, uint32_t rank) {
  put("[");
  for (uint32_t i = 0; i < rank; ++i) add(i == 0 ? "" : ", ", sizes[i]);
  put("]");
}

}  // namespace wick
