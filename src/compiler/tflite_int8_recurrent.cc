// TensorFlow Lite's INT8 layers with state: SVDF, and LSTM over a sequence. No integer operator computes them, so they
// are written out in 64-bit integer arithmetic that gives the same bytes.
#include <algorithm>
#include <cmath>

#include "compiler/integer_nodes.h"
#include "compiler/tflite_call.h"

namespace wick::compiler {

namespace {

// An integer constant as int64, transposed if asked.
Value* wide_constant(TfCall& call, size_t i, bool transposed) {
  const files::Array& from = call.constant(i);
  const auto count = files::element_count(from);
  Ints list(count);
  const Shape sizes = call.sizes(i);
  const uint64_t rows = transposed ? static_cast<uint64_t>(sizes.at(0)) : 1;
  const uint64_t columns = rows == 0 ? 0 : count / rows;
  for (uint64_t k = 0; k < count; ++k) {
    const uint64_t to = transposed ? (k % columns) * rows + k / columns : k;
    list[to] = static_cast<int64_t>(files::element(from, k));
  }
  files::Array array{DType::kInt64, from.sizes, {}};
  if (transposed) std::swap(array.sizes[0], array.sizes[1]);
  const auto* bytes = reinterpret_cast<const uint8_t*>(list.data());
  array.bytes.assign(bytes, bytes + list.size() * sizeof(int64_t));
  return call.constant(std::move(array));
}

float scale_of(TfCall& call, const TfTensor& tensor) {
  call.require(tensor.quantization && tensor.quantization->scale.size() == 1 && tensor.quantization->scale[0] > 0,
               "tensor '", tensor.name, "' must have one scale");
  return static_cast<float>(tensor.quantization->scale[0]);
}

// Features of now go into a memory of as many steps as there are time weights; an output is the weighted sum of `rank`
// features over that memory.
void svdf(TfCall& call) {
  const TfParams in = call.params_in(0), out = call.params_out();
  const int64_t rank = call.options().integer(0);
  const Shape xs = call.sizes(0), fs = call.sizes(1), ts = call.sizes(2);
  call.require(xs.size() == 2 && fs.size() == 2 && ts.size() == 2 && fs[1] == xs[1] && ts[0] == fs[0],
               "its weights do not fit");
  call.require(rank >= 1 && fs[0] % rank == 0, "has rank ", rank, " for ", fs[0], " features");
  const int64_t batch = xs[0], features = fs[0], steps = ts[1], units = features / rank;
  Value* state = call.in(4);
  call.require(state->kind == Value::Kind::kState && state->type.numel() == batch * features * steps,
               "its state does not fit");
  const double state_scale = double{scale_of(call, call.input(4))};
  const TfFactor to_state = tflite_factor(double{in.scale} * double{scale_of(call, call.input(1))} / state_scale);
  const TfFactor to_out = tflite_factor(state_scale * double{scale_of(call, call.input(2))} / double{out.scale});
  IntegerNodes n(call);
  Value* x = n.add(n.wide(call.in(0)), -in.zero_point);
  Value* now = n.requantized(call("aten::mm", {x, wide_constant(call, 1, true)}), to_state);
  const bool narrow = state->type.dtype == DType::kInt8;
  now = n.clamp(now, narrow ? -128 : -32768, narrow ? 127 : 32767);
  Value* memory = call.view(n.wide(state), {batch, features, steps});
  memory = call("aten::slice_copy.Tensor", {memory, 2, 1, steps, 1});
  memory = call("aten::cat", {Tensors{memory, call.view(now, {batch, features, 1})}, 2});
  Value* kept = call("aten::_to_copy", {call.view(memory, state->type.sizes), state->type.dtype});
  call.builder().graph().add_state_update(state, kept);
  Value* sums = n.mul(memory, wide_constant(call, 2, false));
  sums = call("aten::sum.dim_IntList", {sums, Ints{2}, false, DType::kInt64});
  sums = call("aten::sum.dim_IntList", {call.view(sums, {batch, units, rank}), Ints{2}, false, DType::kInt64});
  if (call.has(3)) sums = n.add(sums, wide_constant(call, 3, false));
  call.set(n.to_int8(n.requantized(sums, to_out), out.zero_point));
}

// LSTM. Gates come in steps of 2^-12; sigmoid and tanh give 2^-15; the cell is int16 with a power of two as scale.

struct ColumnFactors {
  Ints before, multipliers, bits;  // shift left as a product, factor, shift right, for each column
};

// A factor for each gate, over as many columns as there are units.
ColumnFactors column_factors(const std::vector<TfFactor>& gates, int64_t hidden) {
  ColumnFactors f;
  for (const TfFactor& gate : gates) {
    for (int64_t i = 0; i < hidden; ++i) {
      f.before.push_back(int64_t{1} << std::max(gate.shift, 0));
      f.multipliers.push_back(gate.multiplier);
      // One bit more, of twice the number, so that no shift is by nothing.
      f.bits.push_back(std::max(-gate.shift, 0) + 1);
    }
  }
  return f;
}

class Lstm {
 public:
  explicit Lstm(TfCall& call) : call_(call), n_(call) {}

  void run() {
    read();
    Value* x = call_.in(0);
    if (!time_first_) x = call_.permute(x, {1, 0, 2});
    const int64_t steps = x->type.sizes[0], batch = x->type.sizes[1], features = x->type.sizes[2];
    Value* rows = n_.add(n_.wide(call_.view(x, {steps * batch, features})), -in_.zero_point);
    Value* sums = n_.add(call_("aten::mm", {rows, stacked(1, features)}), stacked_bias());
    Value* from_x = call_.view(requantized(sums, 1), {steps, batch, 4 * hidden_});
    Value* state = nullptr;  // less its zero point
    Value* cell = nullptr;
    Value* recurrent = stacked(5, hidden_);
    Tensors outputs;
    for (int64_t step = 0; step < steps; ++step) {
      Value* gates = call_("aten::select_copy.int", {from_x, 0, step});
      if (state != nullptr) gates = saturated(n_.add(gates, requantized(call_("aten::mm", {state, recurrent}), 5)));
      cell = next_cell(gates, cell);
      Value* seen = n_.mul(sigmoid(part(gates, 3)), hyperbolic(cell, 15 + cell_power_ - 3));
      seen = n_.add(n_.requantized(seen, tflite_factor(std::ldexp(1.0, -30) / double{out_.scale})), out_.zero_point);
      seen = n_.clamp(seen, -128, 127);
      state = n_.add(seen, -out_.zero_point);
      outputs.push_back(call_.view(seen, {1, batch, hidden_}));
    }
    Value* y = call_("aten::_to_copy", {call_("aten::cat", {outputs, 0}), DType::kInt8});
    call_.set(time_first_ ? y : call_.permute(y, {1, 0, 2}));
  }

 private:
  void read() {
    const TfOptions& o = call_.options();
    call_.require(call_.input_count() >= 20 && o.byte(0) == 4, "an activation other than tanh is not supported");
    for (size_t i = 0; i < call_.input_count(); ++i) {
      const bool needed = i <= 8 || (i >= 12 && i <= 15) || i == 18 || i == 19;
      call_.require(needed == call_.has(i),
                    needed ? "coupled gates are not supported (input "
                           : "peepholes, projection and normalisation are not supported (input ",
                    i, ")");
    }
    in_ = call_.params_in(0);
    out_ = call_.params_out();
    call_.require(call_.params_in(18) == out_, "its state and its output differ in scale or zero point");
    call_.require(call_.sizes(0).size() == 3 && call_.sizes(5).size() == 2, "takes three dimensions");
    hidden_ = call_.sizes(5)[1];
    call_.require(hidden_ >= 1 && call_.sizes(5)[0] == hidden_ && call_.sizes(0)[0] > 0 && call_.sizes(0)[1] > 0,
                  "its weights do not fit");
    const float cell_scale = scale_of(call_, call_.input(19));
    call_.require(std::frexp(cell_scale, &cell_power_) == 0.5f, "its cell's scale must be a power of two");
    --cell_power_;
    time_first_ = o.flag(3);
    const double clip = double{o.real(1)} / double{cell_scale};
    clip_ = o.real(1) > 0 ? static_cast<int64_t>(std::min(clip, 32767.0)) : 32767;
  }

  // Columns: input, forget, cell, output gate.
  Value* stacked(size_t first, int64_t rows) {
    Tensors parts;
    for (size_t gate = 0; gate < 4; ++gate) {
      call_.require(call_.sizes(first + gate) == Shape({hidden_, rows}), "its weights do not fit");
      parts.push_back(wide_constant(call_, first + gate, true));
    }
    return call_("aten::cat", {parts, 1});
  }

  Value* stacked_bias() {
    Tensors parts;
    for (size_t gate = 0; gate < 4; ++gate) {
      call_.require(call_.sizes(12 + gate) == Shape({hidden_}), "its biases do not fit");
      parts.push_back(wide_constant(call_, 12 + gate, false));
    }
    return call_("aten::cat", {parts, 0});
  }

  // Sums of products to steps of 2^-12.
  Value* requantized(Value* sums, size_t first) {
    std::vector<TfFactor> factors;
    for (size_t gate = 0; gate < 4; ++gate) {
      const float product = (first == 1 ? in_.scale : out_.scale) * scale_of(call_, call_.input(first + gate));
      factors.push_back(tflite_factor(double{product} * 4096));
    }
    const ColumnFactors f = column_factors(factors, hidden_);
    Value* x = n_.mul(n_.mul(sums, call_.int64s(f.before)), call_.int64s(f.multipliers));
    x = n_.mul(n_.shift_right(n_.add(x, int64_t{1} << 30), 31), 2);
    Ints half;
    for (const int64_t bits : f.bits) half.push_back(int64_t{1} << (bits - 1));
    x = n_.add(n_.add(x, n_.shift_right(x, 63)), call_.int64s(half));
    return saturated(call_("aten::bitwise_right_shift.Tensor", {x, call_.int64s(f.bits)}));
  }

  Value* saturated(Value* x) { return n_.clamp(x, -32768, 32767); }

  Value* part(Value* gates, int64_t i) {
    return call_("aten::slice_copy.Tensor", {gates, 1, i * hidden_, (i + 1) * hidden_, 1});
  }

  Value* next_cell(Value* gates, Value* cell) {
    const TfFactor from_gates = tflite_factor(std::ldexp(1.0, -30 - cell_power_));
    Value* added = n_.mul(sigmoid(part(gates, 0)), hyperbolic(part(gates, 2), 0));
    added = saturated(n_.requantized(added, from_gates));
    if (cell != nullptr) {
      Value* kept = n_.mul(sigmoid(part(gates, 1)), cell);
      added = saturated(n_.add(saturated(n_.requantized(kept, tflite_factor(std::ldexp(1.0, -15)))), added));
    }
    return n_.clamp(added, -clip_, clip_);
  }

  // Between entries of a table of sigmoid(i / 24) in steps of 2^-16, of which there are 256; the last one is 1.
  Value* interpolated(Value* magnitude, int64_t bits) {
    Ints entries, rises;
    const auto entry = [](int i) {
      return std::min<int64_t>(65535, std::llround(65536.0 / (1.0 + std::exp(-static_cast<double>(i) / 24))));
    };
    for (int i = 0; i < 255; ++i) {
      entries.push_back(entry(i));
      rises.push_back(entry(i + 1) - entry(i));
    }
    entries.push_back(65535);
    rises.push_back(0);
    Value* index = n_.clamp(n_.shift_right(magnitude, bits), 0, 255);
    Value* rest = call_("aten::bitwise_and.Scalar", {magnitude, (int64_t{1} << bits) - 1});
    Value* flat = call_.view(index, {index->type.numel()});
    const auto picked = [&](const Ints& table) {
      return call_.view(call_("aten::index_select", {call_.int64s(table), 0, flat}), magnitude->type.sizes);
    };
    return n_.add(n_.mul(picked(entries), int64_t{1} << bits), n_.mul(rest, picked(rises)));
  }

  Value* by_sign(Value* x, Value* positive, Value* negative) {
    return call_("aten::where.self", {call_("aten::ge.Scalar", {x, 0}), positive, negative});
  }

  // Of steps of 2^-12, in steps of 2^-15.
  Value* sigmoid(Value* x) {
    Value* place = n_.mul(x, 3);
    Value* y = interpolated(call_("aten::abs", {place}), 9);
    Value* positive = n_.add(y, 512);
    Value* negative = n_.add(n_.mul(y, -1), (1 << 25) + 511);
    return n_.shift_right(by_sign(x, positive, negative), 10);
  }

  // tanh(x) = 2 sigmoid(2 x) - 1; x in steps of 2^(-12 + left).
  Value* hyperbolic(Value* x, int64_t left) {
    Value* place = n_.mul(x, left > 0 ? int64_t{3} << left : 3);
    if (left < 0) place = n_.shift_right(n_.add(place, int64_t{1} << (-left - 1)), -left);
    Value* y = interpolated(call_("aten::abs", {place}), 8);
    Value* positive = n_.add(y, -(1 << 23) + 128);
    Value* negative = n_.add(n_.mul(y, -1), (1 << 23) + 127);
    return n_.shift_right(by_sign(place, positive, negative), 8);
  }

  TfCall& call_;
  IntegerNodes n_;
  TfParams in_, out_;
  int64_t hidden_ = 0, clip_ = 0;
  int cell_power_ = 0;
  bool time_first_ = false;
};

void lstm(TfCall& call) { Lstm(call).run(); }

}  // namespace

void add_tflite_int8_recurrent_rules(TfRules& rules) {
  rules[27] = svdf;
  rules[44] = lstm;
}

}  // namespace wick::compiler
