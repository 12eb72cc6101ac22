#include "compiler/graph.h"

#include <algorithm>
#include <sstream>

namespace wick::compiler {

// Out of line: inlined, they make GCC 12 warn of members that are never read.
Argument::Argument() = default;
Argument::Argument(const Argument&) = default;
Argument::Argument(Argument&&) noexcept = default;
Argument& Argument::operator=(const Argument&) = default;
Argument& Argument::operator=(Argument&&) noexcept = default;
Argument::~Argument() = default;

std::optional<double> Argument::number() const {
  if (const auto* value = get<int64_t>()) return static_cast<double>(*value);
  if (const auto* value = get<double>()) return *value;
  if (const auto* value = get<bool>()) return *value ? 1.0 : 0.0;
  return std::nullopt;
}

int64_t TensorType::numel() const {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return count;
}

std::string Graph::unique_name(const std::string& wish) {
  std::string name = wish.empty() ? "value" : wish;
  if (!by_name_.contains(name)) return name;
  uint32_t& suffix = next_suffix_[name];
  std::string candidate;
  do {
    candidate = name + "_" + std::to_string(++suffix);
  } while (by_name_.contains(candidate));
  return candidate;
}

Value* Graph::add_value(const std::string& name, Value::Kind kind, TensorType type) {
  values_.push_back(std::make_unique<Value>());
  Value* value = values_.back().get();
  place_of_[value] = std::prev(values_.end());
  value->name = unique_name(name);
  value->kind = kind;
  value->type = std::move(type);
  by_name_[value->name] = value;
  return value;
}

void Graph::forget(Value* value) {
  by_name_.erase(value->name);
  const auto place = place_of_.find(value);
  values_.erase(place->second);
  place_of_.erase(place);
}

Value* Graph::add_input(const std::string& name, TensorType type) {
  inputs_.push_back(add_value(name, Value::Kind::kInput, std::move(type)));
  return inputs_.back();
}

Value* Graph::add_constant(const std::string& name, files::Array array) {
  return add_constant(name, std::make_shared<const files::Array>(std::move(array)));
}

Value* Graph::add_constant(const std::string& name, std::shared_ptr<const files::Array> array) {
  TensorType type{array->dtype, Shape(array->sizes.begin(), array->sizes.end()), {}};
  Value* value = add_value(name, Value::Kind::kConstant, std::move(type));
  value->data = std::move(array);
  return value;
}

Value* Graph::add_state(const std::string& name, TensorType type, std::shared_ptr<const files::Array> initial) {
  Value* value = add_value(name, Value::Kind::kState, std::move(type));
  value->data = std::move(initial);
  return value;
}

void Graph::note_uses(Node* node, bool add) {
  for (Argument& argument : node->args_) {
    argument.each_tensor([node, add](Value*& value) {
      if (add) {
        value->users_.push_back(node);
      } else {
        value->users_.erase(std::find(value->users_.begin(), value->users_.end(), node));
      }
    });
  }
}

Node* Graph::add_node(Node* before, const std::string& op, Arguments args, const std::vector<TensorType>& outputs,
                      const std::string& name) {
  const auto at = before == nullptr ? nodes_.end() : before->place_;
  const auto place = nodes_.insert(at, std::make_unique<Node>());
  Node* node = place->get();
  node->place_ = place;
  node->op = op;
  node->args_ = std::move(args);
  note_uses(node, true);
  std::string wish = name;
  if (wish.empty()) {
    const size_t colon = op.rfind(':');
    wish = colon == std::string::npos ? op : op.substr(colon + 1);
    wish = wish.substr(0, wish.find('.'));
  }
  for (const TensorType& type : outputs) {
    Value* value = add_value(wish, Value::Kind::kNode, type);
    value->producer_ = node;
    value->output_index_ = static_cast<uint32_t>(node->outputs_.size());
    node->outputs_.push_back(value);
  }
  node->name = node->outputs_.empty() ? wish : node->outputs_[0]->name;
  return node;
}

void Graph::set_arg(Node* node, size_t index, Argument argument) {
  note_uses(node, false);
  node->args_[index] = std::move(argument);
  note_uses(node, true);
}

void Graph::set_args(Node* node, Arguments args) {
  note_uses(node, false);
  node->args_ = std::move(args);
  note_uses(node, true);
}

void Graph::replace_uses(Value* from, Value* to) {
  if (from == to) return;
  std::vector<Node*> users = from->users_;
  std::sort(users.begin(), users.end());
  users.erase(std::unique(users.begin(), users.end()), users.end());
  for (Node* user : users) {
    note_uses(user, false);
    for (Argument& argument : user->args_) {
      argument.each_tensor([from, to](Value*& value) {
        if (value == from) value = to;
      });
    }
    note_uses(user, true);
  }
  std::replace(outputs_.begin(), outputs_.end(), from, to);
  for (StateUpdate& update : updates_) {
    if (update.update == from) update.update = to;
  }
}

void Graph::replace_update(const Value* state, Value* update) {
  for (StateUpdate& known : updates_) {
    if (known.state == state) known.update = update;
  }
}

void Graph::move_before(Node* node, Node* before) {
  const auto at = before == nullptr ? nodes_.end() : before->place_;
  nodes_.splice(at, nodes_, node->place_);
}

void Graph::erase(Node* node) {
  note_uses(node, false);
  for (Value* output : node->outputs_) forget(output);
  nodes_.erase(node->place_);
}

size_t Graph::erase_dead() {
  std::unordered_map<const Value*, size_t> held;
  for (const Value* output : outputs_) ++held[output];
  for (const StateUpdate& update : updates_) ++held[update.update], ++held[update.state];
  size_t erased = 0;
  for (auto place = nodes_.end(); place != nodes_.begin();) {
    Node* node = std::prev(place)->get();
    const bool used = std::any_of(node->outputs_.begin(), node->outputs_.end(), [&held](const Value* value) {
      return !value->users_.empty() || held.contains(value);
    });
    if (used) {
      --place;
    } else {
      erase(node);
      ++erased;
    }
  }
  for (auto place = values_.begin(); place != values_.end();) {
    Value* value = (place++)->get();
    const bool kept = value->kind == Value::Kind::kNode || value->kind == Value::Kind::kInput;
    if (!kept && value->users_.empty() && !held.contains(value)) forget(value);
  }
  return erased;
}

std::vector<Node*> Graph::node_list() const {
  std::vector<Node*> list;
  list.reserve(nodes_.size());
  for (const auto& node : nodes_) list.push_back(node.get());
  return list;
}

Node* Graph::next(const Node* node) const {
  const auto place = std::next(node->place_);
  return place == nodes_.end() ? nullptr : place->get();
}

Node* Graph::previous(const Node* node) const {
  const Nodes::const_iterator place = node->place_;
  return place == nodes_.begin() ? nullptr : std::prev(place)->get();
}

std::vector<Value*> Graph::constants() const {
  std::vector<Value*> list;
  for (const auto& value : values_) {
    if (value->kind == Value::Kind::kConstant) list.push_back(value.get());
  }
  return list;
}

std::vector<Value*> Graph::states() const {
  std::vector<Value*> list;
  for (const auto& value : values_) {
    if (value->kind == Value::Kind::kState) list.push_back(value.get());
  }
  return list;
}

bool Graph::is_output(const Value* value) const {
  return std::find(outputs_.begin(), outputs_.end(), value) != outputs_.end();
}

size_t Graph::use_count(const Value* value) const {
  const auto updates = std::count_if(updates_.begin(), updates_.end(),
                                     [value](const StateUpdate& update) { return update.update == value; });
  return value->users_.size() + static_cast<size_t>(std::count(outputs_.begin(), outputs_.end(), value)) +
         static_cast<size_t>(updates);
}

Value* Graph::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

namespace {

template <typename T>
void print_list(std::ostream& out, const std::vector<T>& list) {
  out << '[';
  for (size_t i = 0; i < list.size(); ++i) out << (i > 0 ? ", " : "") << list[i];
  out << ']';
}

void print(std::ostream& out, const Argument& argument) {
  if (argument.is_none()) out << "None";
  if (const Value* value = argument.tensor()) out << '%' << value->name;
  if (const auto* tensors = argument.get<Tensors>()) {
    out << '[';
    for (size_t i = 0; i < tensors->size(); ++i) {
      out << (i > 0 ? ", " : "") << ((*tensors)[i] == nullptr ? std::string("None") : "%" + (*tensors)[i]->name);
    }
    out << ']';
  }
  if (const auto* value = argument.get<int64_t>()) out << *value;
  if (const auto* value = argument.get<double>()) out << *value << (*value == int64_t(*value) ? ".0" : "");
  if (const auto* value = argument.get<bool>()) out << (*value ? "True" : "False");
  if (const auto* value = argument.get<std::string>()) out << '"' << *value << '"';
  if (const auto* list = argument.get<Ints>()) print_list(out, *list);
  if (const auto* list = argument.get<Doubles>()) print_list(out, *list);
  if (const auto* list = argument.get<Bools>()) print_list(out, *list);
}

}  // namespace

std::string describe(const TensorType& type) {
  std::ostringstream out;
  out << dtype_name(type.dtype) << ' ';
  print_list(out, type.sizes);
  return out.str();
}

std::string describe(const Node& node) {
  return node.name + " (" + node.op + (node.source.empty() ? "" : ", " + node.source) + ")";
}

std::string Graph::str() const {
  std::ostringstream out;
  for (const Value* input : inputs_) out << "input %" << input->name << ": " << describe(input->type) << '\n';
  for (const auto& node : nodes_) {
    for (size_t i = 0; i < node->outputs().size(); ++i) {
      const Value* value = node->output(i);
      out << (i > 0 ? ", " : "") << '%' << value->name << ": " << describe(value->type);
    }
    out << " = " << node->op << '(';
    for (size_t i = 0; i < node->args().size(); ++i) {
      out << (i > 0 ? ", " : "");
      print(out, node->arg(i));
    }
    out << ")\n";
  }
  for (const Value* output : outputs_) out << "output %" << output->name << '\n';
  for (const StateUpdate& update : updates_) {
    out << "state %" << update.state->name << " = %" << update.update->name << '\n';
  }
  return out.str();
}

}  // namespace wick::compiler
