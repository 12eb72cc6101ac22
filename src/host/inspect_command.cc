// The inspect command: a program's facts as text and JSON. What it needs on a target is asked of that target.
#include "host/inspect_command.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "files/failure.h"
#include "files/files.h"
#include "files/text_table.h"
#include "host/bundled_program.h"
#include "host/call_values.h"
#include "host/job.h"
#include "host/memory_plan.h"
#include "host/operator_facts.h"
#include "host/program_info.h"
#include "host/releases.h"

namespace wick::host {

namespace {

using Json = nlohmann::ordered_json;
using Kind = ValueInfo::Kind;

const char* kind_name(Kind kind) {
  constexpr const char* kNames[] = {"none", "int", "bool", "double", "string", "tensor", "list"};
  return kNames[static_cast<size_t>(kind)];
}

std::string joined(const std::vector<std::string>& parts, const char* none) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out.empty() ? none : out;
}

std::string dim_order_text(const ValueInfo& v) {
  std::string out;
  for (const uint8_t dim : v.dim_order) out += (out.empty() ? "" : ", ") + std::to_string(dim);
  return "(" + out + ")";
}

std::string value_text(const ValueInfo& v, const std::optional<Quantization>& q) {
  if (v.kind == Kind::kInt) return text("integer ", v.integer);
  if (v.kind == Kind::kDouble) return text("number ", v.number);
  if (v.kind == Kind::kBool) return v.integer != 0 ? "bool true" : "bool false";
  if (v.kind == Kind::kString) return "string \"" + v.string + "\"";
  if (v.kind != Kind::kTensor) return kind_name(v.kind);
  std::string out = text(describe(v), ", dim_order ", dim_order_text(v));
  if (q) out += text(", quantized with scale ", decimal(q->scale, 8), " and zero point ", q->zero_point);
  if (v.place == ValueInfo::Place::kCaller) out += ", in the caller's memory";
  return out;
}

Json value_json(const ValueInfo& v, const std::optional<Quantization>& q) {
  Json j = {{"kind", kind_name(v.kind)}};
  if (v.kind == Kind::kInt) j["value"] = v.integer;
  if (v.kind == Kind::kBool) j["value"] = v.integer != 0;
  if (v.kind == Kind::kDouble) j["value"] = v.number;
  if (v.kind == Kind::kString) j["value"] = v.string;
  if (v.kind != Kind::kTensor) return j;
  j["dtype"] = dtype_name(v.dtype);
  j["shape"] = v.sizes;
  j["dynamic"] = v.dynamic;
  j["dim_order"] = v.dim_order;
  j["scale"] = q ? Json(q->scale) : Json();
  j["zero_point"] = q ? Json(q->zero_point) : Json();
  return j;
}

class Inspection {
 public:
  explicit Inspection(const InspectOptions& options) : options_(options) {}

  int operator()() {
    program_ = read_file(options_.program);
    if (is_bundled_program(program_)) {
      BundledProgram bundle = read_bundled_program(program_, options_.program);
      program_ = std::move(bundle.program);
      test_cases_ = bundle.cases.size();
    }
    info_ = read_program_info(program_, options_.program);
    if (!options_.method.empty()) {
      MethodInfo only = info_.method(options_.method);
      info_.methods = {std::move(only)};
    }
    verdict_ = releases_of(info_);
    missing_ = missing_operators(info_);
    backends_ = delegated_backends(info_);
    ask_target();
    print();
    if (!options_.json.empty()) write_file(options_.json, json().dump(2) + "\n");
    return 0;
  }

 private:
  void ask_target() {
    Job job;
    job.target = options_.target == "pico2" ? "cortex-m33" : options_.target;
    job.program = program_;
    if (!options_.data.empty()) job.data = read_file(options_.data);
    answer_ = run_job(job);
  }

  void print() const {
    const auto line = [](const std::string& label, const std::string& value) {
      std::cout << label << std::string(label.size() < 14 ? 14 - label.size() : 1, ' ') << value << "\n";
    };
    line("program", text(options_.program, ", ", grouped(program_.size()), " bytes, of which constants ",
                         grouped(info_.constants_bytes)));
    if (test_cases_ > 0) line("bundled", text(test_cases_, " test cases; run them with wick run --bundled"));
    line("ExecuTorch", text("signatures of release ", joined(verdict_.releases, "none that is known")));
    for (const std::string& problem : verdict_.problems) line("", problem);
    for (const MethodInfo& m : info_.methods) print_method(m);
    line("missing", text(joined(missing_, "no operators"), " (", options_.target, ")"));
    if (!backends_.empty()) line("backends", text(joined(backends_, ""), ": not available, the program cannot run"));
    if (answer_.error.empty()) {
      line("arena", text(grouped(answer_.arena_bytes), " bytes on ", options_.target, ": persistent ",
                         grouped(answer_.persistent_bytes), ", planned ", grouped(answer_.planned_bytes), ", scratch ",
                         grouped(answer_.scratch_bytes)));
    } else {
      line("arena", text("unknown: ", answer_.error));
    }
  }

  void print_method(const MethodInfo& m) const {
    std::cout << "method        " << m.name << "\n";
    for (size_t i = 0; i < m.inputs.size(); ++i) {
      std::cout << "  input " << i << "     " << value_text(m.input(i), m.input_quantization(i)) << "\n";
    }
    for (size_t i = 0; i < m.outputs.size(); ++i) {
      std::cout << "  output " << i << "    " << value_text(m.output(i), m.output_quantization(i)) << "\n";
    }
    TextTable operators;
    operators.row({"index", "operator", "inputs", "outputs", "MACs"});
    for (size_t i = 0; i < m.instructions.size(); ++i) {
      const InstructionInfo& in = m.instructions[i];
      const std::optional<uint64_t> macs = m.macs_of(in);
      operators.row({std::to_string(i), in.name, tensors_text(m, operands_of(m, in)), tensors_text(m, m.results_of(in)),
                     macs ? grouped(*macs) : ""});
    }
    if (!operators.empty()) std::cout << "  operators\n" << operators.str("    ");
    TextTable plan;
    plan.row({"value", "type", "memory", "offset", "bytes", "from", "to"});
    for (const PlannedTensor& t : memory_plan(m)) {
      const ValueInfo& v = m.values[static_cast<size_t>(t.value)];
      const bool last = t.last >= static_cast<int64_t>(m.instructions.size());
      plan.row({std::to_string(t.value), describe(v) + (v.initialized ? ", state" : ""), std::to_string(v.memory_id),
                grouped(v.offset), grouped(v.bytes()), t.first < 0 ? "start" : std::to_string(t.first),
                last ? "end" : std::to_string(t.last)});
    }
    for (size_t i = 0; i < m.memory_bytes.size(); ++i) {
      std::cout << "  memory " << i + 1 << "    " << grouped(m.memory_bytes[i]) << " bytes planned\n";
    }
    if (!plan.empty()) std::cout << plan.str("    ");
  }

  static std::vector<int32_t> operands_of(const MethodInfo& m, const InstructionInfo& in) {
    const std::vector<int32_t> results = m.results_of(in);
    std::vector<int32_t> operands;
    for (const int32_t v : m.tensors_of(in)) {
      if (std::find(results.begin(), results.end(), v) == results.end()) operands.push_back(v);
    }
    return operands;
  }

  static std::string tensors_text(const MethodInfo& m, const std::vector<int32_t>& tensors) {
    std::string out;
    for (const int32_t v : tensors) out += (out.empty() ? "" : ", ") + describe(m.values[static_cast<size_t>(v)]);
    return out;
  }

  static Json tensors_json(const MethodInfo& m, const std::vector<int32_t>& tensors) {
    Json list = Json::array();
    for (const int32_t index : tensors) {
      const ValueInfo& v = m.values[static_cast<size_t>(index)];
      list.push_back({{"value", index},
                      {"dtype", dtype_name(v.dtype)},
                      {"shape", v.sizes},
                      {"constant", v.place == ValueInfo::Place::kConstant || v.place == ValueInfo::Place::kDataFile}});
    }
    return list;
  }

  static Json method_json(const MethodInfo& m) {
    Json j = {{"name", m.name}, {"inputs", Json::array()}, {"outputs", Json::array()}, {"operators", Json::array()}};
    for (size_t i = 0; i < m.inputs.size(); ++i) j["inputs"].push_back(value_json(m.input(i), m.input_quantization(i)));
    for (size_t i = 0; i < m.outputs.size(); ++i) {
      j["outputs"].push_back(value_json(m.output(i), m.output_quantization(i)));
    }
    for (size_t i = 0; i < m.instructions.size(); ++i) {
      const InstructionInfo& in = m.instructions[i];
      const std::optional<uint64_t> macs = m.macs_of(in);
      j["operators"].push_back({{"index", i},
                                {"name", in.name},
                                {"inputs", tensors_json(m, operands_of(m, in))},
                                {"outputs", tensors_json(m, m.results_of(in))},
                                {"macs", macs ? Json(*macs) : Json()}});
    }
    j["delegates"] = m.delegates;
    j["memory"] = {{"planned_bytes", m.memory_bytes}, {"tensors", Json::array()}};
    for (const PlannedTensor& t : memory_plan(m)) {
      const ValueInfo& v = m.values[static_cast<size_t>(t.value)];
      j["memory"]["tensors"].push_back({{"value", t.value},
                                        {"memory_id", v.memory_id},
                                        {"offset", v.offset},
                                        {"bytes", v.bytes()},
                                        {"first", t.first},
                                        {"last", t.last}});
    }
    return j;
  }

  // `inputs`, `outputs` and `operators` at the top are those of the first method, or of "forward" where there is one.
  Json json() const {
    Json j = {{"program", options_.program}, {"program_bytes", program_.size()}, {"target", options_.target}};
    j["methods"] = Json::array();
    for (const MethodInfo& m : info_.methods) j["methods"].push_back(method_json(m));
    size_t shown = 0;
    for (size_t i = 0; i < info_.methods.size(); ++i) {
      if (info_.methods[i].name == "forward") shown = i;
    }
    for (const char* key : {"inputs", "outputs", "operators"}) {
      j[key] = info_.methods.empty() ? Json::array() : j["methods"][shown][key];
    }
    j["constants_bytes"] = info_.constants_bytes;
    const bool known = answer_.error.empty();
    j["arena_bytes"] = known ? Json(answer_.arena_bytes) : Json();
    j["persistent_bytes"] = known ? Json(answer_.persistent_bytes) : Json();
    j["planned_bytes"] = known ? Json(answer_.planned_bytes) : Json();
    j["scratch_bytes"] = known ? Json(answer_.scratch_bytes) : Json();
    j["missing_operators"] = missing_;
    j["missing_backends"] = backends_;
    j["executorch_releases"] = verdict_.releases;
    j["signature_problems"] = verdict_.problems;
    j["bundled_test_cases"] = test_cases_;
    if (!known) j["error"] = answer_.error;
    return j;
  }

  const InspectOptions& options_;
  Bytes program_;
  ProgramInfo info_;
  size_t test_cases_ = 0;
  ReleaseVerdict verdict_;
  std::vector<std::string> missing_, backends_;
  JobResult answer_;
};

}  // namespace

int inspect_command(const InspectOptions& options) { return Inspection(options)(); }

}  // namespace wick::host
