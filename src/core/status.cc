#include "core/status.h"

namespace wick {

void ErrorText::put(const char* text) {
  for (; *text != '\0'; ++text) put_char(*text);
}

void ErrorText::put(uint64_t value) {
  char digits[20];
  uint32_t n = 0;
  do {
    digits[n++] = static_cast<char>('0' + value % 10);
    value /= 10;
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
