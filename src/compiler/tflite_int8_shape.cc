// TensorFlow Lite's INT8 operators that move elements and care for what integers mean: joining, padding, resizing.
#include <algorithm>

#include "compiler/integer_nodes.h"
#include "compiler/tflite_call.h"

namespace wick::compiler {

namespace {

void concatenation(TfCall& call) {
  const size_t axis = wrap(call.options().integer(0), call.sizes(0).size(), "axis");
  Tensors parts;
  for (size_t i = 0; i < call.input_count(); ++i) parts.push_back(call.requantized(call.in(i), i));
  Value* y = call("aten::cat", {parts, static_cast<int64_t>(axis)});
  call.set(call.clamped(y, tflite_bounds(call.options().byte(1), call.params_out())));
}

// With the real zero, or (PADV2) a byte of its own.
void pad(TfCall& call) {
  Value* x = call.in(0);
  const Ints said = call.ints(1);
  const size_t rank = x->type.sizes.size();
  call.require(said.size() == 2 * rank && rank <= 4, "pads ", rank, " dimensions, of which four are supported");
  Ints before(4, 0), after(4, 0);
  for (size_t i = 0; i < rank; ++i) {
    before[4 - rank + i] = said[2 * i];
    after[4 - rank + i] = said[2 * i + 1];
    call.require(said[2 * i] >= 0 && said[2 * i + 1] >= 0 && said[2 * i] < (1 << 20) && said[2 * i + 1] < (1 << 20),
                 "has an impossible padding");
  }
  int64_t value = call.params_in(0).zero_point;
  if (call.code() == 60) {
    const files::Array& byte = call.constant(2);
    call.require(files::element_count(byte) == 1 && byte.dtype == DType::kInt8, "takes one int8 number to pad with");
    value = static_cast<int64_t>(files::element(byte, 0));
  }
  call.set(call("cortex_m::pad", {x, before, after, value}));
}

// Positions in 1/1024 of an element, as TensorFlow Lite counts them.
struct Line {
  Ints low, high, share;  // of high, in 1/1024
};

Line line_of(int64_t in, int64_t out, bool corners, bool half) {
  Line line;
  int64_t step = ((in << 10) + out / 2) / out;
  if (corners && out > 1) step = (((in - 1) << 10) + (out - 1) / 2) / (out - 1);
  for (int64_t i = 0; i < out; ++i) {
    int64_t place = i * step;
    if (half) place += step / 2 - 512;
    const int64_t low = std::max<int64_t>(place / 1024, 0);
    line.low.push_back(std::min(low, in - 1));
    line.high.push_back(std::clamp<int64_t>((place + 1023) / 1024, 0, in - 1));
    line.share.push_back(place - 1024 * low);
  }
  return line;
}

// Two rows, or columns, weighted; 1024 times the result.
Value* weighted(TfCall& call, IntegerNodes& n, Value* x, size_t axis, const Line& line) {
  const auto dim = static_cast<int64_t>(axis);
  Shape along(4, 1);
  along[axis] = static_cast<int64_t>(line.low.size());
  Ints rest;
  for (const int64_t share : line.share) rest.push_back(1024 - share);
  const auto part = [&](const Ints& index, const Ints& weights) {
    Value* rows = call("aten::index_select", {x, dim, call.int64s(index)});
    return n.mul(rows, call.view(call.int64s(weights), along));
  };
  return n.add(part(line.low, rest), part(line.high, line.share));
}

void resize_bilinear(TfCall& call) {
  const Ints size = call.ints(1);
  const Shape from = call.sizes(0);
  call.require(from.size() == 4 && from[1] > 0 && from[2] > 0 && size.size() == 2 && size[0] >= 1 && size[1] >= 1 &&
                   size[0] < (1 << 20) && size[1] < (1 << 20) && from[1] < (1 << 20) && from[2] < (1 << 20),
               "takes images and a size");
  call.require(call.params_in(0) == call.params_out(), "its input and output differ in scale or zero point");
  const bool corners = call.options().flag(2), half = call.options().flag(3);
  IntegerNodes n(call);
  Value* x = n.wide(call.in(0));
  x = weighted(call, n, x, 1, line_of(from[1], size[0], corners, half));
  x = weighted(call, n, x, 2, line_of(from[2], size[1], corners, half));
  call.set(n.to_int8(n.divide_by_power_of_two(x, 20), 0));
}

}  // namespace

void add_tflite_int8_shape_rules(TfRules& rules) {
  rules[2] = concatenation;
  rules[23] = resize_bilinear;
  rules[34] = rules[60] = pad;
}

}  // namespace wick::compiler
