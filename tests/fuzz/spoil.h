// Seeded ways to spoil the bytes of a real file: bits, bytes, numbers that are special, small steps of numbers, parts
// over other parts, a cut end. Refuses to know formats.
#pragma once

#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

namespace wick::fuzz {

using Bytes = std::vector<uint8_t>;

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  size_t below(size_t n) { return static_cast<size_t>(next() % n); }

 private:
  uint64_t state_;
};

inline void write_number(Bytes& file, size_t at, uint64_t value, size_t bytes) {
  if (at + bytes <= file.size()) std::memcpy(file.data() + at, &value, bytes);
}

// One to three changes. `structure`: so many bytes from the front are where a change is most likely to be believed.
inline void spoil(Bytes& file, Random& random, size_t structure) {
  static constexpr uint64_t kNumbers[] = {0,          1,          2,          3,           7,          8,
                                          255,        256,        32767,      65535,       65536,      0x7FFFFFFF,
                                          0x80000000, 0xFFFFFFFF, 0xFFFFFFFE, 0x100000000, UINT64_MAX, UINT64_MAX - 7,
                                          0x4000};
  const size_t changes = 1 + random.below(3);
  for (size_t i = 0; i < changes && file.size() > 16; ++i) {
    const bool inside = structure > 16 && structure <= file.size();
    const size_t room = random.below(8) != 0 && inside ? structure : file.size();
    const size_t at = random.below(room);
    const size_t word = at / 4 * 4;
    switch (random.below(7)) {
      case 0:
        file[at] ^= static_cast<uint8_t>(1u << random.below(8));
        break;
      case 1:
        file[at] = static_cast<uint8_t>(random.next());
        break;
      case 2:
        write_number(file, word, kNumbers[random.below(std::size(kNumbers))], random.below(2) != 0 ? 4 : 8);
        break;
      case 3: {  // a small step of a number: an index, a size, an offset
        uint32_t value;
        if (word + 4 > file.size()) break;
        std::memcpy(&value, file.data() + word, 4);
        value += static_cast<uint32_t>(random.below(9)) - 4;
        write_number(file, word, value, 4);
        break;
      }
      case 4: {  // one part of the file over another
        const size_t from = random.below(room), bytes = 4 << random.below(4);
        if (from + bytes > file.size() || at + bytes > file.size()) break;
        std::memmove(file.data() + word, file.data() + from / 4 * 4, bytes);
        break;
      }
      case 5: {  // two words change places
        const size_t other = random.below(room) / 4 * 4;
        if (other + 4 > file.size() || word + 4 > file.size()) break;
        for (size_t k = 0; k < 4; ++k) std::swap(file[word + k], file[other + k]);
        break;
      }
      default:
        if (random.below(4) == 0) file.resize(random.below(file.size()) + 1);
        break;
    }
  }
}

}  // namespace wick::fuzz
