// Methods on programs written in memory: the arena's exactness, inputs and their errors, state, jumps, sharing.
#include "runtime/method.h"

#include <doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "support/program_builder.h"
#include "support/test_ops.h"

namespace wick {
namespace {

using test::AlignedBytes;
using test::kTestTable;
using test::ProgramBuilder;

struct Text {
  char buffer[512] = {};
  ErrorText error{buffer, sizeof(buffer)};
  std::string str() const { return buffer; }
  bool has(const char* part) const { return str().find(part) != std::string::npos; }
};

// y = (x + 1) * 2 over [2, 3], everything planned.
AlignedBytes add_then_twice() {
  ProgramBuilder b;
  b.plan_memory({96});
  const int32_t x = b.tensor({.sizes = {2, 3}, .planned_at = 0});
  const int32_t t = b.tensor({.sizes = {2, 3}, .planned_at = 32});
  const int32_t y = b.tensor({.sizes = {2, 3}, .planned_at = 64});
  b.inputs({x});
  b.outputs({y});
  b.call("test::add_one", "out", {x, t});
  b.call("test::twice", "out", {t, y});
  return b.finish();
}

const float kX[6] = {1, 2, 3, 4, 5, 6};

void check_result(const Method& m) {
  const Tensor y = m.output(0).tensor;
  for (int i = 0; i < 6; ++i) CHECK(y.as<float>()[i] == 2 * (kX[i] + 1));
}

TEST_CASE("Method needs exactly the arena that it measures") {
  const AlignedBytes file = add_then_twice();
  Text text;
  Program program;
  REQUIRE(program.load(file.data(), file.size(), text.error).ok());
  MethodMemory memory;
  REQUIRE(Method::measure(program, "forward", kTestTable, &memory, text.error).ok());
  CHECK(memory.planned_bytes == 96);
  CHECK(memory.scratch_bytes == 100);

  AlignedBytes bytes(memory.arena_bytes());
  Arena arena(bytes.data(), bytes.size());
  Method method;
  REQUIRE(method.prepare(program, "forward", kTestTable, arena, text.error).ok());
  REQUIRE(method.set_input(0, kX, sizeof(kX), text.error).ok());
  REQUIRE(method.execute(text.error).ok());
  check_result(method);

  Arena small(bytes.data(), bytes.size() - 1);
  Method refused;
  CHECK(refused.prepare(program, "forward", kTestTable, small, text.error).code() == Code::kOutOfMemory);
  const std::string needed = std::to_string(memory.arena_bytes()) + " bytes are needed";
  const std::string given = std::to_string(memory.arena_bytes() - 1) + " were given";
  CAPTURE(text.str());
  CHECK(text.has(needed.c_str()));
  CHECK(text.has(given.c_str()));
  CHECK(small.needed_bytes() == 0);
}

TEST_CASE("Measuring changes nothing and gives the same figure again") {
  const AlignedBytes file = add_then_twice();
  const std::vector<uint8_t> before(file.data(), file.data() + file.size());
  Text text;
  Program program;
  REQUIRE(program.load(file.data(), file.size(), text.error).ok());
  MethodMemory first, second;
  REQUIRE(Method::measure(program, "forward", kTestTable, &first, text.error).ok());
  REQUIRE(Method::measure(program, "forward", kTestTable, &second, text.error).ok());
  CHECK(first.arena_bytes() == second.arena_bytes());
  CHECK(std::memcmp(before.data(), file.data(), before.size()) == 0);
}

TEST_CASE("Method works in an arena at any alignment") {
  const AlignedBytes file = add_then_twice();
  Text text;
  Program program;
  REQUIRE(program.load(file.data(), file.size(), text.error).ok());
  MethodMemory memory;
  REQUIRE(Method::measure(program, "forward", kTestTable, &memory, text.error).ok());
  for (size_t offset = 0; offset < 16; ++offset) {
    CAPTURE(offset);
    const size_t lost = (16 - offset) % 16;
    AlignedBytes bytes(memory.arena_bytes() + lost, offset);
    Arena arena(bytes.data(), bytes.size());
    Method method;
    REQUIRE(method.prepare(program, "forward", kTestTable, arena, text.error).ok());
    REQUIRE(method.set_input(0, kX, sizeof(kX), text.error).ok());
    REQUIRE(method.execute(text.error).ok());
    check_result(method);
    Arena small(bytes.data(), bytes.size() - 1);
    CHECK(method.prepare(program, "forward", kTestTable, small, text.error).code() == Code::kOutOfMemory);
    text.error.clear();
  }
}

TEST_CASE("All missing operators are named at once") {
  ProgramBuilder b;
  b.plan_memory({32});
  const int32_t x = b.tensor({.sizes = {2}, .planned_at = 0}), y = b.tensor({.sizes = {2}, .planned_at = 16});
  b.inputs({x});
  b.outputs({y});
  b.call("no::such", "out", {x, y});
  b.call("test::twice", "out", {x, y});
  b.call("nor::this", "", {x, y});
  const AlignedBytes file = b.finish();
  Text text;
  Program program;
  REQUIRE(program.load(file.data(), file.size(), text.error).ok());
  MethodMemory memory;
  CHECK(Method::measure(program, "forward", kTestTable, &memory, text.error).code() == Code::kMissingOperator);
  CHECK(text.str() ==
        "missing operators: no::such.out, nor::this (2 of 3 that the program calls are not in this build)");
}

TEST_CASE("A method that does not exist is refused with those that do") {
  const AlignedBytes file = add_then_twice();
  Text text;
  Program program;
  REQUIRE(program.load(file.data(), file.size(), text.error).ok());
  MethodMemory memory;
  CHECK(Method::measure(program, "backward", kTestTable, &memory, text.error).code() == Code::kNotFound);
  CHECK(text.str() == "no method \"backward\"; the program has \"forward\"");
}

TEST_CASE("A delegate is refused by its backend's name") {
  ProgramBuilder b;
  b.delegate("SomeBackend");
  const AlignedBytes file = b.finish();
  Text text;
  Program program;
  REQUIRE(program.load(file.data(), file.size(), text.error).ok());
  MethodMemory memory;
  CHECK(Method::measure(program, "forward", kTestTable, &memory, text.error).code() == Code::kUnsupported);
  CHECK(text.has("program needs backend SomeBackend, which wick does not have"));
}

struct Prepared {
  AlignedBytes file;
  Text text;
  Program program;
  MethodMemory memory;
  std::vector<AlignedBytes> arena_bytes;
  Method method;
  explicit Prepared(const AlignedBytes& bytes) : file(bytes) {
    REQUIRE(program.load(file.data(), file.size(), text.error).ok());
    const Status measured = Method::measure(program, "forward", kTestTable, &memory, text.error);
    CAPTURE(text.str());
    REQUIRE(measured.ok());
    arena_bytes.emplace_back(memory.arena_bytes());
    Arena arena(arena_bytes[0].data(), arena_bytes[0].size());
    const Status prepared = method.prepare(program, "forward", kTestTable, arena, text.error);
    CAPTURE(text.str());
    REQUIRE(prepared.ok());
  }
};

TEST_CASE("Inputs are judged") {
  Prepared p(add_then_twice());
  CHECK(p.method.execute(p.text.error).code() == Code::kInvalidState);
  CHECK(p.text.str() == "input 0 was not set since the last run");
  p.text.error.clear();
  CHECK(p.method.set_input(0, kX, 20, p.text.error).code() == Code::kInvalidArgument);
  CHECK(p.text.str() == "input 0: 20 bytes, expected 24 (float32 [2, 3])");
  p.text.error.clear();
  CHECK(p.method.set_input(1, kX, 24, p.text.error).code() == Code::kInvalidArgument);
  CHECK(p.text.str() == "input 1: the method has 1");
  p.text.error.clear();
  CHECK(p.method.set_input(0, Scalar{}, p.text.error).code() == Code::kInvalidArgument);
  CHECK(p.text.has("expected tensor, given a number"));
}

TEST_CASE("An input must be set again after a run, as its memory is reused") {
  Prepared p(add_then_twice());
  REQUIRE(p.method.set_input(0, kX, sizeof(kX), p.text.error).ok());
  REQUIRE(p.method.execute(p.text.error).ok());
  CHECK(p.method.execute(p.text.error).code() == Code::kInvalidState);
  // In place counts when said so.
  std::memcpy(p.method.input(0).tensor.data, kX, sizeof(kX));
  p.method.input_written(0);
  REQUIRE(p.method.execute(p.text.error).ok());
  check_result(p.method);
}

struct StepRecorder final : Profiler {
  std::vector<uint32_t> events;
  void begin_step(uint32_t step) override { events.push_back(step); }
  void end_step(uint32_t step) override { events.push_back(100 + step); }
};

TEST_CASE("The profiler sees every step") {
  Prepared p(add_then_twice());
  REQUIRE(p.method.set_input(0, kX, sizeof(kX), p.text.error).ok());
  StepRecorder recorder;
  REQUIRE(p.method.execute(p.text.error, &recorder).ok());
  CHECK(recorder.events == std::vector<uint32_t>{0, 100, 1, 101});
  char name[64];
  p.method.step_name(1, name, sizeof(name));
  CHECK(std::string(name) == "test::twice.out");
  p.method.step_name(1, name, 8);
  CHECK(std::string(name) == "test::t");
}

TEST_CASE("An error while running names the operator and the instruction") {
  ProgramBuilder b;
  b.plan_memory({16});
  const int32_t y = b.tensor({.sizes = {1}, .planned_at = 0});
  b.outputs({y});
  b.call("test::refuse", "out", {y});
  Prepared p(b.finish());
  CHECK(p.method.execute(p.text.error).code() == Code::kInvalidArgument);
  CHECK(p.text.str() == "index 7 is out of range (operator test::refuse.out, instruction 0)");
}

TEST_CASE("Upper-bound shapes shrink per call and are refused beyond the bound") {
  ProgramBuilder b;
  b.plan_memory({256});
  const int32_t x = b.tensor({.sizes = {8, 2}, .planned_at = 0, .dynamism = 1});
  const int32_t t = b.tensor({.sizes = {8, 2}, .planned_at = 64, .dynamism = 1});
  const int32_t y = b.tensor({.sizes = {8, 2}, .planned_at = 128, .dynamism = 1});
  b.inputs({x});
  b.outputs({y});
  b.call("test::add_one", "out", {x, t});
  b.call("test::twice", "out", {t, y});
  Prepared p(b.finish());
  const std::vector<float> values(20, 3.0f);
  for (int32_t rows : {3, 8, 1, 0}) {
    const int32_t sizes[2] = {rows, 2};
    REQUIRE(p.method.set_input(0, values.data(), static_cast<size_t>(rows) * 8, sizes, 2, p.text.error).ok());
    REQUIRE(p.method.execute(p.text.error).ok());
    const Tensor out = p.method.output(0).tensor;
    CHECK(out.size(0) == rows);
    for (int32_t i = 0; i < 2 * rows; ++i) CHECK(out.as<float>()[i] == 8.0f);
  }
  const int32_t too_many[2] = {9, 2};
  CHECK(p.method.set_input(0, values.data(), 72, too_many, 2, p.text.error).code() == Code::kInvalidArgument);
  CHECK(p.text.str() == "input 0: sizes [9, 2] do not fit, the upper bound is [8, 2]");
}

TEST_CASE("Memory that the program leaves to the caller is used in place") {
  ProgramBuilder b;
  b.plan_memory({32});
  const int32_t x = b.tensor({.sizes = {2, 3}});
  const int32_t t = b.tensor({.sizes = {2, 3}, .planned_at = 0});
  const int32_t y = b.tensor({.sizes = {2, 3}});
  b.inputs({x});
  b.outputs({y});
  b.call("test::add_one", "out", {x, t});
  b.call("test::twice", "out", {t, y});
  Prepared p(b.finish());
  float first[6], second[6];
  float zeros[6] = {};
  REQUIRE(p.method.set_input(0, kX, sizeof(kX), p.text.error).ok());
  CHECK(p.method.execute(p.text.error).code() == Code::kInvalidState);
  CHECK(p.text.str() == "output 0 has no memory: the program leaves it to the caller (set_output)");
  p.text.error.clear();
  REQUIRE(p.method.set_output(0, first, sizeof(first), p.text.error).ok());
  REQUIRE(p.method.execute(p.text.error).ok());
  for (int i = 0; i < 6; ++i) CHECK(first[i] == 2 * (kX[i] + 1));
  REQUIRE(p.method.set_input(0, zeros, sizeof(zeros), p.text.error).ok());
  REQUIRE(p.method.set_output(0, second, sizeof(second), p.text.error).ok());
  REQUIRE(p.method.execute(p.text.error).ok());
  for (int i = 0; i < 6; ++i) CHECK(second[i] == 2.0f);
  CHECK(first[0] == 4.0f);
  CHECK(p.method.set_output(0, first, 20, p.text.error).code() == Code::kInvalidArgument);
}

TEST_CASE("State keeps its value between runs until it is reset") {
  const float initial[2] = {10, 20};
  ProgramBuilder b;
  b.plan_memory({48});
  const uint32_t value = b.initial_value(initial, sizeof(initial));
  const int32_t state = b.tensor({.sizes = {2}, .planned_at = 0, .data_index = value, .name = "state"});
  const int32_t t = b.tensor({.sizes = {2}, .planned_at = 16});
  b.outputs({t});
  b.call("test::add_one", "out", {state, t});
  b.call("test::twice", "out", {t, state});
  Prepared p(b.finish());
  auto run = [&] {
    REQUIRE(p.method.execute(p.text.error).ok());
    return p.method.output(0).tensor.as<float>()[1];
  };
  CHECK(run() == 21);
  CHECK(run() == 43);
  REQUIRE(p.method.reset(p.text.error).ok());
  CHECK(run() == 21);
}

TEST_CASE("Jumps loop and end; an endless loop is an error") {
  auto counting = [](int64_t until) {
    ProgramBuilder b;
    b.plan_memory({32});
    const int32_t x = b.tensor({.sizes = {2}, .planned_at = 0});
    const int32_t y = b.tensor({.sizes = {2}, .planned_at = 16});
    const int32_t i = b.integer(0), end = b.integer(until), done = b.boolean(false);
    b.inputs({x});
    b.outputs({x, i});
    b.call("test::add_one", "out", {x, y});  // 0
    b.call("test::twice", "out", {y, x});    // 1
    b.call("test::count", "", {i, i}, false);
    b.call("test::reached", "", {i, end, done}, false);
    b.jump_if_false(done, 0);
    return b.finish();
  };
  Prepared p(counting(3));
  const float x[2] = {1, 0};
  REQUIRE(p.method.set_input(0, x, sizeof(x), p.text.error).ok());
  const Status status = p.method.execute(p.text.error);
  CAPTURE(p.text.str());
  REQUIRE(status.ok());
  CHECK(p.method.output(0).tensor.as<float>()[0] == 22);  // 1 -> 4 -> 10 -> 22
  CHECK(p.method.output(1).integer == 3);

  Prepared endless(counting(INT64_MAX));
  endless.method.set_step_limit(1000);
  REQUIRE(endless.method.set_input(0, x, sizeof(x), endless.text.error).ok());
  CHECK(endless.method.execute(endless.text.error).code() == Code::kInvalidProgram);
  CHECK(endless.text.str() == "more than 1000 instructions: the program does not end");
}

TEST_CASE("A jump picks a branch and a move its result") {
  ProgramBuilder b;
  b.plan_memory({64});
  const int32_t flag = b.tensor({.dtype = DType::kBool, .sizes = {1}, .planned_at = 0});
  const int32_t x = b.tensor({.sizes = {2}, .planned_at = 16});
  const int32_t left = b.tensor({.sizes = {2}, .planned_at = 32});
  const int32_t right = b.tensor({.sizes = {2}, .planned_at = 48});
  const int32_t result = b.tensor({.sizes = {2}, .planned_at = 32});
  const int32_t never = b.boolean(false);
  b.inputs({flag, x});
  b.outputs({result});
  b.jump_if_false(flag, 4);
  b.call("test::add_one", "out", {x, left});
  b.move(left, result);
  b.jump_if_false(never, 6);
  b.call("test::twice", "out", {x, right});
  b.move(right, result);
  Prepared p(b.finish());
  const float x_value[2] = {5, 6};
  for (uint8_t condition : {1, 0, 1}) {
    REQUIRE(p.method.set_input(0, &condition, 1, p.text.error).ok());
    REQUIRE(p.method.set_input(1, x_value, sizeof(x_value), p.text.error).ok());
    REQUIRE(p.method.execute(p.text.error).ok());
    CHECK(p.method.output(0).tensor.as<float>()[1] == (condition != 0 ? 7.0f : 12.0f));
  }
}

// y = x . transpose(weight), as ExecuTorch writes a linear layer.
AlignedBytes transposed_weight(bool also_output, bool unreadable_value = false) {
  const float weight[6] = {1, 2, 3, 4, 5, 6};  // [3, 2]
  ProgramBuilder b;
  b.plan_memory({160});
  if (unreadable_value) b.unreadable();
  const int32_t w = b.tensor({.sizes = {3, 2}, .data_index = b.constant(weight, sizeof(weight))});
  const int32_t dims = b.int_list({1, 0});
  const int32_t wt = b.tensor({.sizes = {2, 3}, .planned_at = 0});  // [2, 3], dropped
  const int32_t x = b.tensor({.sizes = {1, 2}, .planned_at = 128});
  const int32_t y = b.tensor({.sizes = {1, 3}, .planned_at = 144});
  b.inputs({x});
  b.outputs(also_output ? std::vector<int32_t>{y, wt} : std::vector<int32_t>{y});
  b.call("aten::permute_copy", "out", {w, dims, wt});
  b.call("aten::mm", "out", {x, wt, y});
  return b.finish();
}

TEST_CASE("A transposed constant is read in place and its planned bytes are given back") {
  for (bool also_output : {false, true}) {
    CAPTURE(also_output);
    Prepared p(transposed_weight(also_output));
    CHECK(p.memory.planned_bytes == (also_output ? 160 : 32));
    const float x[2] = {10, 1};
    REQUIRE(p.method.set_input(0, x, sizeof(x), p.text.error).ok());
    REQUIRE(p.method.execute(p.text.error).ok());
    const float* y = p.method.output(0).tensor.as<float>();
    CHECK(y[0] == 12);
    CHECK(y[1] == 34);
    CHECK(y[2] == 56);
    if (also_output) CHECK(p.method.output(1).tensor.as<float>()[1] == 3);
  }
}

TEST_CASE("A value that no one reads and no one can read does not hide the ones behind it") {
  Prepared p(transposed_weight(false, true));
  CHECK(p.memory.planned_bytes == 32);
  const float x[2] = {10, 1};
  REQUIRE(p.method.set_input(0, x, sizeof(x), p.text.error).ok());
  REQUIRE(p.method.execute(p.text.error).ok());
  CHECK(p.method.output(0).tensor.as<float>()[1] == 34);
}

TEST_CASE("A transposed constant is kept where the caller gives memory") {
  const float weight[6] = {1, 2, 3, 4, 5, 6};
  ProgramBuilder b;
  b.plan_memory({48});
  const int32_t w = b.tensor({.sizes = {3, 2}, .data_index = b.constant(weight, sizeof(weight))});
  const int32_t dims = b.int_list({1, 0});
  const int32_t wt = b.tensor({.sizes = {2, 3}, .planned_at = 0});
  const int32_t x = b.tensor({.sizes = {1, 2}});
  const int32_t y = b.tensor({.sizes = {1, 3}, .planned_at = 32});
  b.inputs({x});
  b.outputs({y});
  b.call("aten::permute_copy", "out", {w, dims, wt});
  b.call("aten::mm", "out", {x, wt, y});
  Prepared p(b.finish());
  CHECK(p.memory.planned_bytes == 48);
  const float x_value[2] = {10, 1};
  REQUIRE(p.method.set_input(0, x_value, sizeof(x_value), p.text.error).ok());
  REQUIRE(p.method.execute(p.text.error).ok());
  CHECK(p.method.output(0).tensor.as<float>()[2] == 56);
}

TEST_CASE("A transposed constant is kept when another tensor reads its bytes") {
  const float weight[4] = {1, 2, 3, 4};
  ProgramBuilder b;
  b.plan_memory({64});
  const int32_t w = b.tensor({.sizes = {2, 2}, .data_index = b.constant(weight, sizeof(weight))});
  const int32_t dims = b.int_list({1, 0});
  const int32_t wt = b.tensor({.sizes = {2, 2}, .planned_at = 0});
  const int32_t flat = b.tensor({.sizes = {4}, .planned_at = 0});  // a view of the same bytes
  const int32_t x = b.tensor({.sizes = {1, 2}, .planned_at = 16});
  const int32_t y = b.tensor({.sizes = {1, 2}, .planned_at = 32});
  const int32_t z = b.tensor({.sizes = {4}, .planned_at = 48});
  b.inputs({x});
  b.outputs({y, z});
  b.call("aten::permute_copy", "out", {w, dims, wt});
  b.call("aten::mm", "out", {x, wt, y});
  b.call("test::twice", "out", {flat, z});
  Prepared p(b.finish());
  CHECK(p.memory.planned_bytes == 64);
  const float x_value[2] = {1, 0};
  REQUIRE(p.method.set_input(0, x_value, sizeof(x_value), p.text.error).ok());
  REQUIRE(p.method.execute(p.text.error).ok());
  CHECK(p.method.output(0).tensor.as<float>()[1] == 3);
  CHECK(p.method.output(1).tensor.as<float>()[1] == 6);
}

TEST_CASE("Methods share activations, and their inputs do not survive each other's runs") {
  ProgramBuilder b;
  for (const char* name : {"grow", "double"}) {
    if (std::string(name) == "double") b.next_method(name);
    b.plan_memory({4096});
    const int32_t x = b.tensor({.sizes = {2}, .planned_at = 0});
    const int32_t y = b.tensor({.sizes = {2}, .planned_at = 16});
    b.inputs({x});
    b.outputs({y});
    b.call(std::string(name) == "double" ? "test::twice" : "test::add_one", "out", {x, y});
  }
  const AlignedBytes file = b.finish();
  Text text;
  Program program;
  REQUIRE(program.load(file.data(), file.size(), text.error).ok());
  const char* names[2] = {"forward", "double"};
  MethodMemory one, both;
  REQUIRE(Method::measure(program, "forward", kTestTable, &one, text.error).ok());
  REQUIRE(Method::measure_all(program, names, 2, kTestTable, &both, text.error).ok());
  CHECK(both.planned_bytes == 4096);
  CHECK(both.arena_bytes() < one.arena_bytes() + 256);
  AlignedBytes bytes(both.arena_bytes());
  Arena arena(bytes.data(), bytes.size());
  Method methods[2];
  REQUIRE(Method::prepare_all(program, names, 2, kTestTable, arena, methods, nullptr, text.error).ok());
  const float x[2] = {3, 4};
  REQUIRE(methods[0].set_input(0, x, sizeof(x), text.error).ok());
  REQUIRE(methods[0].execute(text.error).ok());
  CHECK(methods[0].output(0).tensor.as<float>()[0] == 4);
  REQUIRE(methods[0].set_input(0, x, sizeof(x), text.error).ok());
  REQUIRE(methods[1].set_input(0, x, sizeof(x), text.error).ok());
  REQUIRE(methods[1].execute(text.error).ok());
  CHECK(methods[1].output(0).tensor.as<float>()[1] == 8);
  CHECK(methods[0].execute(text.error).code() == Code::kInvalidState);
}

TEST_CASE("Two programs run side by side") {
  Prepared a(add_then_twice()), b(transposed_weight(false));
  const float x[2] = {10, 1};
  REQUIRE(a.method.set_input(0, kX, sizeof(kX), a.text.error).ok());
  REQUIRE(b.method.set_input(0, x, sizeof(x), b.text.error).ok());
  REQUIRE(a.method.execute(a.text.error).ok());
  REQUIRE(b.method.execute(b.text.error).ok());
  check_result(a.method);
  CHECK(b.method.output(0).tensor.as<float>()[0] == 12);
}

// One operator call whose parts a test spoils.
struct Spoiled {
  test::TensorSpec x = {.sizes = {2}, .planned_at = 0};
  test::TensorSpec y = {.sizes = {2}, .planned_at = 16};
  bool x_is_input = true;
  std::vector<int32_t> extra;
  std::string message() const {
    ProgramBuilder b;
    b.plan_memory({32});
    test::TensorSpec out = y;
    const float constant[2] = {1, 2};
    if (out.data_index != 0) out.data_index = b.constant(constant, sizeof(constant));
    const int32_t in = b.tensor(x), result = b.tensor(out);
    if (x_is_input) b.inputs({in});
    b.outputs({result});
    b.call("test::add_one", "out", {in, result});
    const AlignedBytes file = b.finish();
    Text text;
    Program program;
    MethodMemory memory;
    REQUIRE(program.load(file.data(), file.size(), text.error).ok());
    CHECK_FALSE(Method::measure(program, "forward", kTestTable, &memory, text.error).ok());
    return text.str();
  }
};

TEST_CASE("What is wrong with a program is said with its place") {
  Spoiled wrong_dtype;
  wrong_dtype.x.dtype = DType::kInt32;
  CHECK(wrong_dtype.message() ==
        "operator test::add_one.out (instruction 0), argument 0 (value 0): expected float32, found int32");
  Spoiled constant_output;
  constant_output.y = {.sizes = {2}, .data_index = 1};
  CHECK(constant_output.message() ==
        "operator test::add_one.out (instruction 0), argument 1 (value 1): output is a constant");
  Spoiled outside;
  outside.y.planned_at = 28;
  CHECK(outside.message() == "output 0: planned at 28 with 8 bytes, outside of memory 1 of 32 bytes");
  Spoiled misaligned;
  misaligned.y.planned_at = 17;
  CHECK(misaligned.message() == "output 0: planned at 17, not aligned for float32");
  Spoiled memory_id;
  memory_id.y.memory_id = 2;
  CHECK(memory_id.message() == "output 0: memory id 2, the plan has 2");
  Spoiled no_memory;
  no_memory.x.planned_at = -1;
  no_memory.x_is_input = false;
  CHECK(no_memory.message() ==
        "operator test::add_one.out (instruction 0), argument 0 (value 0): tensor has no memory: neither planned, "
        "constant, input nor output");
  Spoiled sizes;
  sizes.y.sizes = {3};
  CHECK(sizes.message() ==
        "operator test::add_one.out (instruction 0), argument 1 (value 1): output has sizes [3], expected [2]");
  Spoiled negative;
  negative.x.sizes = {-2};
  CHECK(negative.message() == "input 0: sizes [-2] are negative or more than 2 GiB");
  Spoiled huge;
  huge.x.sizes = {65536, 65536, 65536};
  CHECK(huge.message() == "input 0: sizes [65536, 65536, 65536] are negative or more than 2 GiB");
  Spoiled order;
  order.x.sizes = {1, 2};
  order.x.dim_order = {1, 1};
  CHECK(order.message() == "input 0: dim_order is not a permutation of 0..1");
  Spoiled beyond;  // 32 more than a valid entry: a mask of 32 bits must not take it for one
  beyond.x.sizes = {1, 2};
  beyond.x.dim_order = {0, 33};
  CHECK(beyond.message() == "input 0: dim_order is not a permutation of 0..1");
  Spoiled unbound;
  unbound.x.dynamism = 2;
  CHECK(unbound.message() == "input 0: unbounded dynamic shape; export with an upper bound");
}

}  // namespace
}  // namespace wick
