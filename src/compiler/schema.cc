#include "compiler/schema.h"

#include <algorithm>
#include <charconv>

#include "files/failure.h"

namespace wick::compiler {

namespace {

using Type = SchemaArgument::Type;

struct Line {
  std::string_view functional, out;
};
constexpr Line kLines[] = {
#define WICK_SCHEMA(functional, out) {functional, out},
#include "compiler/schemas.inc"
#undef WICK_SCHEMA
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Parts between the commas that no bracket encloses.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += (c == '[' || c == '(') - (c == ']' || c == ')');
    if (c == ',' && depth == 0) {
      if (const auto part = trimmed(text.substr(begin, i - begin)); !part.empty()) parts.push_back(part);
      begin = i + 1;
    }
  }
  return parts;
}

bool take_back(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

void parse_type(std::string_view text, SchemaArgument& argument) {
  argument.optional = take_back(text, "?");
  if (text.ends_with(']')) {
    argument.list = true;
    const size_t open = text.rfind('[');
    std::from_chars(text.data() + open + 1, text.data() + text.size() - 1, argument.list_length);
    text = text.substr(0, open);
    argument.optional_items = take_back(text, "?");
  }
  static constexpr std::pair<std::string_view, Type> kTypes[] = {
      {"Tensor", Type::kTensor},    {"Scalar", Type::kScalar},
      {"int", Type::kInt},          {"float", Type::kFloat},
      {"bool", Type::kBool},        {"str", Type::kString},
      {"ScalarType", Type::kDType}, {"MemoryFormat", Type::kMemoryFormat}};
  const auto* found =
      std::find_if(std::begin(kTypes), std::end(kTypes), [text](auto& entry) { return entry.first == text; });
  if (found == std::end(kTypes)) files::fail("schemas.inc: '", text, "' is no type");
  argument.type = found->second;
}

Argument parse_number(std::string_view text) {
  if (text == "True" || text == "False") return text == "True";
  if (text.find_first_of(".e") != std::string_view::npos) return std::stod(std::string(text));
  return int64_t{std::stoll(std::string(text))};
}

Argument parse_default(std::string_view text, const SchemaArgument& argument) {
  if (text == "None") return {};
  if (text.front() == '\'') return std::string(text.substr(1, text.size() - 2));
  if (argument.list) {
    if (text.front() != '[') return Ints(argument.list_length, std::stoll(std::string(text)));
    Ints list;
    for (const auto part : split(text.substr(1, text.size() - 2))) list.push_back(std::stoll(std::string(part)));
    return list;
  }
  if (argument.type == Type::kFloat) return std::stod(std::string(text));
  return parse_number(text);
}

SchemaArgument parse_argument(std::string_view text) {
  SchemaArgument argument;
  if (text.starts_with('~')) {
    argument.functional_only = true;
    text.remove_prefix(1);
  }
  const size_t space = text.find(' ');
  parse_type(text.substr(0, space), argument);
  text.remove_prefix(space + 1);
  const size_t equals = text.find('=');
  argument.name = text.substr(0, equals);
  if (equals != std::string_view::npos) {
    argument.has_default = true;
    argument.default_value = parse_default(text.substr(equals + 1), argument);
  }
  return argument;
}

Schema parse(const Line& line) {
  Schema schema;
  const size_t open = line.functional.find('(');
  const size_t close = line.functional.rfind(") -> ");
  schema.op = line.functional.substr(0, open);
  schema.out_op = line.out;
  bool keyword_only = false;
  for (const auto part : split(line.functional.substr(open + 1, close - open - 1))) {
    if (part == "*") {
      keyword_only = true;
      continue;
    }
    schema.args.push_back(parse_argument(part));
    schema.args.back().keyword_only = keyword_only;
  }
  std::string_view outputs = line.functional.substr(close + 5);
  schema.output_list = outputs == "Tensor[]";
  if (outputs.starts_with('(')) schema.outputs = split(outputs.substr(1, outputs.size() - 2)).size();
  return schema;
}

// "aten::relu_" -> "aten::relu", "aten::add_.Tensor" -> "aten::add.Tensor"; empty where the name is not of that form.
std::string functional_name(std::string_view op) {
  const size_t dot = std::min(op.find('.'), op.size());
  if (dot < 2 || op[dot - 1] != '_' || op[dot - 2] == '_') return {};
  return std::string(op.substr(0, dot - 1)) + std::string(op.substr(dot));
}

const std::map<std::string, Schema, std::less<>>& in_place_schemas() {
  static const auto table = [] {
    std::map<std::string, Schema, std::less<>> all;
    for (const auto& [op, schema] : schemas()) {
      if (schema.args.empty() || schema.args[0].type != Type::kTensor || schema.args[0].list) continue;
      const size_t dot = std::min(op.find('.'), op.size());
      Schema in_place = schema;
      in_place.op = op.substr(0, dot) + "_" + op.substr(dot);
      in_place.in_place = true;
      in_place.out_op.clear();
      all.emplace(in_place.op, std::move(in_place));
    }
    return all;
  }();
  return table;
}

template <typename T>
Argument spread(T value, size_t length) {
  return std::vector<T>(std::max<size_t>(length, 1), value);
}

// One number for a list, one-element lists for longer ones, ints for floats: as PyTorch takes them.
Argument fitted(std::string_view op, const SchemaArgument& to, Argument value) {
  const auto refuse = [&]() { files::fail(op, ": argument '", to.name, "' is of another type than its schema says"); };
  if (value.is_none()) {
    if (!to.optional && !(to.type == Type::kTensor && to.list))
      files::fail(op, ": argument '", to.name, "' is missing");
    return value;
  }
  switch (to.type) {
    case Type::kTensor:
      if (to.list ? value.get<Tensors>() == nullptr : value.tensor() == nullptr) {
        // A Scalar where a Tensor is meant stays: passes make it a tensor (aten::add.Tensor with other=2).
        if (to.list || !value.number()) refuse();
      }
      return value;
    case Type::kFloat:
      if (to.list) {
        if (const auto* ints = value.get<Ints>()) return Doubles(ints->begin(), ints->end());
        if (value.get<Doubles>() == nullptr) refuse();
        return value;
      }
      if (!value.number()) refuse();
      return *value.number();
    case Type::kInt:
      if (!to.list) {
        if (const auto* flag = value.get<bool>()) return int64_t{*flag};
        if (value.get<int64_t>() == nullptr) refuse();
        return value;
      }
      if (const auto* one = value.get<int64_t>()) return spread(*one, to.list_length);
      if (const auto* ints = value.get<Ints>()) {
        return ints->size() == 1 && to.list_length > 1 ? spread((*ints)[0], to.list_length) : value;
      }
      // An empty list carries no type.
      if (const auto* doubles = value.get<Doubles>(); doubles != nullptr && doubles->empty()) return Ints{};
      refuse();
      return {};
    case Type::kBool:
      if (to.list ? value.get<Bools>() == nullptr : value.get<bool>() == nullptr) refuse();
      return value;
    case Type::kScalar:
      if (!value.number()) refuse();
      return value;
    case Type::kString:
      if (value.get<std::string>() == nullptr) refuse();
      return value;
    case Type::kDType:
    case Type::kMemoryFormat:
      if (value.get<int64_t>() == nullptr) refuse();
      return value;
  }
  return value;
}

const Schema& known_schema(std::string_view op) {
  const Schema* schema = find_schema(op);
  if (schema == nullptr) files::fail("operator ", op, " is unknown");
  return *schema;
}

}  // namespace

size_t Schema::index(std::string_view name) const {
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].name == name) return i;
  }
  return npos;
}

const std::map<std::string, Schema, std::less<>>& schemas() {
  static const auto table = [] {
    std::map<std::string, Schema, std::less<>> all;
    for (const Line& line : kLines) {
      Schema schema = parse(line);
      std::string op = schema.op;
      if (!all.emplace(std::move(op), std::move(schema)).second) files::fail("schemas.inc: twice: ", line.functional);
    }
    return all;
  }();
  return table;
}

const Schema* find_schema(std::string_view op) {
  if (const auto found = schemas().find(op); found != schemas().end()) return &found->second;
  if (functional_name(op).empty()) return nullptr;
  const auto found = in_place_schemas().find(op);
  return found == in_place_schemas().end() ? nullptr : &found->second;
}

const Schema* find_schema_of_out(std::string_view out_op) {
  static const auto table = [] {
    std::map<std::string, const Schema*, std::less<>> all;
    for (const auto& [op, schema] : schemas()) {
      if (!schema.out_op.empty()) all.emplace(schema.out_op, &schema);
    }
    return all;
  }();
  const auto found = table.find(out_op);
  return found == table.end() ? nullptr : found->second;
}

Arguments complete_args(std::string_view op, const NamedArguments& args) {
  const Schema& schema = known_schema(op);
  for (const auto& [name, value] : args) {
    if (schema.index(name) == Schema::npos) files::fail(op, ": there is no argument '", name, "'");
  }
  Arguments all;
  for (const SchemaArgument& argument : schema.args) {
    const auto given = args.find(argument.name);
    if (given != args.end()) {
      all.push_back(fitted(op, argument, given->second));
    } else if (argument.has_default) {
      all.push_back(argument.default_value);
    } else {
      files::fail(op, ": argument '", argument.name, "' is missing");
    }
  }
  return all;
}

Arguments complete_args(std::string_view op, Arguments leading) {
  const Schema& schema = known_schema(op);
  if (leading.size() > schema.args.size()) {
    files::fail(op, ": ", leading.size(), " arguments, but it takes ", schema.args.size());
  }
  for (size_t i = 0; i < schema.args.size(); ++i) {
    const SchemaArgument& argument = schema.args[i];
    if (i < leading.size()) {
      leading[i] = fitted(op, argument, std::move(leading[i]));
    } else if (argument.has_default) {
      leading.push_back(argument.default_value);
    } else {
      files::fail(op, ": argument '", argument.name, "' is missing");
    }
  }
  return leading;
}

}  // namespace wick::compiler
