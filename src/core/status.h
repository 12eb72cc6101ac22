// Errors without exceptions: a code to act on, and a text to read. Nothing here allocates or uses libc.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wick {

enum class Code : uint8_t {
  kOk,
  kInvalidProgram,   // the file contradicts itself or the format
  kUnsupported,      // well-formed, but not something that this build runs
  kMissingOperator,  // the operator table lacks an operator
  kInvalidArgument,  // the caller's mistake: wrong input, wrong name, wrong shape
  kOutOfMemory,      // the arena is too small
  kNotFound,         // no such method, data file entry, ...
  kInvalidState,     // called in the wrong order
};

constexpr const char* code_name(Code code) {
  switch (code) {
    case Code::kOk:
      return "ok";
    case Code::kInvalidProgram:
      return "invalid program";
    case Code::kUnsupported:
      return "unsupported";
    case Code::kMissingOperator:
      return "missing operator";
    case Code::kInvalidArgument:
      return "invalid argument";
    case Code::kOutOfMemory:
      return "out of memory";
    case Code::kNotFound:
      return "not found";
    case Code::kInvalidState:
      return "invalid state";
  }
  return "unknown";
}

class [[nodiscard]] Status {
 public:
  constexpr Status() = default;
  constexpr Status(Code code) : code_(code) {}  // implicit: `return Code::kOutOfMemory;`
  constexpr bool ok() const { return code_ == Code::kOk; }
  constexpr Code code() const { return code_; }

 private:
  Code code_ = Code::kOk;
};

#define WICK_TRY(expression)                                                           \
  do {                                                                                 \
    if (::wick::Status try_status = (expression); !try_status.ok()) return try_status; \
  } while (false)

// Equality of zero-terminated texts; a device has no libc to ask.
constexpr bool same_text(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

// Text of an error, in the caller's buffer. Keeps the first error; what does not fit is cut, never overrun.
class ErrorText {
 public:
  constexpr ErrorText() = default;
  constexpr ErrorText(char* buffer, size_t bytes) : buffer_(buffer), bytes_(bytes) {
    if (bytes_ > 0) buffer_[0] = '\0';
  }

  const char* c_str() const { return bytes_ > 0 ? buffer_ : ""; }
  bool empty() const { return used_ == 0; }
  void clear() {
    used_ = 0;
    if (bytes_ > 0) buffer_[0] = '\0';
  }

  // Appends each part: text, or an integer in decimal.
  template <typename... Parts>
  void add_always(Parts... parts) {
    (put(parts), ...);
  }
#if WICK_BRIEF_ERRORS
  // In a build with brief errors a Status' code must do, and what is said with add_always: the rest would be a quarter
  // of a small image. A host can tell the whole text by loading the same program itself.
  template <typename... Parts>
  [[gnu::always_inline]] void add(Parts...) {}
  [[gnu::always_inline]] void add_sizes(const int32_t*, uint32_t) {}
#else
  template <typename... Parts>
  void add(Parts... parts) {
    (put(parts), ...);
  }
  // Appends "[2, 3, 4]".
  void add_sizes(const int32_t* sizes, uint32_t rank);
#endif

 private:
  void put(const char* text);
  void put(int64_t value);
  void put(uint64_t value);
  void put(int32_t value) { put(static_cast<int64_t>(value)); }
  void put(uint32_t value) { put(static_cast<uint64_t>(value)); }
#if defined(__arm__)
  void put(int value) { put(static_cast<int64_t>(value)); }
  void put(unsigned value) { put(static_cast<uint64_t>(value)); }
#else
  void put(long long value) { put(static_cast<int64_t>(value)); }
  void put(unsigned long long value) { put(static_cast<uint64_t>(value)); }
#endif
  void put_char(char c) {
    if (used_ + 1 < bytes_) {
      buffer_[used_++] = c;
      buffer_[used_] = '\0';
    }
  }

  char* buffer_ = nullptr;
  size_t bytes_ = 0;
  size_t used_ = 0;
};

}  // namespace wick
