// TensorFlow Lite's float LSTM over a sequence, as PyTorch's.
#include <algorithm>
#include <cstring>

#include "compiler/tflite_call.h"

namespace wick::compiler {

namespace {

// Constants below each other, in PyTorch's order of gates: input, forget, cell, output.
Value* stacked(TfCall& call, size_t first) {
  files::Array all{DType::kFloat32, {}, {}};
  for (size_t gate = 0; gate < 4; ++gate) {
    const Value* part = call.real(first + gate);
    call.require(part->is_constant(), "its weights must be constant");
    if (gate == 0) {
      all.sizes = part->data->sizes;
      call.require(!all.sizes.empty(), "its weights have no dimensions");
      all.sizes[0] *= 4;
    }
    call.require(part->data->bytes.size() * 4 == *files::array_bytes(DType::kFloat32, all.sizes),
                 "its gates differ in size");
    all.bytes.insert(all.bytes.end(), part->data->bytes.begin(), part->data->bytes.end());
  }
  return call.constant(std::move(all));
}

// Step by step, with the cell's state kept in bounds. [steps, batch, hidden].
Value* clipped_lstm(TfCall& call, Value* x, Value* w_in, Value* w_state, Value* bias, double clip) {
  const int64_t steps = x->type.sizes[0], batch = x->type.sizes[1], hidden = w_state->type.sizes[1];
  Value* from_x = call("aten::linear", {x, w_in, bias});
  Value* state = nullptr;
  Value* cell = nullptr;
  Tensors outputs;
  for (int64_t step = 0; step < steps; ++step) {
    Value* gates = call("aten::select_copy.int", {from_x, 0, step});
    if (state != nullptr) gates = call("aten::add.Tensor", {gates, call("aten::linear", {state, w_state, Argument()})});
    const auto gate = [&](int64_t i, const char* f) {
      return call(f, {call("aten::slice_copy.Tensor", {gates, 1, i * hidden, (i + 1) * hidden, 1})});
    };
    Value* update = call("aten::mul.Tensor", {gate(0, "aten::sigmoid"), gate(2, "aten::tanh")});
    if (cell != nullptr) {
      update = call("aten::add.Tensor", {call("aten::mul.Tensor", {gate(1, "aten::sigmoid"), cell}), update});
    }
    cell = call("aten::hardtanh", {update, -clip, clip});
    state = call("aten::mul.Tensor", {gate(3, "aten::sigmoid"), call("aten::tanh", {cell})});
    outputs.push_back(call.view(state, {1, batch, hidden}));
  }
  return call("aten::cat", {outputs, 0});
}

// States start at zero in each run, as the model's converter means it: a sequence is a whole one.
void lstm(TfCall& call) {
  const TfOptions& o = call.options();
  call.require(call.input_count() >= 20, "has too few inputs");
  call.require(o.byte(0) == 4, "an activation other than tanh is not supported");
  const double clip = double{o.real(1)};
  call.require(clip >= 0 && o.real(2) == 0, "clipping of a projection is not supported");
  for (size_t i = 0; i < call.input_count(); ++i) {
    const bool supported = i <= 8 || (i >= 12 && i <= 15) || i == 18 || i == 19;
    call.require(supported || !call.has(i), "peepholes, projection and normalisation are not supported (input ", i,
                 ")");
    call.require(!supported || call.has(i), "coupled gates are not supported (input ", i, ")");
  }
  Value* x = call.in(0);
  call.require(x->type.sizes.size() == 3, "takes three dimensions");
  const bool time_first = o.flag(3);
  Value* w_in = stacked(call, 1);
  Value* w_state = stacked(call, 5);
  Value* bias = stacked(call, 12);
  const auto hidden = static_cast<int32_t>(w_state->type.sizes.back());
  const auto batch = static_cast<int32_t>(x->type.sizes[time_first ? 1 : 0]);
  // From zero, each step adds less than 1 to the cell's magnitude: a bound of as many as there are steps is none.
  if (clip > 0 && clip < static_cast<double>(x->type.sizes[time_first ? 0 : 1])) {
    Value* in_time = time_first ? x : call.permute(x, {1, 0, 2});
    Value* y = clipped_lstm(call, in_time, w_in, w_state, bias, clip);
    return call.set(time_first ? y : call.permute(y, {1, 0, 2}));
  }
  Value* zero_state = call.constant(files::filled(DType::kFloat32, {1, batch, hidden}, 0));
  Value* zero_bias = call.constant(files::filled(DType::kFloat32, {4 * hidden}, 0));
  Node* node =
      call.emit("aten::lstm.input", {x, Tensors{zero_state, zero_state}, Tensors{w_in, w_state, bias, zero_bias}, true,
                                     1, 0.0, false, false, !time_first});
  call.set(node->output(0));
}

}  // namespace

void add_tflite_recurrent_rules(TfRules& rules) { rules[44] = lstm; }

}  // namespace wick::compiler
