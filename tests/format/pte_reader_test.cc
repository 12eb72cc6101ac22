// The header, the segments and the data file: everything that a file can get wrong there is an error that says so.
#include "format/pte_reader.h"

#include <doctest.h>

#include <cstring>
#include <string>

#include "runtime/method.h"
#include "support/program_builder.h"
#include "support/test_ops.h"

namespace wick {
namespace {

using test::AlignedBytes;
using test::ProgramBuilder;

// A program with a constant in a segment: y = 2 * constant.
AlignedBytes with_constant() {
  const float values[2] = {3, 4};
  ProgramBuilder b;
  b.plan_memory({16});
  const int32_t x = b.tensor({.sizes = {2}, .data_index = b.constant(values, sizeof(values))});
  const int32_t y = b.tensor({.sizes = {2}, .planned_at = 0});
  b.outputs({y});
  b.call("test::twice", "out", {x, y});
  return b.finish();
}

std::string open_error(const void* bytes, size_t size) {
  char buffer[256];
  ErrorText error(buffer, sizeof(buffer));
  format::PteFile file;
  CHECK_FALSE(file.open(bytes, size, error).ok());
  return buffer;
}

// Loads and measures; the message, or "" when all is well.
std::string measure_error(const AlignedBytes& bytes) {
  static char buffer[256];
  ErrorText error(buffer, sizeof(buffer));
  Program program;
  if (!program.load(bytes.data(), bytes.size(), error).ok()) return buffer;
  MethodMemory memory;
  (void)Method::measure(program, "forward", test::kTestTable, &memory, error).ok();
  return buffer;
}

void put32(AlignedBytes& file, size_t at, uint32_t value) { std::memcpy(file.data() + at, &value, 4); }
void put64(AlignedBytes& file, size_t at, uint64_t value) { std::memcpy(file.data() + at, &value, 8); }
uint64_t get64(const AlignedBytes& file, size_t at) {
  uint64_t value;
  std::memcpy(&value, file.data() + at, 8);
  return value;
}

TEST_CASE("PteFile opens a program with and without segments") {
  CHECK(measure_error(with_constant()).empty());
  ProgramBuilder b;
  b.plan_memory({32});
  const int32_t x = b.tensor({.sizes = {2}, .planned_at = 0}), y = b.tensor({.sizes = {2}, .planned_at = 16});
  b.inputs({x});
  b.outputs({y});
  b.call("test::twice", "out", {x, y});
  const AlignedBytes plain = b.finish();
  CHECK(std::memcmp(plain.data() + 8, "eh00", 4) != 0);
  CHECK(measure_error(plain).empty());
}

TEST_CASE("PteFile refuses what is no program") {
  alignas(16) const char text[64] = "this is not a program, whatever its name says";
  CHECK(open_error(text, sizeof(text)) == "not an ExecuTorch program: no \"ET12\" at byte 4");
  CHECK(open_error(text, 7) == "too short to be a program: 7 bytes");
  CHECK(open_error(nullptr, 0) == "too short to be a program: 0 bytes");
  AlignedBytes file = with_constant();
  CHECK(open_error(file.data() + 4, file.size() - 4) == "the program must lie at a multiple of 16 bytes");
  std::memcpy(file.data() + 4, "ET11", 4);
  CHECK(open_error(file.data(), file.size()) == "incompatible program version \"ET11\", expected \"ET12\"");
  std::memcpy(file.data() + 4, "BP08", 4);
  CHECK(open_error(file.data(), file.size()) == "this is a bundled program; the .pte inside it is what can be loaded");
}

TEST_CASE("PteFile refuses every truncation of a program") {
  const AlignedBytes file = with_constant();
  for (size_t size = 0; size < file.size(); ++size) {
    CAPTURE(size);
    AlignedBytes cut(size);
    std::memcpy(cut.data(), file.data(), size);
    CHECK_FALSE(measure_error(cut).empty());
  }
}

TEST_CASE("PteFile judges the extended header") {
  const AlignedBytes good = with_constant();
  AlignedBytes file = good;
  put32(file, 12, 20);
  CHECK(open_error(file.data(), file.size()) == "extended header of 20 bytes, expected at least 24");
  AlignedBytes longer = good;
  put64(longer, 16, good.size() + 1);
  CHECK(open_error(longer.data(), longer.size()).find("truncated or inconsistent") == 0);
  AlignedBytes wrapped = good;
  put64(wrapped, 24, UINT64_MAX - 8);
  CHECK(open_error(wrapped.data(), wrapped.size()).find("truncated or inconsistent") == 0);
  AlignedBytes data = good;
  put64(data, 32, UINT64_MAX - 64);
  CHECK(open_error(data.data(), data.size()).find("truncated or inconsistent") == 0);
  AlignedBytes root = good;
  put32(root, 0, 0xFFFFFFF0u);
  CHECK(open_error(root.data(), root.size()) == "malformed: the root table or its lists lie outside of the file");
}

TEST_CASE("PteFile refuses segments that wrap or leave the file") {
  // The segment table's only entry: find its two numbers in the file.
  const AlignedBytes good = with_constant();
  const auto* program = fb::GetProgram(good.data());
  REQUIRE(program->segments()->size() == 1);
  const auto* segment = reinterpret_cast<const flatbuffers::Table*>(program->segments()->Get(0));
  const uint8_t* size_at = segment->GetAddressOf(fb::Segment::VT_SIZE);
  REQUIRE(size_at != nullptr);
  const size_t at = static_cast<size_t>(size_at - good.data());
  CHECK(get64(good, at) == 8);
  for (uint64_t size : {uint64_t{4}, uint64_t{1000}, UINT64_MAX, UINT64_MAX - 7}) {
    CAPTURE(size);
    AlignedBytes file = good;
    put64(file, at, size);
    CHECK(measure_error(file).find("lies outside of") != std::string::npos);
  }
}

TEST_CASE("PtdFile refuses what is no data file") {
  char buffer[256];
  ErrorText error(buffer, sizeof(buffer));
  format::PtdFile data;
  alignas(16) uint8_t bytes[64] = {};
  CHECK_FALSE(data.open(bytes, 20, error).ok());
  CHECK(std::string(buffer) == "data file: too short, 20 bytes");
  error.clear();
  CHECK_FALSE(data.open(bytes, sizeof(bytes), error).ok());
  CHECK(std::string(buffer) == "data file: not a .ptd: no \"FT01\" and \"FH01\" at bytes 4 and 8");
}

TEST_CASE("A program whose weights are elsewhere says which tensor it misses") {
  ProgramBuilder b;
  b.plan_memory({16});
  const int32_t x = b.tensor({.sizes = {2}, .name = "linear.weight", .external = true});
  const int32_t y = b.tensor({.sizes = {2}, .planned_at = 0});
  b.outputs({y});
  b.call("test::twice", "out", {x, y});
  CHECK(measure_error(b.finish()) ==
        "operator test::twice.out (instruction 0), argument 0 (value 0): tensor \"linear.weight\" is in a data file "
        "(.ptd), and none was given");
}

}  // namespace
}  // namespace wick
