#include "runtime/program.h"

#include "format/program_generated.h"

namespace wick {

const char* Program::method_name(uint32_t index) const {
  const format::Table plan = file_.plan(index);
  return plan.present() ? plan.string(fb::Plan::VT_NAME) : nullptr;
}

Status Program::find_method(const char* name, format::Table* plan, ErrorText& error) const {
  for (uint32_t i = 0; i < method_count(); ++i) {
    const char* found = method_name(i);
    if (found == nullptr) {
      error.add("method ", i, ": malformed table or no name");
      return Code::kInvalidProgram;
    }
    if (same_text(found, name)) {
      *plan = file_.plan(i);
      return {};
    }
  }
  error.add("no method \"", name, "\"; the program has");
  for (uint32_t i = 0; i < method_count(); ++i) error.add(i == 0 ? " \"" : ", \"", method_name(i), "\"");
  return Code::kNotFound;
}

}  // namespace wick
