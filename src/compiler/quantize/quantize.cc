#include "compiler/quantize/quantize.h"

#include "compiler/quantize/calibrate.h"
#include "compiler/quantize/executorch_rules.h"
#include "compiler/quantize/insert_qdq.h"

namespace wick::compiler {

void quantize(Graph& graph, std::span<const std::vector<files::Array>> samples, const QuantizeOptions& options) {
  prepare_for_executorch(graph);
  const QuantizePlan plan = plan_like_executorch(graph);
  const auto observers = calibrate(graph, plan, samples, {options.threads, options.progress});
  std::vector<QParams> qparams;
  for (size_t group = 0; group < observers.size(); ++group) {
    qparams.push_back(plan.fixed(group) ? *plan.fixed(group) : observers[group].qparams(options.range));
  }
  insert_qdq(graph, plan, qparams);
}

}  // namespace wick::compiler
