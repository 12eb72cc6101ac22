// Real programs, spoiled in seeded ways, through load, prepare and execute: no crash, nothing out of bounds, an end.
// Meant for the build with AddressSanitizer and UndefinedBehaviorSanitizer; each round prints what it came to.
//
//   mutation_test ROUNDS SEED PROGRAM.pte...        exit code 1 when a program is refused unspoiled
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "fuzz/run_hostile.h"
#include "fuzz/spoil.h"

namespace {

using wick::fuzz::Bytes;

// Bytes of the FlatBuffer: where a change is most likely to be believed.
size_t structure_bytes(const Bytes& file) {
  uint64_t bytes = file.size();
  if (file.size() > 32 && std::memcmp(file.data() + 8, "eh00", 4) == 0) std::memcpy(&bytes, file.data() + 16, 8);
  return bytes < file.size() ? static_cast<size_t>(bytes) : file.size();
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
    wick::fuzz::Random random(seed * 1000003 + round);
    Bytes file = programs[random.below(programs.size())];
    wick::fuzz::spoil(file, random, structure_bytes(file));
    // Known when a sanitizer ends the program here.
    if (std::getenv("WICK_MUTATION_VERBOSE") != nullptr) std::fprintf(stderr, "round %" PRIu64 "\n", round);
    ++came_to[static_cast<int>(wick::fuzz::run_hostile(file.data(), file.size()))];
  }
  std::printf("%" PRIu64 " spoiled programs (seed %" PRIu64 "): %" PRIu64 " refused at load, %" PRIu64
              " at prepare, %" PRIu64 " failed to run, %" PRIu64 " ran\n",
              rounds, seed, came_to[0], came_to[1], came_to[2], came_to[3]);
  return 0;
}
