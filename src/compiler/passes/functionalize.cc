#include "compiler/passes/functionalize.h"

#include <functional>
#include <numeric>
#include <unordered_map>

#include "compiler/passes/rewrite.h"
#include "compiler/schema.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

// The value that the base of a view takes when the view is written.
using Inverse = Value* (*)(Builder&, const Node& view, size_t output, Value* base, Value* written);

Value* inverse_identity(Builder&, const Node&, size_t, Value*, Value* written) { return written; }

Value* inverse_reshape(Builder& b, const Node&, size_t, Value* base, Value* written) {
  return b("aten::view_copy", {written, base->type.sizes});
}

Value* inverse_select(Builder& b, const Node& view, size_t, Value* base, Value* written) {
  return b("aten::select_scatter", {base, written, view.arg(1), view.arg(2)});
}

Value* inverse_slice(Builder& b, const Node& view, size_t, Value* base, Value* written) {
  return b("aten::slice_scatter", {base, written, view.arg(1), view.arg(2), view.arg(3), view.arg(4)});
}

Value* inverse_narrow(Builder& b, const Node& view, size_t, Value* base, Value* written) {
  const size_t dim = wrap(int_arg(view, 1), base->type.sizes.size(), "dimension");
  const int64_t start = int_arg(view, 2) < 0 ? int_arg(view, 2) + base->type.sizes[dim] : int_arg(view, 2);
  return b("aten::slice_scatter", {base, written, view.arg(1), start, start + int_arg(view, 3), 1});
}

// Parts of a split: where the part begins follows from the parts before it.
Value* inverse_part(Builder& b, const Node& view, size_t output, Value* base, Value* written) {
  const size_t dim = wrap(int_arg(view, 2), base->type.sizes.size(), "dimension");
  int64_t start = 0;
  for (size_t i = 0; i < output; ++i) start += view.output(i)->type.sizes[dim];
  const int64_t end = start + written->type.sizes[dim];
  return b("aten::slice_scatter", {base, written, static_cast<int64_t>(dim), start, end, 1});
}

Value* inverse_unbind(Builder& b, const Node& view, size_t output, Value* base, Value* written) {
  return b("aten::select_scatter", {base, written, view.arg(1), static_cast<int64_t>(output)});
}

Value* inverse_permute(Builder& b, const Node& view, size_t, Value*, Value* written) {
  const Ints& dims = ints_arg(view, 1);
  Ints back(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) back[wrap(dims[i], dims.size(), "dimension")] = static_cast<int64_t>(i);
  return b("aten::permute_copy", {written, back});
}

Value* inverse_transpose(Builder& b, const Node& view, size_t, Value*, Value* written) {
  return b("aten::transpose_copy.int", {written, view.arg(1), view.arg(2)});
}

Value* inverse_t(Builder& b, const Node&, size_t, Value*, Value* written) { return b("aten::t_copy", {written}); }

const std::unordered_map<std::string, Inverse>& views() {
  static const std::unordered_map<std::string, Inverse> table = {
      {"aten::view", inverse_reshape},
      {"aten::reshape", inverse_reshape},
      {"aten::_unsafe_view", inverse_reshape},
      {"aten::view_as", inverse_reshape},
      {"aten::reshape_as", inverse_reshape},
      {"aten::flatten.using_ints", inverse_reshape},
      {"aten::unflatten.int", inverse_reshape},
      {"aten::squeeze", inverse_reshape},
      {"aten::squeeze.dim", inverse_reshape},
      {"aten::squeeze.dims", inverse_reshape},
      {"aten::unsqueeze", inverse_reshape},
      {"aten::select.int", inverse_select},
      {"aten::slice.Tensor", inverse_slice},
      {"aten::narrow", inverse_narrow},
      {"aten::chunk", inverse_part},
      {"aten::split.Tensor", inverse_part},
      {"aten::split.sizes", inverse_part},
      {"aten::split_with_sizes", inverse_part},
      {"aten::unbind.int", inverse_unbind},
      {"aten::permute", inverse_permute},
      {"aten::transpose.int", inverse_transpose},
      {"aten::t", inverse_t},
      {"aten::detach", inverse_identity},
      {"aten::alias", inverse_identity},
      {"aten::lift_fresh", inverse_identity},
      {"aten::contiguous", inverse_identity},
      {"aten::expand", nullptr},
  };
  return table;
}

bool is_identity(const Node& node) { return node.op == "aten::detach_" || node.op == "aten::lift_fresh_"; }

class Functionalizer {
 public:
  explicit Functionalizer(Graph& graph) : graph_(graph) {}

  size_t run() {
    for (Node* node : graph_.node_list()) visit(node);
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      Builder builder(graph_);
      graph_.set_output(i, latest(builder, graph_.outputs()[i]));
    }
    for (Value* state : written_states_) {
      Builder builder(graph_);
      graph_.add_state_update(state, latest(builder, state));
    }
    return count_;
  }

 private:
  struct View {
    Value* base = nullptr;  // what it is a view of
    const Node* node = nullptr;
    size_t output = 0;
  };
  struct Now {
    Value* value = nullptr;
    uint64_t version = 0;  // of the root when the value was made
  };

  Value* root_of(Value* value) const {
    for (auto view = views_.find(value); view != views_.end(); view = views_.find(value)) value = view->second.base;
    return value;
  }

  // What `value` holds now that its root may have been written; views are taken anew.
  Value* latest(Builder& builder, Value* value) {
    Value* root = root_of(value);
    const auto version = versions_.find(root);
    if (version == versions_.end()) return value;
    const auto now = now_.find(value);
    if (now != now_.end() && now->second.version == version->second) return now->second.value;
    const View& view = views_.at(value);
    Arguments args = view.node->args();
    args[0] = latest(builder, view.base);
    Value* fresh = builder.node(view.node->op, std::move(args), value->name)->output(view.output);
    now_[value] = {fresh, version->second};
    return fresh;
  }

  void visit(Node* node) {
    Builder builder(graph_, node);
    const Schema* schema = find_schema(node->op);
    const bool in_place = schema != nullptr && schema->in_place;
    if (is_identity(*node)) {
      Value* self = node->arg(0).tensor();
      graph_.replace_uses(node->output(), self);
      graph_.erase(node);
      return;
    }
    if (in_place) {
      write(builder, node);
      return;
    }
    // A view remembers what it looked at; others read what is there now.
    if (views().contains(node->op)) {
      Value* base = node->arg(0).tensor();
      for (size_t i = 0; i < node->outputs().size(); ++i) views_[node->output(i)] = {base, node, i};
      if (versions_.contains(root_of(base))) {
        for (Value* output : node->outputs()) latest(builder, output);
      }
      return;
    }
    graph_.set_args(node, current(builder, node->args()));
  }

  Arguments current(Builder& builder, Arguments args) {
    for (Argument& argument : args) {
      argument.each_tensor([&](Value*& value) { value = latest(builder, value); });
    }
    return args;
  }

  // The value that an in-place operator leaves behind.
  Value* written_value(Builder& builder, const Node& node, const Arguments& args) {
    Value* self = args[0].tensor();
    std::string op = node.op;
    op.erase(std::min(op.find('.'), op.size()) - 1, 1);
    Value* result = nullptr;
    if (op == "aten::copy") {
      result = args[1].tensor();
    } else if (op == "aten::zero") {
      result = builder("aten::fill.Scalar", {self, 0});
    } else {
      result = builder(op, args);
    }
    if (result->type.dtype != self->type.dtype) {
      result = builder("dim_order_ops::_to_dim_order_copy", {result, self->type.dtype});
    }
    if (result->type.sizes != self->type.sizes) {
      result = builder("aten::expand_copy", {result, self->type.sizes});
    }
    return result;
  }

  void write(Builder& builder, Node* node) {
    Value* self = node->arg(0).tensor();
    Value* root = root_of(self);
    if (root->kind == Value::Kind::kConstant) root = make_state(root);
    self = node->arg(0).tensor();
    Value* result = written_value(builder, *node, current(builder, node->args()));
    graph_.replace_uses(node->output(), self);
    assign(builder, *node, self, result);
    graph_.erase(node);
    ++count_;
  }

  void assign(Builder& builder, const Node& node, Value* self, Value* result) {
    std::vector<std::pair<Value*, Value*>> chain{{self, result}};
    while (views_.contains(chain.back().first)) {
      const View& view = views_.at(chain.back().first);
      const Inverse inverse = views().at(view.node->op);
      if (inverse == nullptr) {
        files::fail(describe(node), ": writes into a view made by ", view.node->op,
                    ", which is not supported; write into the tensor itself");
      }
      Value* base = latest(builder, view.base);
      chain.emplace_back(view.base, inverse(builder, *view.node, view.output, base, chain.back().second));
    }
    const uint64_t version = ++versions_[chain.back().first];
    for (const auto& [value, now] : chain) now_[value] = {now, version};
  }

  Value* make_state(Value* constant) {
    Value* state = graph_.add_state(constant->name, constant->type, constant->data);
    // Views of the constant are views of the state from here on.
    graph_.replace_uses(constant, state);
    for (auto& [value, view] : views_) {
      if (view.base == constant) view.base = state;
    }
    written_states_.push_back(state);
    return state;
  }

  Graph& graph_;
  size_t count_ = 0;
  std::unordered_map<Value*, View> views_;
  std::unordered_map<Value*, uint64_t> versions_;
  std::unordered_map<Value*, Now> now_;
  std::vector<Value*> written_states_;
};

}  // namespace

size_t functionalize(Graph& graph) {
  const size_t count = Functionalizer(graph).run();
  graph.erase_dead();
  return count;
}

}  // namespace wick::compiler
