// See firmware_sources.h.
#include "host/firmware_sources.h"

#include <map>
#include <set>

#include "files/failure.h"

namespace wick::host {
namespace {

const std::map<std::string, std::string>& prepare_functions() {
  static const std::map<std::string, std::string> functions = {
#define WICK_OP(name, function) {name, #function},
#include "runtime/ops/ops.inc"
#undef WICK_OP
  };
  return functions;
}

// A text as both C++ and the assembler read it.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::vector<std::string> operators_of(const std::vector<const ProgramInfo*>& programs) {
  std::set<std::string> names;
  for (const ProgramInfo* program : programs) {
    for (const MethodInfo& method : program->methods) {
      for (const InstructionInfo& call : method.instructions) {
        if (call.kind == InstructionInfo::Kind::kCall) names.insert(call.name);
      }
    }
  }
  return {names.begin(), names.end()};
}

std::string operator_table_source(const std::vector<std::string>& operators) {
  std::string rows;
  for (const std::string& name : operators) {
    const auto found = prepare_functions().find(name);
    if (found == prepare_functions().end()) files::fail("operator ", name, " is not one of wick's");
    rows += "    {" + quoted(name) + ", op_hash(" + quoted(name) + "), ops::" + found->second + "},\n";
  }
  const std::string head =
      "// Generated: the operators that the programs of this image call, and no others.\n"
      "#include \"runtime/ops/ops.h\"\n\nnamespace wick {\n\n";
  if (rows.empty()) return head + "const OpTable kAllOps = {nullptr, 0};\n\n}  // namespace wick\n";
  return head + "namespace {\nconstexpr Op kOps[] = {\n" + rows +
         "};\nconstexpr auto kSorted = sort_ops(kOps);\n}  // namespace\n\n"
         "const OpTable kAllOps = kSorted.table();\n\n}  // namespace wick\n";
}

std::string embedded_programs_source(const std::vector<EmbeddedFile>& programs, bool in_sram) {
  std::string out = "// Generated: the programs of this image (boards/embedded.h).\n";
  out += in_sram ? "  .section .wick_program_sram, \"aw\"\n" : "  .section .wick_program, \"a\"\n";
  std::string rows, texts;
  for (size_t i = 0; i < programs.size(); ++i) {
    const std::string n = std::to_string(i);
    out += "  .balign 16\nprogram" + n + ":\n  .incbin " + quoted(programs[i].path) + "\nprogram" + n + "_end:\n";
    rows += "  .word name" + n + ", kind" + n + ", program" + n + ", program" + n + "_end - program" + n + "\n";
    texts += "name" + n + ":\n  .asciz " + quoted(programs[i].name) + "\n";
    texts += "kind" + n + ":\n  .asciz " + quoted(programs[i].kind) + "\n";
  }
  out += "  .section .rodata.wick_embedded, \"a\"\n  .balign 4\nrows:\n" + rows;
  out += "  .global _ZN4wick5board8embeddedE, _ZN4wick5board14embedded_countE\n";
  out += "_ZN4wick5board8embeddedE:\n  .word rows\n_ZN4wick5board14embedded_countE:\n  .word " +
         std::to_string(programs.size()) + "\n";
  return out + texts;
}

}  // namespace wick::host
