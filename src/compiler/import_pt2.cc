#include "compiler/import_pt2.h"

#include <cmath>
#include <optional>
#include <set>

#include "compiler/problems.h"
#include "compiler/schema.h"
#include "compiler/torch_archive.h"
#include "compiler/torch_json.h"
#include "compiler/type_of.h"

namespace wick::compiler {

namespace {

// "torch.ops.aten.add.Tensor" -> "aten::add.Tensor"; the default overload has no suffix.
std::string operator_name(const std::string& target) {
  constexpr std::string_view kPrefix = "torch.ops.";
  if (!target.starts_with(kPrefix)) return target;
  std::string name = target.substr(kPrefix.size());
  if (name.ends_with(".default")) name.resize(name.size() - std::string_view(".default").size());
  const size_t dot = name.find('.');
  return dot == std::string::npos ? name : name.substr(0, dot) + "::" + name.substr(dot + 1);
}

// The innermost line of the user's own code: "zoo.py:239 in forward".
std::string source_of(const Json& node) {
  if (!has(node, "metadata") || !has(node["metadata"], "stack_trace")) return {};
  const auto& trace = node["metadata"]["stack_trace"].get_ref<const std::string&>();
  std::string best;
  for (size_t at = trace.find("File \""); at != std::string::npos; at = trace.find("File \"", at + 1)) {
    const size_t begin = at + 6;
    const size_t quote = trace.find('"', begin);
    const size_t line = trace.find("line ", quote);
    const size_t comma = trace.find(',', line);
    if (comma == std::string::npos) break;
    const std::string file = trace.substr(begin, quote - begin);
    if (file.find("site-packages") != std::string::npos && !best.empty()) continue;
    const size_t end = std::min(trace.find('\n', comma), trace.size());
    best = file.substr(file.rfind('/') + 1) + ":" + trace.substr(line + 5, comma - line - 5) +
           trace.substr(comma + 1, end - comma - 1);
  }
  return best;
}

int64_t floor_divide(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
}

constexpr int64_t kMostSize = int64_t{1} << 31;

class Importer {
 public:
  Importer(const std::filesystem::path& path, const ImportOptions& options)
      : archive_(path), options_(options), program_(parse(archive_)) {}

  Graph run() {
    check_version();
    const Json& module = program_.at("graph_module");
    graph_json_ = &module.at("graph");
    signature_ = &module.at("signature");
    find_mutated_buffers();
    add_inputs();
    for (const Json& node : graph_json_->at("nodes")) add_node(node);
    problems_.throw_if_any(archive_.path());
    add_outputs();
    problems_.throw_if_any(archive_.path());
    return std::move(graph_);
  }

 private:
  template <typename... Parts>
  [[noreturn]] void fail(Parts&&... parts) const {
    files::fail(archive_.path(), ": ", std::forward<Parts>(parts)...);
  }

  static Json parse(const TorchArchive& archive) {
    const std::string text = archive.program_json();
    return parse_json(files::Bytes(text.begin(), text.end()), archive.path() + ": the program");
  }

  void check_version() const {
    if (!has(program_, "schema_version")) fail("the program has no schema_version");
    const int64_t major = program_["schema_version"].at("major").get<int64_t>();
    if (major != 8 && major != 0) {
      fail("was written with schema version ", major, " of torch.export; version 8 is known (torch 2.5 and later)");
    }
  }

  // Values

  void define(const std::string& name, Value* value) {
    if (!values_.emplace(name, value).second) fail("the program defines '", name, "' twice");
  }
  Value* value(const Json& tensor_argument) const {
    const auto& name = tensor_argument.at("name").get_ref<const std::string&>();
    const auto found = values_.find(name);
    if (found == values_.end()) fail("the program uses '", name, "' before it is defined");
    return found->second;
  }
  int64_t sym_int(const Json& argument) const {
    if (has(argument, "as_int")) return argument["as_int"].get<int64_t>();
    const auto& name = argument.at("as_name").get_ref<const std::string&>();
    const auto found = sym_ints_.find(name);
    if (found == sym_ints_.end())
      fail("the size '", name, "' is not known; give the sizes of inputs with --input-shape");
    return found->second;
  }

  // Inputs

  void find_mutated_buffers() {
    for (const Json& spec : signature_->at("output_specs")) {
      if (has(spec, "buffer_mutation")) mutated_.insert(spec["buffer_mutation"].at("buffer_name").get<std::string>());
    }
  }

  void add_inputs() {
    for (const Json& spec : signature_->at("input_specs")) {
      if (spec.size() != 1) fail("an input is of no known kind");
      const std::string kind = spec.begin().key();
      const Json& content = spec.begin().value();
      if (kind == "user_input") {
        add_user_input(content.at("arg"));
      } else if (kind == "parameter") {
        add_constant(content, content.at("parameter_name").get<std::string>());
      } else if (kind == "buffer") {
        add_constant(content, content.at("buffer_name").get<std::string>());
      } else if (kind == "tensor_constant") {
        add_constant(content, content.at("tensor_constant_name").get<std::string>());
      } else if (kind != "token" && kind != "constant_input") {
        problems_.add("input", "inputs of kind " + kind + " are not supported", "export the model without them");
      }
    }
    for (const auto& [name, shape] : options_.input_shapes) {
      const Value* input = graph_.find(name);
      if (input == nullptr || input->kind != Value::Kind::kInput) {
        std::string names;
        for (const Value* known : graph_.inputs()) names += (names.empty() ? "" : ", ") + known->name;
        fail("--input-shape ", name, ": there is no input of that name; inputs are ", names);
      }
    }
  }

  const Json& meta_of(const std::string& name) const {
    const auto found = graph_json_->at("tensor_values").find(name);
    if (found == graph_json_->at("tensor_values").end()) fail("the program does not say what '", name, "' is");
    return *found;
  }

  void add_user_input(const Json& argument) {
    if (!has(argument, "as_tensor")) {
      if (has(argument, "as_sym_int")) fail("an input is a number that is not fixed; export the model with it fixed");
      return;  // a constant that the export specialised on
    }
    const std::string name = argument["as_tensor"].at("name").get<std::string>();
    const Json& meta = meta_of(name);
    const Json& sizes = meta.at("sizes");
    Shape shape;
    const auto given = options_.input_shapes.find(name);
    if (given != options_.input_shapes.end()) {
      shape = given->second;
      if (shape.size() != sizes.size()) {
        fail("--input-shape ", name, ": has ", shape.size(), " sizes, but the input ", sizes.size());
      }
    } else {
      for (const Json& size : sizes) shape.push_back(size_of(name, size));
    }
    for (const int64_t size : shape) {
      if (size < 0 || size > kMostSize) fail("input '", name, "' has the impossible size ", size);
    }
    define(name, graph_.add_input(name, {dtype_of(meta.at("dtype")), shape, {}}));
  }

  // A size that is open takes what the model was exported with, else its upper bound.
  int64_t size_of(const std::string& input, const Json& size) const {
    if (has(size, "as_int")) return size["as_int"].get<int64_t>();
    const Json& expression = size.at("as_expr");
    if (has(expression, "hint") && has(expression["hint"], "as_int"))
      return expression["hint"]["as_int"].get<int64_t>();
    const auto& text = expression.at("expr_str").get_ref<const std::string&>();
    const size_t quote = text.find('\'');
    const std::string symbol =
        quote == std::string::npos ? text : text.substr(quote + 1, text.find('\'', quote + 1) - quote - 1);
    const Json& ranges = program_.at("range_constraints");
    const bool alone = text == symbol || text.starts_with("Symbol(");
    if (alone && has(ranges, symbol.c_str()) && has(ranges[symbol], "max_val") &&
        ranges[symbol]["max_val"].get<int64_t>() < kMostSize) {
      return ranges[symbol]["max_val"].get<int64_t>();
    }
    fail("input '", input, "' has a size without bound (", text, "); give its sizes with --input-shape ", input,
         "=...");
  }

  void add_constant(const Json& content, const std::string& fqn) {
    const std::string name = content.at("arg").at("name").get<std::string>();
    std::shared_ptr<const files::Array> array = archive_.find_tensor(fqn);
    if (array == nullptr) fail("the archive has no data for '", fqn, "'");
    Value*& shared = constants_[array.get()];
    if (mutated_.contains(fqn)) {
      TensorType type{array->dtype, Shape(array->sizes.begin(), array->sizes.end()), {}};
      states_[fqn] = graph_.add_state(fqn, type, array);
      define(name, states_[fqn]);
      return;
    }
    if (shared == nullptr) shared = graph_.add_constant(fqn, array);
    define(name, shared);
  }

  // Nodes

  void add_node(const Json& json) {
    const std::string target = json.at("target").get<std::string>();
    const std::string op = operator_name(target);
    if (op.starts_with("_operator.") || op.starts_with("math.") || op.starts_with("torch.sym_")) {
      add_size_arithmetic(op, json);
      return;
    }
    if (op == "aten::sym_size.int" || op == "aten::sym_numel") {
      add_size(op, json);
      return;
    }
    const std::string name = node_name(json);
    const std::string where = name + " (" + op + (source_of(json).empty() ? "" : ", " + source_of(json)) + ")";
    const Schema* schema = find_schema(op);
    if (schema == nullptr || !has_type_rule(op)) {
      problems_.add(where, "this operator is not supported", "replace it in the model");
      define_unknown(json);
      return;
    }
    if (needs_unknown(json)) {
      define_unknown(json);
      return;
    }
    try {
      add_call(op, *schema, name, json);
    } catch (const files::Failure& failure) {
      problems_.add(where, failure.what(), "");
      define_unknown(json);
    }
  }

  static std::string node_name(const Json& json) {
    if (has(json, "name")) return json["name"].get<std::string>();
    for (const Json& output : json.at("outputs")) {
      if (has(output, "as_tensor")) return output["as_tensor"].at("name").get<std::string>();
    }
    return "node";
  }

  void add_call(const std::string& op, const Schema& schema, const std::string& name, const Json& json) {
    NamedArguments named;
    for (const Json& input : json.at("inputs")) {
      std::string argument_name = input.at("name").get<std::string>();
      // These say nothing here.
      if (argument_name == "layout" || argument_name == "device" || argument_name == "pin_memory" ||
          argument_name == "generator") {
        continue;
      }
      if (schema.in_place && argument_name == "self") argument_name = schema.args[0].name;
      named[argument_name] = argument(input.at("arg"));
    }
    Arguments args = complete_args(op, named);
    numbers_to_tensors(schema, name, args);
    const std::vector<TensorType> types = infer_types(op, args);
    std::vector<std::string> outputs = output_names(json);
    if (outputs.size() > types.size() || (schema.outputs > 0 && outputs.empty() && !schema.in_place)) {
      fail("node '", name, "' has ", outputs.size(), " outputs, but ", op, " has ", types.size());
    }
    Node* node =
        graph_.add_node(nullptr, op, std::move(args), types, types.size() == 1 && !outputs.empty() ? outputs[0] : name);
    node->source = source_of(json);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].empty()) continue;
      check_against_file(*node, outputs[i], types[i]);
      define(outputs[i], node->output(i));
    }
  }

  // What was inferred must be what the file says, where it says numbers.
  void check_against_file(const Node& node, const std::string& name, const TensorType& type) const {
    const auto found = graph_json_->at("tensor_values").find(name);
    if (found == graph_json_->at("tensor_values").end() || !options_.input_shapes.empty()) return;
    Shape sizes;
    for (const Json& size : found->at("sizes")) {
      if (!has(size, "as_int")) return;
      sizes.push_back(size["as_int"].get<int64_t>());
    }
    const TensorType said{dtype_of(found->at("dtype")), sizes, {}};
    if (said.dtype != type.dtype || said.sizes != type.sizes) {
      files::fail("output '", name, "' of ", node.op, " is ", describe(type), ", but the file says ", describe(said));
    }
  }

  std::vector<std::string> output_names(const Json& json) const {
    std::vector<std::string> names;
    for (const Json& output : json.at("outputs")) {
      if (has(output, "as_tensor")) {
        names.push_back(output["as_tensor"].at("name").get<std::string>());
      } else if (has(output, "as_tensors")) {
        for (const Json& one : output["as_tensors"]) names.push_back(one.at("name").get<std::string>());
      } else if (has(output, "as_none")) {
        names.emplace_back();
      } else {
        files::fail("an output is neither a tensor nor a list of tensors");
      }
    }
    return names;
  }

  // A number where a tensor is meant is a constant of as many dimensions as the other operand, all 1.
  void numbers_to_tensors(const Schema& schema, const std::string& name, Arguments& args) {
    const TensorType* other = nullptr;
    for (const Argument& argument : args) {
      if (other == nullptr && argument.tensor() != nullptr) other = &argument.tensor()->type;
    }
    for (size_t i = 0; i < args.size(); ++i) {
      const SchemaArgument& wanted = schema.args[i];
      if (wanted.type != SchemaArgument::Type::kTensor || wanted.list || !args[i].number()) continue;
      if (other == nullptr) files::fail(schema.op, ": all operands are numbers");
      args[i] = number_constant(name + "_" + wanted.name, args[i], *other);
    }
  }

  Value* number_constant(const std::string& name, const Argument& number, const TensorType& other) {
    DType dtype = other.dtype;
    if (number.get<double>() != nullptr && !is_float(dtype)) dtype = DType::kFloat32;
    if (number.get<int64_t>() != nullptr && dtype == DType::kBool) dtype = DType::kInt64;
    return graph_.add_constant(name,
                               files::filled(dtype, std::vector<int32_t>(other.sizes.size(), 1), *number.number()));
  }

  // An argument union: the one tag says which type.
  Argument argument(const Json& json) const {
    if (json.size() != 1) files::fail("an argument is of no known kind");
    const std::string tag = json.begin().key();
    const Json& held = json.begin().value();
    if (tag == "as_none") return {};
    if (tag == "as_tensor") return value(held);
    if (tag == "as_optional_tensor") return optional_tensor(held);
    if (tag == "as_int") return held.get<int64_t>();
    if (tag == "as_float") return float_of(held);
    if (tag == "as_bool") return held.get<bool>();
    if (tag == "as_string") return held.get<std::string>();
    if (tag == "as_scalar_type") return dtype_of(held);
    if (tag == "as_memory_format") return memory_format(held.get<int64_t>());
    if (tag == "as_sym_int") return sym_int(held);
    if (tag == "as_ints") return held.get<Ints>();
    if (tag == "as_bools") return held.get<Bools>();
    if (tag == "as_floats") {
      Doubles list;
      for (const Json& one : held) list.push_back(float_of(one));
      return list;
    }
    if (tag == "as_sym_ints") {
      Ints list;
      for (const Json& one : held) list.push_back(sym_int(one));
      return list;
    }
    if (tag == "as_tensors" || tag == "as_optional_tensors") {
      Tensors list;
      for (const Json& one : held) list.push_back(tag == "as_tensors" ? value(one) : optional_tensor(one));
      return list;
    }
    files::fail("an argument of kind ", tag, " is not supported");
  }

  Value* optional_tensor(const Json& json) const { return has(json, "as_tensor") ? value(json["as_tensor"]) : nullptr; }

  // torch.export's numbers to those of a .pte: contiguous 0, preserve 1, channels last 2, channels last 3d 3.
  static Argument memory_format(int64_t number) {
    static constexpr int64_t kNumbers[] = {1, 0, 2, 3, 1};
    if (number < 0 || number > 4) files::fail("memory format ", number, " is unknown");
    return kNumbers[number];
  }

  // Operators whose inputs come from unsupported ones cannot be judged.
  bool needs_unknown(const Json& json) const {
    for (const Json& input : json.at("inputs")) {
      const Json& arg = input.at("arg");
      if (has(arg, "as_tensor") && unknown_.contains(arg["as_tensor"].at("name").get<std::string>())) return true;
      for (const char* tag : {"as_tensors", "as_optional_tensors"}) {
        if (!has(arg, tag)) continue;
        for (const Json& one : arg[tag]) {
          const Json& tensor = has(one, "as_tensor") ? one["as_tensor"] : one;
          if (has(tensor, "name") && unknown_.contains(tensor["name"].get<std::string>())) return true;
        }
      }
    }
    return false;
  }
  void define_unknown(const Json& json) {
    for (const Json& output : json.at("outputs")) {
      if (has(output, "as_tensor")) unknown_.insert(output["as_tensor"].at("name").get<std::string>());
      if (has(output, "as_tensors")) {
        for (const Json& one : output["as_tensors"]) unknown_.insert(one.at("name").get<std::string>());
      }
    }
  }

  // Sizes as numbers

  void define_size(const Json& json, int64_t number) {
    const Json& output = json.at("outputs").at(0);
    if (has(output, "as_sym_int") && has(output["as_sym_int"], "as_name")) {
      sym_ints_[output["as_sym_int"]["as_name"].get<std::string>()] = number;
    }
  }

  void add_size(const std::string& op, const Json& json) {
    if (needs_unknown(json)) return;
    const TensorType& type = value(json.at("inputs").at(0).at("arg").at("as_tensor"))->type;
    if (op == "aten::sym_numel") return define_size(json, type.numel());
    const int64_t dim = json.at("inputs").at(1).at("arg").at("as_int").get<int64_t>();
    define_size(json, type.sizes[wrap(dim, type.sizes.size(), archive_.path() + ": dimension")]);
  }

  void add_size_arithmetic(const std::string& op, const Json& json) {
    Ints operands;
    for (const Json& input : json.at("inputs")) {
      const Argument operand = argument(input.at("arg"));
      if (const auto* number = operand.get<int64_t>()) {
        operands.push_back(*number);
      } else if (const auto* list = operand.get<Ints>()) {
        operands.insert(operands.end(), list->begin(), list->end());
      }
    }
    for (const int64_t operand : operands) {
      if (std::abs(operand) > kMostSize) fail("a size is impossible");
    }
    const std::optional<int64_t> result = size_arithmetic(op, operands);
    if (result) return define_size(json, *result);
    // Comparisons guard the export's assumptions; nothing here depends on them.
    if (!has(json.at("outputs").at(0), "as_sym_bool")) fail("arithmetic ", op, " on sizes is not supported");
  }

  static std::optional<int64_t> size_arithmetic(const std::string& op, const Ints& x) {
    if (op == "torch.sym_sum") {
      int64_t sum = 0;
      for (const int64_t one : x) sum += one;
      return sum;
    }
    if (x.size() == 1) {
      if (op == "_operator.neg") return -x[0];
      if (op.starts_with("math.")) return x[0];
    }
    if (x.size() != 2) return std::nullopt;
    if (op == "_operator.add") return x[0] + x[1];
    if (op == "_operator.sub") return x[0] - x[1];
    if (op == "_operator.mul") return x[0] * x[1];
    if (op == "_operator.floordiv" && x[1] != 0) return floor_divide(x[0], x[1]);
    if (op == "_operator.mod" && x[1] != 0) return x[0] - floor_divide(x[0], x[1]) * x[1];
    if (op == "torch.sym_max") return std::max(x[0], x[1]);
    if (op == "torch.sym_min") return std::min(x[0], x[1]);
    return std::nullopt;
  }

  // Outputs

  void add_outputs() {
    for (const Json& spec : signature_->at("output_specs")) {
      if (spec.size() != 1) fail("an output is of no known kind");
      const std::string kind = spec.begin().key();
      const Json& content = spec.begin().value();
      if (kind == "user_output") {
        if (!has(content.at("arg"), "as_tensor")) {
          problems_.add("output", "an output is not a tensor", "return tensors only");
          continue;
        }
        graph_.add_output(value(content["arg"]["as_tensor"]));
      } else if (kind == "buffer_mutation") {
        const auto state = states_.find(content.at("buffer_name").get<std::string>());
        if (state == states_.end()) fail("a buffer that is written is not there");
        Value* update = value(content.at("arg"));
        if (update->type != state->second->type) fail("a buffer is written with another type");
        graph_.add_state_update(state->second, update);
      } else if (kind != "token") {
        problems_.add("output", "outputs of kind " + kind + " are not supported", "export the model for inference");
      }
    }
  }

  TorchArchive archive_;
  const ImportOptions& options_;
  Json program_;
  const Json* graph_json_ = nullptr;
  const Json* signature_ = nullptr;
  Graph graph_;
  Problems problems_;
  std::map<std::string, Value*> values_;
  std::map<std::string, int64_t> sym_ints_;
  std::set<std::string> unknown_, mutated_;
  std::map<const files::Array*, Value*> constants_;
  std::map<std::string, Value*> states_;
};

}  // namespace

Graph import_pt2(const std::filesystem::path& path, const ImportOptions& options) {
  try {
    return Importer(path, options).run();
  } catch (const Json::exception& error) {
    files::fail(path.string(), ": the program is malformed (", error.what(), "); export the model again");
  }
}

}  // namespace wick::compiler
