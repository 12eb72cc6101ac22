#include "compiler/compile.h"

#include <algorithm>
#include <chrono>

#include "compiler/assign_layouts.h"
#include "compiler/import_onnx.h"
#include "compiler/import_pt2.h"
#include "compiler/import_tflite.h"
#include "compiler/passes/cancel_moves.h"
#include "compiler/passes/decompose.h"
#include "compiler/passes/fold_affine.h"
#include "compiler/passes/fold_constants.h"
#include "compiler/passes/functionalize.h"
#include "compiler/passes/merge_common.h"
#include "compiler/problems.h"
#include "compiler/quantize/fold_batch_norm.h"
#include "compiler/schema.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

using files::fail;

bool holds(const files::Bytes& bytes, size_t at, std::string_view text) {
  return bytes.size() >= at + text.size() &&
         std::equal(text.begin(), text.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

bool is_quantized(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const auto& node) {
    return node->op.starts_with("quantized_decomposed::") || node->op.starts_with("cortex_m::");
  });
}

class Pipeline {
 public:
  Pipeline(const std::string& name, const CompileOptions& options) : name_(name), options_(options) {}

  Compiled run(Graph graph) {
    out_.graph = std::move(graph);
    Graph& g = out_.graph;
    pass("functionalize", [&] { functionalize(g); });
    const bool had_scales = is_quantized(g);
    if (options_.samples) {
      if (options_.quantize.quantizer == Quantizer::kWick) {
        pass("decompose", [&] { decompose(g); });
        pass("fold constants", [&] { fold_constants(g); });
      }
      if (had_scales) fail(name_, ": is quantized already; compile it without --int8");
      quantize_model();
    } else if (!had_scales) {
      pass("fold batch norms", [&] { fold_batch_norms(g); });
    }
    out_.int8 = had_scales || static_cast<bool>(options_.samples);
    pass("decompose", [&] { decompose(g); });
    pass("fold constants", [&] { fold_constants(g); });
    if (out_.int8) {
      LowerOptions lower{isa_of_target(options_.target), options_.quantize.quantizer == Quantizer::kExecuTorch};
      pass("lower to cortex_m", [&] { lower_cortex_m(g, lower); });
    }
    pass("decompose functions", [&] { decompose_functions(g); });
    if (!out_.int8) {
      pass("fold affine", [&] { fold_affine(g); });
      pass("cancel moves", [&] { cancel_moves(g); });
    }
    pass("merge", [&] { merge_common(g); });
    if (out_.int8) {
      pass("assign layouts", [&] {
        assign_layouts(g, {options_.channels_last_inputs, options_.channels_last_outputs});
      });
    }
    pass("fold constants", [&] { fold_constants(g); });
    pass("drop dead nodes", [&] { g.erase_dead(); });
    judge();
    pass("plan and emit", [&] { emit(); });
    return std::move(out_);
  }

 private:
  template <typename Pass>
  void pass(const char* name, Pass run) {
    const size_t before = out_.graph.nodes().size();
    const auto start = std::chrono::steady_clock::now();
    run();
    const auto time = std::chrono::steady_clock::now() - start;
    out_.passes.push_back({name, before, out_.graph.nodes().size(),
                           static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(time).count())});
  }

  void quantize_model() {
    std::vector<files::InputType> inputs;
    for (const Value* input : out_.graph.inputs()) {
      inputs.push_back({input->name, input->type.dtype, {input->type.sizes.begin(), input->type.sizes.end()}});
    }
    const auto samples = options_.samples(inputs);
    pass("quantize", [&] { quantize(out_.graph, samples, options_.quantize, &out_.quantized); });
  }

  // Everything that no program can call, at once.
  void judge() const {
    Problems problems;
    for (const auto& node : out_.graph.nodes()) {
      const Schema* schema = find_schema(node->op);
      if (node->op == kAllocOp || (schema != nullptr && !schema->out_op.empty())) continue;
      std::string shapes;
      for (const Argument& argument : node->args()) {
        if (const Value* value = argument.tensor()) shapes += (shapes.empty() ? "" : ", ") + describe(value->type);
      }
      problems.add(*node, "this operator is not supported (inputs: " + shapes + ")",
                   "replace it in the model by operators that are");
    }
    problems.throw_if_any(name_);
  }

  void emit() {
    std::vector<MemoryPlan> plans;
    EmitOptions options;
    options.release = options_.release;
    options.plans = &plans;
    out_.program = emit_program(out_.graph, options);
    out_.memory = std::move(plans[0]);
  }

  const std::string& name_;
  const CompileOptions& options_;
  Compiled out_;
};

}  // namespace

Graph import_model(const std::filesystem::path& path, const ImportOptions& options) {
  const files::Bytes bytes = files::read_file(path);
  if (holds(bytes, 0, "PK")) return import_pt2(path, options);
  if (holds(bytes, 4, "TFL3")) return import_tflite(path, options);
  if (path.extension() == ".onnx") return import_onnx(path, options);
  fail(path.string(), ": is no model that wick reads: .pt2 (torch.export.save), .onnx, .tflite or .pte");
}

Compiled compile(const std::filesystem::path& model, const CompileOptions& options) {
  const std::string name = model.string();
  const auto start = std::chrono::steady_clock::now();
  Graph graph = import_model(model, options.import);
  const auto time = std::chrono::steady_clock::now() - start;
  const size_t nodes = graph.nodes().size();
  Compiled out = Pipeline(name, options).run(std::move(graph));
  out.passes.insert(
      out.passes.begin(),
      {"import", 0, nodes, static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(time).count())});
  return out;
}

}  // namespace wick::compiler
