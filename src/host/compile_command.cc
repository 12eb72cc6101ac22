#include "host/compile_command.h"

#include <unistd.h>

#include <charconv>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "compiler/compile.h"
#include "files/failure.h"
#include "files/files.h"
#include "files/samples.h"
#include "files/text_table.h"
#include "host/report_pages.h"

namespace wick::host {

namespace {

using namespace files;
using Json = nlohmann::ordered_json;

void progress(const std::string& line) {
  if (isatty(STDERR_FILENO)) std::cerr << "\r\033[K" << line << std::flush;
}

// "NAME=1,28,28"
void read_shape(const std::string& text_shape, compiler::ImportOptions& options) {
  const size_t equals = text_shape.find('=');
  compiler::Shape sizes;
  const char* at = text_shape.c_str() + (equals == std::string::npos ? text_shape.size() : equals + 1);
  const char* end = text_shape.c_str() + text_shape.size();
  bool legal = equals != std::string::npos && equals > 0;
  while (legal && at < end) {
    int64_t size = 0;
    const auto [stop, error] = std::from_chars(at, end, size);
    legal = error == std::errc() && size > 0 && size <= INT32_MAX && (stop == end || *stop == ',');
    sizes.push_back(size);
    at = stop == end ? end : stop + 1;
  }
  if (!legal) fail("--input-shape ", text_shape, ": expected NAME=SIZE,SIZE,... with sizes of at least 1");
  options.input_shapes[text_shape.substr(0, equals)] = sizes;
}

compiler::RangeRule range_rule(const std::string& calibrator) {
  if (calibrator == "minmax") return compiler::RangeRule::kMinMax;
  if (calibrator == "percentile") return compiler::RangeRule::kPercentile;
  return calibrator == "mse" ? compiler::RangeRule::kMse : compiler::RangeRule::kEntropy;
}

class Compile {
 public:
  explicit Compile(const CompileCommandOptions& options) : o_(options) {}

  int operator()() {
    compiler::CompileOptions options;
    options.target = o_.target;
    options.release = o_.executorch == "1.4" ? compiler::Release::kExecuTorch14 : compiler::Release::kExecuTorch15;
    options.channels_last_inputs = options.channels_last_outputs = o_.channels_last;
    options.quantize.quantizer =
        o_.quantizer == "executorch" ? compiler::Quantizer::kExecuTorch : compiler::Quantizer::kWick;
    options.quantize.keep_float = o_.keep_float;
    options.quantize.max_error = o_.max_error;
    options.quantize.per_channel = o_.granularity == "channel";
    if (!o_.calibrator.empty()) options.quantize.range = range_rule(o_.calibrator);
    for (const std::string& shape : o_.input_shapes) read_shape(shape, options.import);
    if (!o_.int8_data.empty()) {
      options.samples = [this](std::span<const InputType> inputs) {
        auto samples = read_samples(o_.int8_data, inputs, o_.samples);
        if (samples.empty()) fail(o_.int8_data, ": holds no samples");
        samples_ = samples.size();
        return samples;
      };
      options.quantize.progress = [](size_t done, size_t all) { progress(text("calibrating ", done, " of ", all)); };
    }
    progress(text("compiling ", o_.model, " ..."));
    const compiler::Compiled compiled = compiler::compile(o_.model, options);
    progress("");
    write_file(o_.output, compiled.program.data(), compiled.program.size());
    print(compiled);
    const std::string all = json(compiled).dump(2) + "\n";
    if (!o_.json.empty()) write_file(o_.json, all);
    if (o_.report.ends_with(".html")) {
      write_file(o_.report, compile_page(json(compiled)));
    } else if (!o_.report.empty()) {
      write_file(o_.report, all);
    }
    return 0;
  }

 private:
  static uint64_t constant_bytes(const compiler::Graph& graph) {
    uint64_t bytes = 0;
    for (const compiler::Value* constant : graph.constants()) bytes += static_cast<uint64_t>(constant->type.bytes());
    return bytes;
  }

  static std::map<std::string, size_t> operators(const compiler::Compiled& compiled) {
    std::map<std::string, size_t> count;
    for (const auto& node : compiled.graph.nodes()) {
      if (node->op != compiler::kAllocOp && !compiled.memory.elided.contains(node.get())) ++count[node->op];
    }
    return count;
  }

  void print(const compiler::Compiled& c) const {
    const auto line = [](const std::string& label, const std::string& value) {
      std::cout << label << std::string(label.size() < 12 ? 12 - label.size() : 1, ' ') << value << "\n";
    };
    if (o_.verbose) {
      TextTable table;
      table.row({"pass", "nodes before", "after", "us"});
      for (const compiler::PassLog& pass : c.passes) {
        table.row({pass.pass, grouped(pass.nodes_before), grouped(pass.nodes_after), grouped(pass.time_us)});
      }
      std::cout << table.str() << "\n";
    }
    line("model", o_.model);
    std::string kind = c.int8 ? "INT8" : "FP32";
    if (samples_ > 0) kind += text(", calibrated with ", grouped(samples_), " samples (", o_.quantizer, " quantizer)");
    line("program", text(o_.output, ", ", kind, ", ", grouped(c.program.size()), " bytes"));
    size_t calls = 0;
    for (const auto& [op, count] : operators(c)) calls += count;
    line("operators", text(calls, " calls of ", operators(c).size(), " operators"));
    for (const auto& [op, count] : operators(c)) line("", text(op, count > 1 ? text(" x ", count) : ""));
    if (samples_ > 0) {
      line("int8 error", text(decimal(100 * c.quantized.output_error, 3), " % of the outputs (root mean square)"));
      if (!c.quantized.kept_float.empty()) {
        std::string names;
        for (const std::string& name : c.quantized.kept_float) names += (names.empty() ? "" : ", ") + name;
        line("kept float", names);
      }
      if (o_.verbose) std::cout << tensors_table(c);
    }
    line("constants", text(grouped(constant_bytes(c.graph)), " bytes"));
    line("activations", text(grouped(static_cast<uint64_t>(c.memory.bytes)), " bytes planned; ",
                             compiler::describe_peak(c.graph, c.memory)));
  }

  static std::string tensors_table(const compiler::Compiled& c) {
    TextTable table;
    table.row({"tensor", "operator", "min", "max", "scale", "zero point", "clipped", "signal to noise", "adds"});
    for (const compiler::QuantizedTensor& t : c.quantized.tensors) {
      table.row({t.name, t.op, decimal(t.min, 4), decimal(t.max, 4), decimal(t.qparams.scale, 5),
                 std::to_string(t.qparams.zero_point), decimal(100 * t.clipped_share, 2) + " %",
                 decimal(t.sqnr_db, 3) + " dB", decimal(100 * t.added_error, 2) + " %"});
    }
    return table.str();
  }

  Json json(const compiler::Compiled& c) const {
    Json j = {{"model", o_.model},
              {"program", o_.output},
              {"int8", c.int8},
              {"quantizer", samples_ > 0 ? Json(o_.quantizer) : Json()},
              {"calibration_samples", samples_},
              {"program_bytes", c.program.size()},
              {"constants_bytes", constant_bytes(c.graph)},
              {"planned_bytes", c.memory.bytes},
              {"lower_bound_bytes", c.memory.lower_bound_bytes},
              {"output_error", samples_ > 0 ? Json(c.quantized.output_error) : Json()},
              {"kept_float", c.quantized.kept_float},
              {"equalized_pairs", c.quantized.equalized_pairs},
              {"tensors", Json::array()},
              {"operators", Json::object()},
              {"passes", Json::array()}};
    for (const auto& [op, count] : operators(c)) j["operators"][op] = count;
    for (const compiler::QuantizedTensor& t : c.quantized.tensors) {
      j["tensors"].push_back({{"name", t.name},
                              {"operator", t.op},
                              {"min", t.min},
                              {"max", t.max},
                              {"scale", t.qparams.scale},
                              {"zero_point", t.qparams.zero_point},
                              {"clipped_share", t.clipped_share},
                              {"sqnr_db", std::isfinite(t.sqnr_db) ? Json(t.sqnr_db) : Json()},
                              {"added_error", std::isfinite(t.added_error) ? Json(t.added_error) : Json()}});
    }
    for (const compiler::PassLog& pass : c.passes) {
      j["passes"].push_back({{"pass", pass.pass},
                             {"nodes_before", pass.nodes_before},
                             {"nodes_after", pass.nodes_after},
                             {"time_us", pass.time_us}});
    }
    return j;
  }

  const CompileCommandOptions& o_;
  size_t samples_ = 0;
};

}  // namespace

int compile_command(const CompileCommandOptions& options) { return Compile(options)(); }

}  // namespace wick::host
