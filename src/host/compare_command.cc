#include "host/compare_command.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "files/failure.h"
#include "files/samples.h"
#include "files/text_table.h"
#include "host/memory_plan.h"
#include "host/report_pages.h"
#include "host/side_by_side.h"

namespace wick::host {

namespace {

using Json = nlohmann::ordered_json;

std::string fixed(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.*f", digits, value);
  return buffer;
}

class Compare {
 public:
  explicit Compare(const CompareOptions& options) : options_(options), fp32_(options.fp32), int8_(options.int8) {}

  int operator()() {
    check_programs();
    read_data();
    measure_both();
    const Verdict which = verdict(figures_);
    print(which);
    const Json all = json(which);
    if (!options_.json.empty()) write_file(options_.json, all.dump(2) + "\n");
    if (!options_.report.empty()) {
      write_file(options_.report, compare_page(all));
      std::cout << "Report: " << options_.report << "\n";
    }
    return 0;
  }

 private:
  static void progress(const std::string& line) {
    if (isatty(STDERR_FILENO)) std::cerr << "\r\033[K" << line << std::flush;
  }

  void check_programs() const {
    const MethodInfo &a = fp32_.method(), &b = int8_.method();
    if (a.inputs.size() != b.inputs.size() || a.outputs.size() != b.outputs.size()) {
      fail(options_.fp32, " has ", a.inputs.size(), " inputs and ", a.outputs.size(), " outputs, ", options_.int8,
           " has ", b.inputs.size(), " and ", b.outputs.size(), ": not the same model");
    }
    for (size_t i = 0; i < a.inputs.size(); ++i) {
      if (a.input(i).sizes != b.input(i).sizes || a.input(i).dtype != b.input(i).dtype) {
        fail("input ", i, " is ", describe(a.input(i).dtype, a.input(i).sizes), " in ", options_.fp32, " and ",
             describe(b.input(i).dtype, b.input(i).sizes), " in ", options_.int8, ": not the same model");
      }
    }
  }

  void read_data() {
    std::vector<InputType> types;
    for (size_t i = 0; i < fp32_.method().inputs.size(); ++i) {
      const ValueInfo& input = fp32_.method().input(i);
      types.push_back({input.name.empty() ? std::to_string(i) : input.name, input.dtype, input.sizes});
    }
    samples_ = read_samples(options_.data, types, options_.samples);
    if (samples_.empty()) fail(options_.data, ": holds no samples");
    if (options_.labels.empty()) return;
    labels_ = read_labels(options_.labels);
    if (labels_.size() < samples_.size() || (options_.samples == 0 && labels_.size() != samples_.size())) {
      fail(options_.labels, ": has ", labels_.size(), " labels, but ", options_.data, " has ", samples_.size(),
           " samples");
    }
  }

  void measure_both() {
    const std::span<const Sample> on_target =
        std::span<const Sample>(samples_).first(std::min<size_t>(samples_.size(), options_.target_samples));
    figures_.target = options_.target;
    figures_.samples = samples_.size();
    figures_.runner_flash_bytes = runner_flash_bytes(options_.target);
    std::vector<std::vector<Array>> outputs[2];
    for (const auto& [program, side, kind] : {std::tuple(&fp32_, &figures_.fp32, 0), {&int8_, &figures_.int8, 1}}) {
      progress(text(program->name, " on ", options_.target, " ..."));
      side->path = program->name;
      side->cost = measure(*program, options_.target, on_target).cost;
      side->live_bytes = live_bytes(program->method());
      progress(text(program->name, ": ", samples_.size(), " samples on the host ..."));
      outputs[kind] = outputs_of(*program, "host", samples_);
    }
    progress("");
    figures_.errors = output_errors(outputs[0], outputs[1]);
    figures_.classes = classes(outputs[0], outputs[1], labels_);
    if (!labels_.empty() && !figures_.classes) {
      fail(options_.labels, ": labels are of no use here: output 0 is ", describe(outputs[0][0][0]),
           ", not one row of scores");
    }
  }

  std::string percent(size_t part) const {
    return fixed(100.0 * static_cast<double>(part) / static_cast<double>(figures_.samples), 2) + " %";
  }

  void print(const Verdict& which) const {
    const SideBySide& f = figures_;
    TextTable table;
    table.row({"", "FP32", "INT8"});
    const auto row = [&](const std::string& label, const auto& cell) {
      table.row({label, cell(f.fp32), cell(f.int8)});
    };
    const auto optional = [](const std::optional<uint64_t>& v) { return v ? grouped(*v) : std::string("-"); };
    const std::string unit = f.unit() == "ns" ? "ns of this machine" : f.unit() + " (" + f.target + ")";
    row(unit + " per inference",
        [](const Side& s) { return grouped(static_cast<uint64_t>(std::llround(s.latency()))); });
    row(f.unit() + " to load and prepare",
        [](const Side& s) { return grouped(s.cost.load_ticks.value_or(0) + s.cost.prepare_ticks.value_or(0)); });
    row("program bytes", [](const Side& s) { return grouped(s.cost.program_bytes); });
    if (f.runner_flash_bytes) {
      row("flash bytes (program + runtime with all operators)",
          [&](const Side& s) { return grouped(s.cost.program_bytes + *f.runner_flash_bytes); });
    }
    row("arena bytes", [](const Side& s) { return grouped(s.cost.arena_bytes); });
    row("stack bytes at most", [&](const Side& s) { return optional(s.cost.stack_bytes); });
    if (f.classes && f.classes->fp32_right) {
      table.row({text("accuracy on ", grouped(f.samples), " samples"),
                 text(percent(*f.classes->fp32_right), " (", grouped(*f.classes->fp32_right), ")"),
                 text(percent(*f.classes->int8_right), " (", grouped(*f.classes->int8_right), ")")});
    }
    if (f.classes)
      table.row({"same class as FP32", "", text(percent(f.classes->same), " (", grouped(f.classes->same), ")")});
    for (size_t o = 0; o < f.errors.size(); ++o) {
      const OutputError& e = f.errors[o];
      const std::string name = f.errors.size() > 1 ? text("output ", o, ": ") : "output: ";
      table.row({name + "largest error against FP32", "", text(decimal(e.largest, 4), " of ", decimal(e.scale, 4))});
      table.row({name + "mean error against FP32", "", decimal(e.mean, 4)});
      table.row({name + "signal to quantization noise", "", e.sqnr_db ? fixed(*e.sqnr_db, 1) + " dB" : "equal"});
    }
    std::cout << table.str() << "\n" << operators_table() << "\n" << which.sentence << "\n";
  }

  std::string operators_table() const {
    TextTable table;
    table.row({"program", "index", "operator", figures_.unit(), "share", "MACs", "per MAC"});
    for (const Side* side : {&figures_.fp32, &figures_.int8}) {
      uint64_t total = 0;
      for (const OperatorFigures& o : side->cost.operators) total += o.ticks;
      for (const OperatorFigures& o : side->cost.operators) {
        const double share = total == 0 ? 0 : 100.0 * static_cast<double>(o.ticks) / static_cast<double>(total);
        const bool per_mac = o.macs && *o.macs > 0;
        table.row({side == &figures_.fp32 ? "FP32" : "INT8", std::to_string(o.index), o.name, grouped(o.ticks),
                   fixed(share, 2) + " %", o.macs ? grouped(*o.macs) : "",
                   per_mac ? fixed(static_cast<double>(o.ticks) / static_cast<double>(*o.macs), 2) : ""});
      }
    }
    return table.str();
  }

  Json side_json(const Side& s) const {
    const auto optional = [](const std::optional<uint64_t>& v) { return v ? Json(*v) : Json(); };
    Json j = {{"program", s.path},
              {"program_bytes", s.cost.program_bytes},
              {"flash_bytes",
               figures_.runner_flash_bytes ? Json(s.cost.program_bytes + *figures_.runner_flash_bytes) : Json()},
              {"arena_bytes", s.cost.arena_bytes},
              {"persistent_bytes", s.cost.persistent_bytes},
              {"planned_bytes", s.cost.planned_bytes},
              {"scratch_bytes", s.cost.scratch_bytes},
              {"stack_bytes", optional(s.cost.stack_bytes)},
              {"load", optional(s.cost.load_ticks)},
              {"prepare", optional(s.cost.prepare_ticks)},
              {"latency", s.latency()},
              {"latencies", s.cost.latency_ticks},
              {"live_bytes", s.live_bytes},
              {"operators", Json::array()}};
    for (const OperatorFigures& o : s.cost.operators) {
      j["operators"].push_back(
          {{"index", o.index}, {"name", o.name}, {"latency", o.ticks}, {"macs", optional(o.macs)}});
    }
    return j;
  }

  Json json(const Verdict& which) const {
    const SideBySide& f = figures_;
    Json j = {{"target", f.target},
              {"unit", f.unit()},
              {"data", options_.data},
              {"samples", f.samples},
              {"fp32", side_json(f.fp32)},
              {"int8", side_json(f.int8)},
              {"outputs", Json::array()},
              {"same_class", f.classes ? Json(f.classes->same) : Json()},
              {"fp32_right", f.classes && f.classes->fp32_right ? Json(*f.classes->fp32_right) : Json()},
              {"int8_right", f.classes && f.classes->int8_right ? Json(*f.classes->int8_right) : Json()},
              {"ship", which.ship_int8 ? "int8" : "fp32"},
              {"recommendation", which.sentence}};
    for (const OutputError& e : f.errors) {
      j["outputs"].push_back({{"max_abs_error", e.largest},
                              {"mean_abs_error", e.mean},
                              {"scale", e.scale},
                              {"sqnr_db", e.sqnr_db ? Json(*e.sqnr_db) : Json()}});
    }
    return j;
  }

  const CompareOptions& options_;
  LoadedProgram fp32_, int8_;
  std::vector<Sample> samples_;
  std::vector<int64_t> labels_;
  SideBySide figures_;
};

}  // namespace

int compare_command(const CompareOptions& options) { return Compare(options)(); }

}  // namespace wick::host
