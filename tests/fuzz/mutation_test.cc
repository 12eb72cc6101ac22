// Real programs, spoiled in seeded ways, through load, prepare and execute: no crash, nothing out of bounds, an end.
// Meant for the build with AddressSanitizer and UndefinedBehaviorSanitizer; each round prints what it came to.
//
//   mutation_test ROUNDS SEED PROGRAM.pte...        exit code 1 when a program is refused unspoiled
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "fuzz/run_hostile.h"

namespace {

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

// Bytes of the FlatBuffer: where a change is most likely to be believed.
size_t structure_bytes(const Bytes& file) {
  uint64_t bytes = file.size();
  if (file.size() > 32 && std::memcmp(file.data() + 8, "eh00", 4) == 0) std::memcpy(&bytes, file.data() + 16, 8);
  return bytes < file.size() ? static_cast<size_t>(bytes) : file.size();
}

void write(Bytes& file, size_t at, uint64_t value, size_t bytes) {
  if (at + bytes <= file.size()) std::memcpy(file.data() + at, &value, bytes);
}

void spoil(Bytes& file, Random& random) {
  static constexpr uint64_t kNumbers[] = {0,          1,          2,          3,           7,          8,
                                          255,        256,        32767,      65535,       65536,      0x7FFFFFFF,
                                          0x80000000, 0xFFFFFFFF, 0xFFFFFFFE, 0x100000000, UINT64_MAX, UINT64_MAX - 7,
                                          0x4000};
  const size_t changes = 1 + random.below(3);
  for (size_t i = 0; i < changes && file.size() > 16; ++i) {
    const size_t structure = structure_bytes(file);
    const size_t room = random.below(8) != 0 && structure > 16 ? structure : file.size();
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
        write(file, word, kNumbers[random.below(std::size(kNumbers))], random.below(2) != 0 ? 4 : 8);
        break;
      case 3: {  // a small step of a number: an index, a size, an offset
        uint32_t value;
        if (word + 4 > file.size()) break;
        std::memcpy(&value, file.data() + word, 4);
        value += static_cast<uint32_t>(random.below(9)) - 4;
        write(file, word, value, 4);
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

Bytes read(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s ROUNDS SEED PROGRAM.pte...\n", argv[0]);
    return 2;
  }
  const uint64_t rounds = std::strtoull(argv[1], nullptr, 10), seed = std::strtoull(argv[2], nullptr, 10);
  std::vector<Bytes> programs;
  for (int i = 3; i < argc; ++i) {
    programs.push_back(read(argv[i]));
    std::string message;
    const wick::fuzz::Stage stage = wick::fuzz::run_hostile(programs.back().data(), programs.back().size(), &message);
    if (stage < wick::fuzz::Stage::kFailedToRun) {
      std::fprintf(stderr, "%s is refused as it is: %s\n", argv[i], message.c_str());
      return 1;
    }
  }
  uint64_t came_to[4] = {};
  const char* last = std::getenv("WICK_MUTATION_ROUND");  // repeats one round of a failure
  const uint64_t first = last != nullptr ? std::strtoull(last, nullptr, 10) : 0;
  for (uint64_t round = first; round < (last != nullptr ? first + 1 : rounds); ++round) {
    Random random(seed * 1000003 + round);
    Bytes file = programs[random.below(programs.size())];
    spoil(file, random);
    // Known when a sanitizer ends the program here.
    if (std::getenv("WICK_MUTATION_VERBOSE") != nullptr) std::fprintf(stderr, "round %" PRIu64 "\n", round);
    ++came_to[static_cast<int>(wick::fuzz::run_hostile(file.data(), file.size()))];
  }
  std::printf("%" PRIu64 " spoiled programs (seed %" PRIu64 "): %" PRIu64 " refused at load, %" PRIu64
              " at prepare, %" PRIu64 " failed to run, %" PRIu64 " ran\n",
              rounds, seed, came_to[0], came_to[1], came_to[2], came_to[3]);
  return 0;
}
