#include "host/side_by_side.h"

#include <doctest.h>

#include <cstring>

#include "files/failure.h"
#include "host/memory_plan.h"
#include "host/report_pages.h"

using namespace wick;
using namespace wick::host;

namespace {

Array floats(std::vector<int32_t> sizes, std::vector<float> values) {
  Array array{DType::kFloat32, std::move(sizes), std::vector<uint8_t>(values.size() * sizeof(float))};
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

// A model that INT8 makes faster by `speed` and smaller by half.
SideBySide figures(double speed) {
  SideBySide f;
  f.samples = 1000;
  f.fp32.cost.latency_ticks = {100000, 300000};
  f.int8.cost.latency_ticks = {static_cast<uint64_t>(200000 / speed)};
  f.fp32.cost.program_bytes = 40000, f.int8.cost.program_bytes = 20000;
  f.fp32.cost.arena_bytes = 10000, f.int8.cost.arena_bytes = 5000;
  f.errors = {OutputError{0.1, 0.01, 1.0, 30.0}};
  return f;
}

ValueInfo planned(uint64_t offset, int32_t bytes) {
  ValueInfo v;
  v.kind = ValueInfo::Kind::kTensor;
  v.place = ValueInfo::Place::kPlanned;
  v.dtype = DType::kInt8;
  v.memory_id = 1;
  v.offset = offset;
  v.sizes = {bytes};
  v.dim_order = {0};
  return v;
}

}  // namespace

TEST_CASE("Output errors are taken over all samples, per output") {
  const auto errors = output_errors({{floats({1, 2}, {3, -4})}, {floats({1, 2}, {0, 0})}},
                                    {{floats({1, 2}, {3, -3})}, {floats({1, 2}, {0, 2})}});
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].largest == 2);
  CHECK(errors[0].mean == doctest::Approx(0.75));
  CHECK(errors[0].scale == 4);
  CHECK(*errors[0].sqnr_db == doctest::Approx(10 * std::log10(25.0 / 5.0)));
  CHECK_FALSE(output_errors({{floats({1}, {3})}}, {{floats({1}, {3})}})[0].sqnr_db.has_value());
  CHECK_THROWS_WITH_AS(output_errors({{floats({2}, {3, 1})}}, {{floats({1}, {3})}}),
                       "output 0 is float32 [2] in the first program and float32 [1] in the second: not the same model",
                       files::Failure);
}

TEST_CASE("Classes count agreement, and with labels who is right") {
  const std::vector<std::vector<Array>> a = {{floats({1, 3}, {0, 9, 1})}, {floats({1, 3}, {5, 1, 1})}};
  const std::vector<std::vector<Array>> b = {{floats({1, 3}, {0, 8, 1})}, {floats({1, 3}, {5, 6, 1})}};
  const auto with = classes(a, b, std::vector<int64_t>{1, 0});
  REQUIRE(with.has_value());
  CHECK(with->same == 1);
  CHECK(*with->fp32_right == 2);
  CHECK(*with->int8_right == 1);
  CHECK_FALSE(classes(a, b, {})->fp32_right.has_value());
  const std::vector<std::vector<Array>> picture = {{floats({1, 2, 2}, {1, 2, 3, 4})}};
  CHECK_FALSE(classes(picture, picture, {}).has_value());
}

TEST_CASE("Verdict ships INT8 when it is right enough and faster") {
  SideBySide f = figures(2.0);
  f.classes = Classes{995, 980, 975};
  CHECK(verdict(f).ship_int8);
  CHECK(verdict(f).sentence ==
        "Ship INT8: 2.00 times as fast, 50 % less program, 50 % less RAM, accuracy 97.50 % against 98.00 %.");
}

TEST_CASE("Verdict ships FP32 when INT8 loses more than a point, or classes, or signal") {
  SideBySide f = figures(2.0);
  f.classes = Classes{900, 980, 969};
  CHECK_FALSE(verdict(f).ship_int8);
  CHECK(verdict(f).sentence.find("not right enough (accuracy 96.90 % against 98.00 %)") != std::string::npos);
  f.classes = Classes{989, {}, {}};
  CHECK_FALSE(verdict(f).ship_int8);
  f.classes->same = 990;
  CHECK(verdict(f).ship_int8);
  f.classes.reset();
  CHECK(verdict(f).ship_int8);
  f.errors[0].sqnr_db = 19.9;
  CHECK_FALSE(verdict(f).ship_int8);
}

TEST_CASE("Verdict weighs a little time against much memory, and no more") {
  SideBySide f = figures(1 / 1.05);
  CHECK(verdict(f).ship_int8);
  f.int8.cost.program_bytes = 39000;
  CHECK_FALSE(verdict(f).ship_int8);
  CHECK(verdict(f).sentence.find("not worth it: 1.05 times as slow") != std::string::npos);
  CHECK_FALSE(verdict(figures(1 / 1.2)).ship_int8);
}

TEST_CASE("Live bytes count memory that is shared once, and inputs from the start") {
  MethodInfo m;
  m.values = {planned(0, 16), planned(16, 32), planned(0, 16), planned(8, 24)};
  m.inputs = {0};
  m.outputs = {2};
  const auto call = [](std::vector<int32_t> args) {
    InstructionInfo i;
    i.args = std::move(args);
    return i;
  };
  m.instructions = {call({0, 1}), call({1, 2}), call({1, 3})};
  // 0: input and value 1; 1: values 1 and 2, the output; 2: 1 and 3 overlap from 16 to 32, and the output from 8 to 16.
  CHECK(live_bytes(m) == std::vector<uint64_t>{48, 48, 48});
  m.instructions.pop_back();
  m.outputs.clear();
  CHECK(live_bytes(m) == std::vector<uint64_t>{48, 48});
  m.inputs.clear();
  m.instructions = {call({1}), call({2})};
  CHECK(live_bytes(m) == std::vector<uint64_t>{32, 16});
}

TEST_CASE("Comparison page carries chart library and figures, and no figure can end its script") {
  const std::string page = compare_page({{"data", "</script><b>"}, {"samples", 3}});
  CHECK(page.find("</script><b>") == std::string::npos);
  CHECK(page.find(R"("data":"<\/script><b>")") != std::string::npos);
  CHECK(page.find("Chart.js") != std::string::npos);
  CHECK(page.find("/*FIGURES*/") == std::string::npos);
  CHECK(page.find("src=") == std::string::npos);  // nothing is loaded from elsewhere
}

TEST_CASE("Compile page carries its figures, and loads nothing from elsewhere") {
  const std::string page = compile_page({{"program", "a.pte"}, {"tensors", {{{"name", "</script>"}}}}});
  CHECK(page.find(R"("program":"a.pte")") != std::string::npos);
  CHECK(page.find(R"("name":"<\/script>")") != std::string::npos);
  CHECK(page.find("/*FIGURES*/") == std::string::npos);
  CHECK(page.find("src=") == std::string::npos);
}
