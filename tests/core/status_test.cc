// Numbers and texts in messages.
#include "core/status.h"

#include <doctest.h>

#include <string>

namespace wick {
namespace {

template <typename... Parts>
std::string text_of(Parts... parts) {
  char buffer[80];
  ErrorText text(buffer, sizeof(buffer));
  text.add(parts...);
  return text.c_str();
}

TEST_CASE("ErrorText writes integers of every size in decimal") {
  CHECK(text_of(0u) == "0");
  CHECK(text_of(uint32_t{4294967295u}) == "4294967295");
  CHECK(text_of(int32_t{-2147483647 - 1}) == "-2147483648");
  CHECK(text_of(uint64_t{18446744073709551615ull}) == "18446744073709551615");
  CHECK(text_of(uint64_t{10000000000000000000ull}) == "10000000000000000000");
  CHECK(text_of(uint64_t{4294967296ull}) == "4294967296");
  CHECK(text_of(int64_t{-9223372036854775807ll - 1}) == "-9223372036854775808");
  CHECK(text_of("a ", 65536u, ", ", 655359u, " b") == "a 65536, 655359 b");
}

TEST_CASE("ErrorText cuts what does not fit") {
  char buffer[6];
  ErrorText text(buffer, sizeof(buffer));
  text.add("abc", 123456u);
  CHECK(std::string(text.c_str()) == "abc12");
  text.clear();
  text.add_always("again");
  CHECK(std::string(text.c_str()) == "again");
}

}  // namespace
}  // namespace wick
