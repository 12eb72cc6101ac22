// See print.h.
#include "apps/support/print.h"

namespace wick::apps {

void add(ErrorText& line, Fixed part) {
  if (part.value != part.value) return line.add("nan");
  float magnitude = part.value < 0 ? -part.value : part.value;
  if (magnitude > 3.4e38f) return line.add(part.value < 0 ? "-inf" : "inf");
  if (magnitude > 4.2e9f) magnitude = 4.2e9f;
  uint32_t unit = 1;
  for (uint32_t i = 0; i < part.digits; ++i) unit *= 10;
  uint32_t whole = static_cast<uint32_t>(magnitude);
  uint32_t fraction = static_cast<uint32_t>((magnitude - static_cast<float>(whole)) * static_cast<float>(unit) + 0.5f);
  if (fraction >= unit) {
    fraction = 0;
    ++whole;
  }
  line.add(part.value < 0 && (whole | fraction) != 0 ? "-" : "", whole, ".");
  for (uint32_t place = unit / 10; place > 0; place /= 10) line.add(fraction / place % 10);
}

void add(ErrorText& line, Right part) {
  uint32_t digits = 1;
  for (uint32_t v = part.value; v >= 10; v /= 10) ++digits;
  for (uint32_t i = digits; i < part.columns; ++i) line.add(" ");
  line.add(part.value);
}

void add(ErrorText& line, Left part) {
  line.add(part.text);
  for (uint32_t i = static_cast<uint32_t>(__builtin_strlen(part.text)); i < part.columns; ++i) line.add(" ");
}

void add(ErrorText& line, Hex part) {
  char digits[9] = {};
  for (int i = 0; i < 8; ++i) digits[i] = "0123456789abcdef"[part.value >> (28 - 4 * i) & 15];
  line.add(static_cast<const char*>(digits));
}

}  // namespace wick::apps
