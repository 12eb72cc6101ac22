// Recurrent networks unrolled over their steps. What does not depend on the state (the product of all inputs with the
// input weights) is computed for all steps at once.
#include <algorithm>

#include "compiler/passes/decompose.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

enum class Kind { kLstm, kGru, kTanh, kRelu };

// The weights of one layer in one direction.
struct Cell {
  Value *w_ih, *w_hh, *b_ih = nullptr, *b_hh = nullptr;
};

class Network {
 public:
  Network(Builder& b, const Node& node, Kind kind) : b_(b), node_(node), kind_(kind) {
    const size_t at = 2;
    params_ = *node.arg(at).get<Tensors>();
    biases_ = bool_arg(node, at + 1);
    layers_ = int_arg(node, at + 2);
    directions_ = bool_arg(node, at + 5) ? 2 : 1;
    time_dim_ = bool_arg(node, at + 6) ? 1 : 0;
    if (bool_arg(node, at + 4) && number_arg(node, at + 3) != 0) {
      files::fail(describe(node), ": dropout in training mode; export the model after model.eval()");
    }
    if (sizes_of(node).size() != 3) files::fail(describe(node), ": takes [batch, steps, features]; add a batch of one");
    const Tensors* states = node.arg(1).get<Tensors>();
    h0_ = states != nullptr ? (*states)[0] : node.arg(1).tensor();
    c0_ = states != nullptr ? (*states)[1] : nullptr;
  }

  Replacement operator()() {
    Value* x = node_.arg(0).tensor();
    Tensors last_h, last_c;
    size_t cell = 0;
    for (int64_t layer = 0; layer < layers_; ++layer) {
      Tensors sides;
      for (int64_t direction = 0; direction < directions_; ++direction) {
        sides.push_back(run(x, next_cell(), cell++, direction == 1, &last_h, &last_c));
      }
      x = sides.size() == 1 ? sides[0] : b_("aten::cat", {sides, 2});
    }
    Replacement out = {x, stacked(last_h, 0)};
    if (kind_ == Kind::kLstm) out.push_back(stacked(last_c, 0));
    return out;
  }

 private:
  Cell next_cell() {
    Cell cell{params_.at(used_), params_.at(used_ + 1)};
    used_ += 2;
    if (biases_) cell.b_ih = params_.at(used_), cell.b_hh = params_.at(used_ + 1), used_ += 2;
    return cell;
  }

  Value* stacked(const Tensors& parts, int64_t dim) {
    Tensors wide;
    for (Value* part : parts) {
      Shape sizes = part->type.sizes;
      sizes.insert(sizes.begin() + dim, 1);
      wide.push_back(b_("aten::view_copy", {part, sizes}));
    }
    return wide.size() == 1 ? wide[0] : b_("aten::cat", {wide, dim});
  }

  // All steps of one layer in one direction.
  Value* run(Value* x, const Cell& cell, size_t index, bool backwards, Tensors* last_h, Tensors* last_c) {
    const int64_t steps = x->type.sizes[static_cast<size_t>(time_dim_)];
    Value* projected = b_("aten::linear", {x, cell.w_ih, cell.b_ih});
    const auto initial = [&](Value* states) {
      return b_("aten::select_copy.int", {states, 0, static_cast<int64_t>(index)});
    };
    Value *h = initial(h0_), *c = c0_ == nullptr ? nullptr : initial(c0_);
    Tensors outputs(static_cast<size_t>(steps));
    for (int64_t i = 0; i < steps; ++i) {
      const int64_t t = backwards ? steps - 1 - i : i;
      Value* input = b_("aten::select_copy.int", {projected, time_dim_, t});
      Value* recurrent = b_("aten::linear", {h, cell.w_hh, cell.b_hh});
      h = kind_ == Kind::kLstm  ? lstm(input, recurrent, &c)
          : kind_ == Kind::kGru ? gru(input, recurrent, h)
                                : plain(input, recurrent);
      outputs[static_cast<size_t>(t)] = h;
    }
    last_h->push_back(h);
    if (c != nullptr) last_c->push_back(c);
    return stacked(outputs, time_dim_);
  }

  std::vector<Value*> gates(Value* x, int64_t count) {
    const int64_t size = x->type.sizes[1] / count;
    return b_.node("aten::split_with_sizes_copy", {x, Ints(static_cast<size_t>(count), size), 1})->outputs();
  }

  Value* plain(Value* input, Value* recurrent) {
    Value* sum = b_("aten::add.Tensor", {input, recurrent});
    return b_(kind_ == Kind::kTanh ? "aten::tanh" : "aten::relu", {sum});
  }

  // i, f, g, o: c' = f c + i g, h' = o tanh(c').
  Value* lstm(Value* input, Value* recurrent, Value** c) {
    const auto gate = gates(b_("aten::add.Tensor", {input, recurrent}), 4);
    Value* kept = b_("aten::mul.Tensor", {b_("aten::sigmoid", {gate[1]}), *c});
    Value* fresh = b_("aten::mul.Tensor", {b_("aten::sigmoid", {gate[0]}), b_("aten::tanh", {gate[2]})});
    *c = b_("aten::add.Tensor", {kept, fresh});
    return b_("aten::mul.Tensor", {b_("aten::sigmoid", {gate[3]}), b_("aten::tanh", {*c})});
  }

  // r, z, n: n = tanh(n_x + r n_h), h' = n + z (h - n).
  Value* gru(Value* input, Value* recurrent, Value* h) {
    const auto x = gates(input, 3), s = gates(recurrent, 3);
    Value* r = b_("aten::sigmoid", {b_("aten::add.Tensor", {x[0], s[0]})});
    Value* z = b_("aten::sigmoid", {b_("aten::add.Tensor", {x[1], s[1]})});
    Value* n = b_("aten::tanh", {b_("aten::add.Tensor", {x[2], b_("aten::mul.Tensor", {r, s[2]})})});
    return b_("aten::add.Tensor", {n, b_("aten::mul.Tensor", {z, b_("aten::sub.Tensor", {h, n})})});
  }

  Builder& b_;
  const Node& node_;
  Kind kind_;
  Tensors params_;
  bool biases_ = false;
  int64_t layers_ = 1, directions_ = 1, time_dim_ = 0;
  Value *h0_ = nullptr, *c0_ = nullptr;
  size_t used_ = 0;
};

template <Kind kind>
Replacement network(Builder& b, const Node& node) {
  return Network(b, node, kind)();
}

constexpr RewriteRule kRules[] = {
    {"aten::lstm.input", network<Kind::kLstm>},
    {"aten::gru.input", network<Kind::kGru>},
    {"aten::rnn_tanh.input", network<Kind::kTanh>},
    {"aten::rnn_relu.input", network<Kind::kRelu>},
};

}  // namespace

std::span<const RewriteRule> recurrent_rules() { return kRules; }

}  // namespace wick::compiler
