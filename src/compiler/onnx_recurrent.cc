// ONNX's LSTM, GRU and RNN as PyTorch's: gates in another order, layouts, directions. A GRU that resets before its
// product (ONNX's default) has no counterpart and is written out step by step.
#include <algorithm>
#include <array>
#include <cstring>

#include "compiler/onnx_call.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

struct Layer {
  int64_t steps, batch, features, hidden, directions;
  bool batch_first, reverse;
  Value* x;  // [steps, batch, features], in the order of time
};

Layer read_layer(OnnxCall& call, int64_t gates) {
  Layer l;
  const Shape& s = call.sizes(0);
  call.require(s.size() == 3, "takes three dimensions");
  l.batch_first = call.integer("layout", 0) != 0;
  l.steps = s[l.batch_first ? 1 : 0];
  l.batch = s[l.batch_first ? 0 : 1];
  l.features = s[2];
  const std::string direction = call.text("direction", "forward");
  l.directions = direction == "bidirectional" ? 2 : 1;
  l.reverse = direction == "reverse";
  l.hidden = call.integer("hidden_size", call.sizes(2).size() == 3 ? call.sizes(2)[2] : 0);
  call.require(l.hidden >= 1 && l.hidden < (1 << 20) && l.steps >= 1, "has an impossible size");
  call.require(call.sizes(1) == Shape({l.directions, gates * l.hidden, l.features}) &&
                   call.sizes(2) == Shape({l.directions, gates * l.hidden, l.hidden}),
               "its weights do not fit hidden_size ", l.hidden);
  call.require(!call.has(3) || call.sizes(3) == Shape({l.directions, 2 * gates * l.hidden}), "its bias does not fit");
  call.require(!call.has_attribute("clip"), "attribute 'clip' is not supported");
  if (call.has(4)) {
    for (const int64_t length : call.ints(4)) {
      call.require(length == l.steps, "sequences of different lengths are not supported");
    }
  }
  l.x = call.in(0);
  if (l.batch_first) l.x = call.permute(l.x, {1, 0, 2});
  if (l.reverse) l.x = call("aten::flip", {l.x, Ints{0}});
  return l;
}

void require_activations(OnnxCall& call, const Strings& usual, int64_t directions) {
  const auto found = call.node().attributes.find("activations");
  if (found == call.node().attributes.end()) return;
  const auto* list = std::get_if<Strings>(&found->second);
  call.require(list != nullptr && list->size() == usual.size() * static_cast<size_t>(directions),
               "has a wrong number of activations");
  for (size_t i = 0; i < list->size(); ++i) {
    call.require((*list)[i] == usual[i % usual.size()], "activation '", (*list)[i], "' is not supported here");
  }
}

// Rows of one direction, gate by gate in PyTorch's order.
Value* weights_of(OnnxCall& call, size_t input, int64_t direction, const Ints& gates, int64_t hidden, int64_t columns,
                  int64_t skip_rows, int64_t all_rows) {
  const files::Array& from = call.constant(input);
  call.require(from.dtype == DType::kFloat32, "takes float32 weights");
  const int64_t rows = static_cast<int64_t>(gates.size()) * hidden;
  files::Array to{DType::kFloat32, {static_cast<int32_t>(rows)}, {}};
  if (columns > 0) to.sizes.push_back(static_cast<int32_t>(columns));
  const int64_t row_bytes = std::max<int64_t>(columns, 1) * 4;
  to.bytes.resize(static_cast<size_t>(rows * row_bytes));
  for (size_t gate = 0; gate < gates.size(); ++gate) {
    const int64_t source = (direction * all_rows + skip_rows + gates[gate] * hidden) * row_bytes;
    std::memcpy(to.bytes.data() + static_cast<int64_t>(gate) * hidden * row_bytes, from.bytes.data() + source,
                static_cast<size_t>(hidden * row_bytes));
  }
  return call.constant(std::move(to));
}

// w_ih, w_hh, b_ih, b_hh for each direction.
Tensors parameters(OnnxCall& call, const Layer& l, const Ints& gates) {
  Tensors all;
  const auto rows = static_cast<int64_t>(gates.size()) * l.hidden;
  for (int64_t d = 0; d < l.directions; ++d) {
    all.push_back(weights_of(call, 1, d, gates, l.hidden, l.features, 0, rows));
    all.push_back(weights_of(call, 2, d, gates, l.hidden, l.hidden, 0, rows));
    if (!call.has(3)) continue;
    all.push_back(weights_of(call, 3, d, gates, l.hidden, 0, 0, 2 * rows));
    all.push_back(weights_of(call, 3, d, gates, l.hidden, 0, rows, 2 * rows));
  }
  return all;
}

Value* initial(OnnxCall& call, const Layer& l, size_t input) {
  if (call.has(input)) {
    return l.batch_first ? call.permute(call.in(input), {1, 0, 2}) : call.in(input);
  }
  const auto size = [](int64_t one) { return static_cast<int32_t>(one); };
  return call.constant(files::filled(DType::kFloat32, {size(l.directions), size(l.batch), size(l.hidden)}, 0));
}

// y: [steps, batch, directions * hidden]; h and c: [directions, batch, hidden].
void set_outputs(OnnxCall& call, const Layer& l, Value* y, Value* h, Value* c) {
  if (call.wants(0)) {
    if (l.reverse) y = call("aten::flip", {y, Ints{0}});
    y = call.view(y, {l.steps, l.batch, l.directions, l.hidden});
    call.set(0, call.permute(y, l.batch_first ? Ints{1, 0, 2, 3} : Ints{0, 2, 1, 3}));
  }
  const auto state = [&](Value* x) { return l.batch_first ? call.permute(x, {1, 0, 2}) : x; };
  if (call.wants(1)) call.set(1, state(h));
  if (c != nullptr && call.wants(2)) call.set(2, state(c));
}

void lstm(OnnxCall& call) {
  const Layer l = read_layer(call, 4);
  require_activations(call, {"Sigmoid", "Tanh", "Tanh"}, l.directions);
  call.require(!call.has(7), "peephole weights are not supported");
  call.require(call.integer("input_forget", 0) == 0, "input_forget is not supported");
  // ONNX: input, output, forget, cell. PyTorch: input, forget, cell, output.
  const Tensors params = parameters(call, l, {0, 2, 3, 1});
  Node* node = call.emit("aten::lstm.input", {l.x, Tensors{initial(call, l, 5), initial(call, l, 6)}, params,
                                              call.has(3), 1, 0.0, false, l.directions == 2, false});
  set_outputs(call, l, node->output(0), node->output(1), node->output(2));
}

void rnn(OnnxCall& call) {
  const Layer l = read_layer(call, 1);
  const auto found = call.node().attributes.find("activations");
  bool relu = false;
  if (found != call.node().attributes.end()) {
    const auto* list = std::get_if<Strings>(&found->second);
    relu = list != nullptr && !list->empty() && (*list)[0] == "Relu";
  }
  require_activations(call, {relu ? "Relu" : "Tanh"}, l.directions);
  const Tensors params = parameters(call, l, {0});
  Node* node = call.emit(relu ? "aten::rnn_relu.input" : "aten::rnn_tanh.input",
                         {l.x, initial(call, l, 5), params, call.has(3), 1, 0.0, false, l.directions == 2, false});
  set_outputs(call, l, node->output(0), node->output(1), nullptr);
}

// One direction of a GRU whose reset gate scales the state before the product, step by step.
std::array<Value*, 2> gru_reset_first(OnnxCall& call, const Layer& l, const Tensors& p, size_t first,
                                      int64_t direction) {
  const int64_t h3 = 3 * l.hidden;
  const bool biased = call.has(3);
  const auto part = [&](Value* x, int64_t dim, int64_t start, int64_t end) {
    return call("aten::slice_copy.Tensor", {x, dim, start, end, 1});
  };
  Value* x = direction == 1 ? call("aten::flip", {l.x, Ints{0}}) : l.x;
  Value* from_x = call("aten::linear", {x, p[first], biased ? p[first + 2] : nullptr});
  Value* w_gates = part(p[first + 1], 0, 0, 2 * l.hidden);
  Value* w_new = part(p[first + 1], 0, 2 * l.hidden, h3);
  Value* b_gates = biased ? part(p[first + 3], 0, 0, 2 * l.hidden) : nullptr;
  Value* b_new = biased ? part(p[first + 3], 0, 2 * l.hidden, h3) : nullptr;
  Value* state = call("aten::select_copy.int", {initial(call, l, 5), 0, direction});
  Tensors states;
  for (int64_t step = 0; step < l.steps; ++step) {
    Value* now = call("aten::select_copy.int", {from_x, 0, step});
    Value* gates = call("aten::linear", {state, w_gates, b_gates});
    gates = call("aten::sigmoid", {call("aten::add.Tensor", {part(now, 1, 0, 2 * l.hidden), gates})});
    Value* reset = part(gates, 1, 0, l.hidden);
    Value* update = part(gates, 1, l.hidden, 2 * l.hidden);
    Value* kept = call("aten::mul.Tensor", {reset, state});
    Value* next = call("aten::linear", {kept, w_new, b_new});
    next = call("aten::tanh", {call("aten::add.Tensor", {part(now, 1, 2 * l.hidden, h3), next})});
    Value* change = call("aten::mul.Tensor", {update, call("aten::sub.Tensor", {state, next})});
    state = call("aten::add.Tensor", {next, change});
    states.push_back(call("aten::unsqueeze_copy", {state, 0}));
  }
  if (direction == 1) std::reverse(states.begin(), states.end());
  return {call("aten::cat", {states, 0}), call("aten::unsqueeze_copy", {state, 0})};
}

void gru(OnnxCall& call) {
  const Layer l = read_layer(call, 3);
  require_activations(call, {"Sigmoid", "Tanh"}, l.directions);
  // ONNX: update, reset, new. PyTorch: reset, update, new.
  const Tensors params = parameters(call, l, {1, 0, 2});
  if (call.integer("linear_before_reset", 0) != 0) {
    Node* node = call.emit("aten::gru.input",
                           {l.x, initial(call, l, 5), params, call.has(3), 1, 0.0, false, l.directions == 2, false});
    set_outputs(call, l, node->output(0), node->output(1), nullptr);
    return;
  }
  Tensors outputs, states;
  const size_t each = params.size() / static_cast<size_t>(l.directions);
  for (int64_t d = 0; d < l.directions; ++d) {
    const auto [y, h] = gru_reset_first(call, l, params, static_cast<size_t>(d) * each, d);
    outputs.push_back(y);
    states.push_back(h);
  }
  Value* y = l.directions == 1 ? outputs[0] : call("aten::cat", {outputs, 2});
  Value* h = l.directions == 1 ? states[0] : call("aten::cat", {states, 0});
  set_outputs(call, l, y, h, nullptr);
}

}  // namespace

void add_onnx_recurrent_rules(OnnxRules& rules) {
  rules["GRU"] = gru;
  rules["LSTM"] = lstm;
  rules["RNN"] = rnn;
}

}  // namespace wick::compiler
