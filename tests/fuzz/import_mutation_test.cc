// Real models, spoiled in seeded ways, through their importer (.pt2: the whole compiler): a graph or a clean error,
// nothing else. Meant for the build with AddressSanitizer and UndefinedBehaviorSanitizer; prints what it came to.
//
//   import_mutation_test ROUNDS SEED MODEL.onnx|.tflite|.pt2...      exit code 1 when a model is refused unspoiled
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "compiler/compile.h"
#include "compiler/import_onnx.h"
#include "compiler/import_tflite.h"
#include "files/failure.h"
#include "files/files.h"
#include "fuzz/spoil.h"
#include "fuzz/spoil_archive.h"

namespace {

namespace fs = std::filesystem;
using wick::fuzz::Bytes;

// What the importer said; empty for a graph.
std::string refusal_of(const fs::path& path) {
  try {
    if (path.extension() == ".onnx") {
      wick::compiler::import_onnx(path);
    } else if (path.extension() == ".tflite") {
      wick::compiler::import_tflite(path);
    } else {
      wick::compiler::compile(path, {});
    }
    return "";
  } catch (const wick::files::Failure& failure) {
    return failure.what();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s ROUNDS SEED MODEL...\n", argv[0]);
    return 2;
  }
  const uint64_t rounds = std::strtoull(argv[1], nullptr, 10), seed = std::strtoull(argv[2], nullptr, 10);
  std::vector<Bytes> models;
  for (int i = 3; i < argc; ++i) {
    models.push_back(wick::files::read_file(argv[i]));
    const std::string refusal = refusal_of(argv[i]);
    if (!refusal.empty()) {
      std::fprintf(stderr, "%s is refused as it is: %s\n", argv[i], refusal.c_str());
      return 1;
    }
  }
  const fs::path folder = fs::temp_directory_path() / ("wick_import_mutation_" + std::to_string(seed));
  fs::create_directories(folder);
  uint64_t refused = 0;
  const char* only = std::getenv("WICK_MUTATION_ROUND");  // repeats one round of a failure
  const uint64_t first = only != nullptr ? std::strtoull(only, nullptr, 10) : 0;
  for (uint64_t round = first; round < (only != nullptr ? first + 1 : rounds); ++round) {
    wick::fuzz::Random random(seed * 1000003 + round);
    const size_t which = random.below(models.size());
    Bytes file = models[which];
    if (fs::path(argv[3 + which]).extension() == ".pt2" && random.below(10) != 0) {
      file = wick::fuzz::spoil_archive(file, random);
    } else {
      wick::fuzz::spoil(file, random, file.size());
    }
    if (std::getenv("WICK_MUTATION_VERBOSE") != nullptr) std::fprintf(stderr, "round %" PRIu64 "\n", round);
    const fs::path path = folder / ("model" + fs::path(argv[3 + which]).extension().string());
    wick::files::write_file(path, file.data(), file.size());
    refused += refusal_of(path).empty() ? 0 : 1;
  }
  fs::remove_all(folder);
  std::printf("%" PRIu64 " spoiled models (seed %" PRIu64 "): %" PRIu64 " refused, %" PRIu64 " read\n", rounds, seed,
              refused, rounds - refused);
  return 0;
}
