// The run command: calls from files, a job, and its results as text, JSON and .npy files.
#include "host/run_command.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "files/failure.h"
#include "files/files.h"
#include "files/npy.h"
#include "files/text_table.h"
#include "host/bundled_program.h"
#include "host/call_values.h"
#include "host/job.h"
#include "host/program_info.h"

namespace wick::host {

namespace {

using Json = nlohmann::ordered_json;
constexpr uint64_t kPreviewElements = 12;

// One call of the job, with what the report needs to know of it.
struct PlannedCall {
  const MethodInfo* method = nullptr;
  std::vector<std::optional<Array>> expected;  // logical order
  std::vector<std::string> expected_names;
};

struct OutputReport {
  Array array;
  std::optional<Comparison> comparison;
  std::string expected_name;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  if (list.empty() || list == "-") return parts;
  size_t start = 0;
  for (size_t comma = 0; comma != std::string::npos; start = comma + 1) {
    comma = list.find(',', start);
    parts.push_back(list.substr(start, comma - start));
  }
  return parts;
}

class Run {
 public:
  explicit Run(const RunOptions& options) : options_(options) {}

  int operator()() {
    load();
    plan_calls();
    progress(text("running on ", job_.target, " ..."));
    result_ = run_job(job_);
    progress("");
    if (!result_.error.empty()) fail(options_.program, ": ", result_.error);
    judge();
    write_outputs();
    print();
    if (!options_.json.empty()) write_file(options_.json, json().dump(2) + "\n");
    return report_differences();
  }

 private:
  // A line that comes and goes, on a terminal only.
  static void progress(const std::string& line) {
    if (isatty(STDERR_FILENO)) std::cerr << "\r\033[K" << line << std::flush;
  }

  void load() {
    job_.program = read_file(options_.program);
    if (is_bundled_program(job_.program)) {
      BundledProgram bundle = read_bundled_program(job_.program, options_.program);
      job_.program = std::move(bundle.program);
      cases_ = std::move(bundle.cases);
    } else if (options_.bundled) {
      fail(options_.program, ": is not a bundled program (.bpte), so it has no test cases of its own for --bundled");
    }
    if (options_.bundled && cases_.empty()) fail(options_.program, ": is a bundled program without test cases");
    info_ = read_program_info(job_.program, options_.program);
    if (!options_.data.empty()) job_.data = read_file(options_.data);
    job_.target = options_.target;
    job_.arena_bytes = options_.arena_bytes;
    job_.repeat = options_.repeat;
    job_.profile = options_.profile;
  }

  void plan_calls() {
    if (options_.bundled) {
      for (const BundledCase& c : cases_) plan_bundled(c);
    } else if (!options_.calls.empty()) {
      for (const std::vector<std::string>& call : options_.calls) {
        plan_files(call[0], call.size() > 1 ? split(call[1]) : std::vector<std::string>(),
                   call.size() > 2 ? split(call[2]) : std::vector<std::string>());
      }
    } else {
      plan_files(options_.method, options_.inputs, options_.expects);
    }
  }

  void check_counts(const MethodInfo& m, size_t inputs, size_t expected) const {
    if (inputs != m.inputs.size()) {
      std::string wanted;
      for (size_t i = 0; i < m.inputs.size(); ++i) wanted += (i > 0 ? ", " : "") + describe(m.input(i));
      fail(options_.program, ": method ", m.name, " takes ", m.inputs.size(), " inputs", wanted.empty() ? "" : " (",
           wanted, wanted.empty() ? "" : ")", ", but ", inputs, " are given");
    }
    if (expected > m.outputs.size()) {
      fail(options_.program, ": method ", m.name, " has ", m.outputs.size(), " outputs, but ", expected,
           " expectations are given");
    }
  }

  void plan_files(const std::string& name, const std::vector<std::string>& inputs,
                  const std::vector<std::string>& expects) {
    const MethodInfo& m = info_.method(name);
    check_counts(m, inputs.size(), expects.size());
    Call& call = job_.calls.emplace_back();
    call.method = name;
    call.reset_before = options_.reset;
    for (size_t i = 0; i < inputs.size(); ++i) call.inputs.push_back(read_input(m, i, inputs[i], &notes_));
    PlannedCall& planned = planned_.emplace_back();
    planned.method = &m;
    for (size_t i = 0; i < expects.size(); ++i) {
      const ValueInfo& out = m.output(i);
      planned.expected.push_back(read_array(expects[i], out.dtype, out.sizes));
      planned.expected_names.push_back(expects[i]);
    }
  }

  void plan_bundled(const BundledCase& c) {
    const MethodInfo& m = info_.method(c.method);
    check_counts(m, c.inputs.size(), c.expected.size());
    const std::string source = text("test case ", planned_.size());
    Call& call = job_.calls.emplace_back();
    call.method = c.method;
    call.reset_before = options_.reset;
    for (size_t i = 0; i < c.inputs.size(); ++i) {
      HostValue value = c.inputs[i].value;
      if (Array* array = std::get_if<Array>(&value)) *array = to_logical_order(*array, c.inputs[i].dim_order);
      call.inputs.push_back(to_machine(m, i, std::move(value), source, &notes_));
    }
    PlannedCall& planned = planned_.emplace_back();
    planned.method = &m;
    for (const BundledCase::Value& v : c.expected) {
      planned.expected.push_back(to_logical_order(as_array(v.value), v.dim_order));
      planned.expected_names.push_back(source);
    }
  }

  void judge() {
    for (size_t c = 0; c < result_.calls.size(); ++c) {
      const PlannedCall& planned = planned_[c];
      std::vector<OutputReport>& outputs = outputs_.emplace_back();
      for (size_t i = 0; i < result_.calls[c].outputs.size(); ++i) {
        OutputReport& out = outputs.emplace_back();
        out.array = from_machine(*planned.method, i, result_.calls[c].outputs[i], &notes_);
        if (i < planned.expected.size() && planned.expected[i]) {
          const Array expected = expectation_like(*planned.method, i, *planned.expected[i], out.array);
          out.comparison = compare(out.array, expected, options_.tolerance);
          out.expected_name = planned.expected_names[i];
        }
      }
    }
    // The same sentence for every call is one too many.
    std::vector<std::string> once;
    for (std::string& note : notes_) {
      if (std::find(once.begin(), once.end(), note) == once.end()) once.push_back(std::move(note));
    }
    notes_ = std::move(once);
  }

  // output_0.npy for a single call, call_1_output_0.npy for several.
  void write_outputs() const {
    if (options_.output_dir.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(options_.output_dir, error);
    if (error) fail(options_.output_dir, ": cannot be made: ", error.message());
    for (size_t c = 0; c < outputs_.size(); ++c) {
      for (size_t i = 0; i < outputs_[c].size(); ++i) {
        const std::string prefix = outputs_.size() > 1 ? text("call_", c, "_") : "";
        write_npy(std::filesystem::path(options_.output_dir) / text(prefix, "output_", i, ".npy"),
                  outputs_[c][i].array);
      }
    }
  }

  bool on_host() const { return job_.target == "host"; }
  bool on_board() const { return result_.tick_unit == "cycles"; }
  std::string unit() const { return on_host() ? "ns" : on_board() ? "cycles" : "instructions"; }
  double board_us(uint64_t cycles) const {
    return result_.cycle_hz > 0 ? static_cast<double>(cycles) * 1e6 / static_cast<double>(result_.cycle_hz) : 0;
  }

  // ", about 1,000 cycles or 6.7 us at 150 MHz"; of a board what it counted.
  std::string estimate(const CallResult& call) const {
    if (on_board())
      return text(" or ", grouped(static_cast<uint64_t>(board_us(call.ticks) + 0.5)), " us at ",
                  result_.cycle_hz / 1'000'000, " MHz");
    if (!call.estimated_cycles) return "";
    return text(", about ", grouped(*call.estimated_cycles), " cycles or ",
                grouped(static_cast<uint64_t>(estimated_us(call) + 0.5)), " us at ", result_.cycle_hz / 1'000'000,
                " MHz");
  }
  double estimated_us(const CallResult& call) const {
    return static_cast<double>(*call.estimated_cycles) * 1e6 / static_cast<double>(result_.cycle_hz);
  }

  void print() const {
    const auto line = [](const std::string& label, const std::string& value) {
      std::cout << label << std::string(label.size() < 14 ? 14 - label.size() : 1, ' ') << value << "\n";
    };
    line("program", text(options_.program, ", ", grouped(job_.program.size()), " bytes"));
    line("target", on_host()                ? "host (times depend on this machine)"
                   : on_board()             ? text("the board at ", job_.target)
                   : job_.target == "pico2" ? "pico2 (simulated: instructions exact, cycles and time estimated)"
                                            : text(job_.target, " (emulated: instructions, not cycles)"));
    for (const std::string& note : notes_) line("layout", note);
    for (size_t c = 0; c < outputs_.size(); ++c) {
      if (outputs_.size() > 1) line(text("call ", c), planned_[c].method->name);
      for (size_t i = 0; i < outputs_[c].size(); ++i) {
        const OutputReport& out = outputs_[c][i];
        line(text("output ", i), text(describe(out.array), ": ", preview(out.array, kPreviewElements)));
        if (out.comparison && out.comparison->matches) {
          line("", text("as expected (", out.expected_name, "; largest error ", decimal(out.comparison->max_abs_error),
                        ")"));
        } else if (out.comparison) {
          line("", text("NOT as expected (", out.expected_name, ")"));
        }
      }
      line("execute", text(grouped(result_.calls[c].ticks), " ", unit(), estimate(result_.calls[c])));
      if (options_.profile) std::cout << profile_table(c);
    }
    if (result_.load_ticks) {
      line("load", text(grouped(*result_.load_ticks + result_.prepare_ticks.value_or(0)), " ", unit(), ", of which ",
                        grouped(result_.prepare_ticks.value_or(0)), " to prepare the method"));
    }
    line("arena", text(grouped(result_.arena_bytes), " bytes: persistent ", grouped(result_.persistent_bytes),
                       ", planned ", grouped(result_.planned_bytes), ", scratch ", grouped(result_.scratch_bytes)));
    if (result_.stack_bytes) {
      const auto part = [](const std::optional<uint64_t>& bytes) { return grouped(bytes.value_or(0)); };
      line("stack",
           text(part(result_.stack_bytes), " bytes at most: load ", part(result_.load_stack_bytes), ", prepare ",
                part(result_.prepare_stack_bytes), ", execute ", part(result_.execute_stack_bytes)));
    }
  }

  std::optional<uint64_t> macs(size_t call, const OperatorCost& cost) const {
    const MethodInfo& m = *planned_[call].method;
    if (cost.index >= m.instructions.size()) return std::nullopt;
    return m.macs_of(m.instructions[cost.index]);
  }

  uint64_t output_bytes(size_t call, const OperatorCost& cost) const {
    const MethodInfo& m = *planned_[call].method;
    uint64_t bytes = 0;
    if (cost.index < m.instructions.size()) {
      for (const int32_t v : m.results_of(m.instructions[cost.index]))
        bytes += m.values[static_cast<size_t>(v)].bytes();
    }
    return bytes;
  }

  std::string profile_table(size_t c) const {
    TextTable table;
    table.row({"index", "operator", "calls", unit(), "share", "MACs", "per MAC", "output bytes"});
    const CallResult& call = result_.calls[c];
    uint64_t total = 0;
    for (const OperatorCost& cost : call.operators) total += cost.ticks;
    for (const OperatorCost& cost : call.operators) {
      const std::optional<uint64_t> n = macs(c, cost);
      const double share = total > 0 ? 100.0 * static_cast<double>(cost.ticks) / static_cast<double>(total) : 0;
      const bool per_mac = n && *n > 0 && cost.calls > 0;
      table.row({std::to_string(cost.index), cost.name, grouped(cost.calls), grouped(cost.ticks),
                 text(decimal(share, 3), " %"), n ? grouped(*n) : "",
                 per_mac ? decimal(static_cast<double>(cost.ticks) / static_cast<double>(*n * cost.calls), 3) : "",
                 grouped(output_bytes(c, cost))});
    }
    return table.str();
  }

  Json output_json(size_t c, size_t i) const {
    const OutputReport& out = outputs_[c][i];
    Json j;
    if (outputs_.size() > 1) j["call"] = c;
    j["shape"] = out.array.sizes;
    j["dtype"] = dtype_name(out.array.dtype);
    j["max_abs_error"] = nullptr;
    j["matches"] = nullptr;
    if (out.comparison) {
      // Infinite is what JSON has no number for: null, and matches is false.
      if (std::isfinite(out.comparison->max_abs_error)) j["max_abs_error"] = out.comparison->max_abs_error;
      j["matches"] = out.comparison->matches;
    }
    return j;
  }

  Json operators_json(size_t c) const {
    Json list = Json::array();
    for (const OperatorCost& cost : result_.calls[c].operators) {
      const std::optional<uint64_t> n = macs(c, cost);
      list.push_back({{"index", cost.index},
                      {"name", cost.name},
                      {"calls", cost.calls},
                      {on_host() ? "time_ns" : unit(), cost.ticks},
                      {"macs", n ? Json(*n) : Json()},
                      {"output_bytes", output_bytes(c, cost)}});
    }
    return list;
  }

  Json json() const {
    const auto instructions = [&](std::optional<uint64_t> ticks) {
      return ticks && !on_host() && !on_board() ? Json(*ticks) : Json();
    };
    const auto time = [&](std::optional<uint64_t> ticks) { return ticks && on_host() ? Json(*ticks) : Json(); };
    std::optional<uint64_t> load = result_.load_ticks;
    if (load) *load += result_.prepare_ticks.value_or(0);
    const std::optional<uint64_t> last =
        result_.calls.empty() ? std::nullopt : std::optional(result_.calls.back().ticks);
    Json j;
    j["target"] = options_.target;
    j["program"] = options_.program;
    j["program_bytes"] = job_.program.size();
    j["arena_bytes"] = result_.arena_bytes;
    j["persistent_bytes"] = result_.persistent_bytes;
    j["planned_bytes"] = result_.planned_bytes;
    j["scratch_bytes"] = result_.scratch_bytes;
    const auto or_null = [](const std::optional<uint64_t>& bytes) { return bytes ? Json(*bytes) : Json(); };
    j["stack_bytes"] = or_null(result_.stack_bytes);
    j["load_stack_bytes"] = or_null(result_.load_stack_bytes);
    j["prepare_stack_bytes"] = or_null(result_.prepare_stack_bytes);
    j["execute_stack_bytes"] = or_null(result_.execute_stack_bytes);
    j["load_instructions"] = instructions(load);
    j["prepare_instructions"] = instructions(result_.prepare_ticks);
    j["instructions"] = instructions(last);
    j["time_ns"] = time(last);
    if (on_board() && last) {
      j["cycles"] = *last;
      j["microseconds"] = board_us(*last);
      j["load_cycles"] = load ? Json(*load) : Json();
    }
    if (!result_.calls.empty() && result_.calls.back().estimated_cycles) {
      j["cycles_estimated"] = *result_.calls.back().estimated_cycles;
      j["microseconds_estimated"] = estimated_us(result_.calls.back());
    }
    j["outputs"] = Json::array();
    j["calls"] = Json::array();
    for (size_t c = 0; c < outputs_.size(); ++c) {
      Json call = {{"method", planned_[c].method->name},
                   {"instructions", instructions(result_.calls[c].ticks)},
                   {"time_ns", time(result_.calls[c].ticks)},
                   {"outputs", Json::array()}};
      for (size_t i = 0; i < outputs_[c].size(); ++i) {
        j["outputs"].push_back(output_json(c, i));
        call["outputs"].push_back(output_json(c, i));
      }
      if (result_.calls[c].estimated_cycles) {
        call["cycles_estimated"] = *result_.calls[c].estimated_cycles;
        call["microseconds_estimated"] = estimated_us(result_.calls[c]);
      }
      if (on_board()) {
        call["cycles"] = result_.calls[c].ticks;
        call["microseconds"] = board_us(result_.calls[c].ticks);
      }
      call["operators"] = operators_json(c);
      j["calls"].push_back(call);
    }
    j["operators"] = result_.calls.empty() ? Json::array() : operators_json(result_.calls.size() - 1);
    return j;
  }

  int report_differences() const {
    std::string message;
    for (size_t c = 0; c < outputs_.size(); ++c) {
      for (size_t i = 0; i < outputs_[c].size(); ++i) {
        const OutputReport& out = outputs_[c][i];
        if (!out.comparison || out.comparison->matches) continue;
        message += text(message.empty() ? "" : "\n", options_.program, ": ",
                        outputs_.size() > 1 ? text("call ", c, ", ") : "", "output ", i, " of method ",
                        planned_[c].method->name, " is not as ", out.expected_name, ": ", out.comparison->difference);
      }
    }
    if (message.empty()) return 0;
    std::cerr << "wick run: " << message << "\n";
    return 1;
  }

  const RunOptions& options_;
  Job job_;
  ProgramInfo info_;
  std::vector<BundledCase> cases_;
  std::vector<PlannedCall> planned_;
  std::vector<std::string> notes_;
  JobResult result_;
  std::vector<std::vector<OutputReport>> outputs_;
};

}  // namespace

int run_command(const RunOptions& options) { return Run(options)(); }

}  // namespace wick::host
