// The generated table of operators and the table of programs.
#include "host/firmware_sources.h"

#include <doctest.h>

#include "files/failure.h"

namespace wick::host {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

ProgramInfo program_calling(const std::vector<std::vector<std::string>>& methods) {
  ProgramInfo info;
  for (const std::vector<std::string>& names : methods) {
    MethodInfo& method = info.methods.emplace_back();
    for (const std::string& name : names) method.instructions.push_back({InstructionInfo::Kind::kCall, name, {}, 0});
    method.instructions.push_back({InstructionInfo::Kind::kFree, "", {}, 0});
  }
  return info;
}

TEST_CASE("Operators of programs are those of all methods, each once, sorted") {
  const ProgramInfo a = program_calling({{"aten::relu.out", "aten::add.out"}, {"aten::mul.out"}});
  const ProgramInfo b = program_calling({{"aten::add.out", "cortex_m::quantized_linear.out"}});
  CHECK(operators_of({&a, &b}) ==
        std::vector<std::string>{"aten::add.out", "aten::mul.out", "aten::relu.out", "cortex_m::quantized_linear.out"});
}

TEST_CASE("Operator table has a row for each operator and no other") {
  const std::string source = operator_table_source({"aten::relu.out", "cortex_m::quantized_linear.out"});
  CHECK(contains(source, "{\"aten::relu.out\", op_hash(\"aten::relu.out\"), ops::aten_relu}"));
  CHECK(contains(source, "ops::cortex_m_quantized_linear}"));
  CHECK_FALSE(contains(source, "conv2d"));
}

TEST_CASE("Operator table of programs without operators is empty but there") {
  CHECK(contains(operator_table_source({}), "const OpTable kAllOps = {nullptr, 0};"));
}

TEST_CASE("Operator table refuses an operator that wick has not") {
  CHECK_THROWS_WITH_AS(operator_table_source({"my::own.out"}), "operator my::own.out is not one of wick's",
                       files::Failure);
}

TEST_CASE("Programs lie in flash or in SRAM, with quotes in their names") {
  const std::vector<EmbeddedFile> programs = {{"a\"b", "FP32", "/x/a\"b.pte"}, {"c", "INT8", "/x/c.pte"}};
  const std::string flash = embedded_programs_source(programs, false);
  CHECK(contains(flash, ".section .wick_program, \"a\""));
  CHECK(contains(flash, ".incbin \"/x/a\\\"b.pte\""));
  CHECK(contains(flash, "_ZN4wick5board14embedded_countE:\n  .word 2\n"));
  CHECK(contains(embedded_programs_source(programs, true), ".section .wick_program_sram, \"aw\""));
}

}  // namespace
}  // namespace wick::host
