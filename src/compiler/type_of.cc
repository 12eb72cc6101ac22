#include "compiler/type_of.h"

#include <algorithm>

#include "compiler/schema.h"
#include "compiler/type_rules.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

const TypeRules& rules() {
  static const TypeRules table = [] {
    TypeRules all;
    add_elementwise_rules(all);
    add_shape_rules(all);
    add_move_rules(all);
    add_nn_rules(all);
    add_quantized_rules(all);
    return all;
  }();
  return table;
}

// An in-place operator gives its first argument back.
const TypeRule* find_rule(const Schema& schema) {
  const auto found = rules().find(schema.op);
  return found == rules().end() ? nullptr : &found->second;
}

Types in_place(const Call& call) { return {call.tensor(0)}; }
constexpr TypeRule kInPlace = in_place;

int64_t most_elements() { return int64_t{1} << 31; }

}  // namespace

bool is_float(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 || dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  const auto either = [a, b](DType x) { return a == x || b == x; };
  if (either(DType::kFloat64)) return DType::kFloat64;
  if (either(DType::kFloat32)) return DType::kFloat32;
  if (either(DType::kFloat16)) return either(DType::kBFloat16) ? DType::kFloat32 : DType::kFloat16;
  if (either(DType::kBFloat16)) return DType::kBFloat16;
  if (a == DType::kBool) return b;
  if (b == DType::kBool) return a;
  for (const DType wide : {DType::kInt64, DType::kInt32, DType::kInt16}) {
    if (either(wide)) return wide;
  }
  return DType::kInt16;  // int8 with uint8
}

size_t wrap(int64_t index, size_t count, std::string_view what) {
  const auto size = static_cast<int64_t>(count);
  if (index < -size || index >= size) files::fail(what, " ", index, " is not one of ", size);
  return static_cast<size_t>(index < 0 ? index + size : index);
}

bool has_type_rule(std::string_view op) {
  const Schema* schema = find_schema(op);
  return schema != nullptr && (schema->in_place || find_rule(*schema) != nullptr);
}

std::vector<TensorType> infer_types(std::string_view op, const Arguments& args) {
  const Schema* schema = find_schema(op);
  if (schema == nullptr) files::fail("operator ", op, " is unknown");
  const TypeRule* rule = schema->in_place ? &kInPlace : find_rule(*schema);
  if (rule == nullptr) files::fail(op, ": the types of its outputs are not known");
  if (args.size() != schema->args.size()) {
    files::fail(op, ": ", args.size(), " arguments, but it takes ", schema->args.size());
  }
  return (*rule)(Call(*schema, args));
}

Node* Builder::node(const std::string& op, Arguments args, const std::string& name) {
  Arguments all = complete_args(op, std::move(args));
  const std::vector<TensorType> types = infer_types(op, all);
  const std::string wish = !name.empty() || before_ == nullptr ? name : before_->name;
  Node* node = graph_.add_node(before_, op, std::move(all), types, wish);
  if (before_ != nullptr) node->source = before_->source;
  return node;
}

Value* Builder::scalar(const std::string& name, float value, size_t rank) {
  return graph_.add_constant(name, files::filled(DType::kFloat32, std::vector<int32_t>(rank, 1), double{value}));
}

void Call::wrong(size_t i, std::string_view expected) const {
  fail("argument '", schema_.args[i].name, "' is not ", expected);
}

const TensorType& Call::tensor(size_t i) const {
  const Value* value = args_[i].tensor();
  if (value == nullptr) wrong(i, "a tensor");
  return value->type;
}

std::vector<const TensorType*> Call::tensors(size_t i) const {
  const auto* list = args_[i].get<Tensors>();
  if (list == nullptr) wrong(i, "a list of tensors");
  std::vector<const TensorType*> types;
  for (const Value* value : *list) types.push_back(value == nullptr ? nullptr : &value->type);
  return types;
}

const Ints& Call::ints(size_t i) const {
  const auto* list = args_[i].get<Ints>();
  if (list == nullptr) wrong(i, "a list of ints");
  return *list;
}

const Ints& Call::ints(size_t i, size_t count, int64_t least) const {
  const Ints& list = ints(i);
  const bool right = list.size() == count && std::all_of(list.begin(), list.end(), [least](int64_t value) {
                       return value >= least && value <= most_elements();
                     });
  if (!right) wrong(i, files::text(count, " ints of at least ", least));
  return list;
}

int64_t Call::integer(size_t i) const {
  const auto* value = args_[i].get<int64_t>();
  if (value == nullptr) wrong(i, "an int");
  return *value;
}

double Call::number(size_t i) const {
  const auto value = args_[i].number();
  if (!value) wrong(i, "a number");
  return *value;
}

bool Call::flag(size_t i) const {
  const auto* value = args_[i].get<bool>();
  if (value == nullptr) wrong(i, "a bool");
  return *value;
}

const std::string& Call::text(size_t i) const {
  const auto* value = args_[i].get<std::string>();
  if (value == nullptr) wrong(i, "a string");
  return *value;
}

std::vector<double> Call::doubles(size_t i, size_t count) const {
  const auto* list = args_[i].get<Doubles>();
  if (list == nullptr || list->size() != count) wrong(i, files::text(count, " floats"));
  return *list;
}

DType Call::dtype(size_t i, DType otherwise) const {
  if (!has(i)) return otherwise;
  const int64_t number = integer(i);
  const auto dtype = static_cast<DType>(number);
  if (number < 0 || number > 255 || dtype_bytes(dtype) == 0) fail("dtype ", number, " is not supported");
  return dtype;
}

DType Call::scalar_dtype(size_t i) const {
  if (args_[i].get<bool>() != nullptr) return DType::kBool;
  if (args_[i].get<int64_t>() != nullptr) return DType::kInt64;
  if (args_[i].get<double>() == nullptr) wrong(i, "a number");
  return DType::kFloat32;
}

std::vector<bool> Call::dims(size_t i, size_t rank) const {
  if (!has(i) || ints(i).empty()) return std::vector<bool>(rank, true);
  std::vector<bool> chosen(rank, false);
  for (const int64_t dim : ints(i)) {
    if (rank == 0 && (dim == 0 || dim == -1)) continue;
    const size_t at = wrap(dim, rank, op() + ": dimension");
    if (chosen[at]) fail("dimension ", dim, " is named twice");
    chosen[at] = true;
  }
  return chosen;
}

TensorType checked_type(const Call& call, DType dtype, Shape sizes, std::vector<uint8_t> dim_order) {
  int64_t count = 1;
  for (const int64_t size : sizes) {
    if (size < 0) call.fail("the output would have the negative size ", size);
    if (size != 0 && count > most_elements() / size) call.fail("the output would be too large");
    count *= size;
  }
  return {dtype, std::move(sizes), std::move(dim_order)};
}

Shape broadcast(const Call& call, const Shape& a, const Shape& b) {
  Shape sizes(std::max(a.size(), b.size()), 1);
  for (const Shape* shape : {&a, &b}) {
    const size_t skip = sizes.size() - shape->size();
    for (size_t i = 0; i < shape->size(); ++i) {
      int64_t& size = sizes[skip + i];
      if (size == 1) {
        size = (*shape)[i];
      } else if ((*shape)[i] != size && (*shape)[i] != 1) {
        call.fail("sizes ", files::describe_sizes(std::vector<int32_t>(a.begin(), a.end())), " and ",
                  files::describe_sizes(std::vector<int32_t>(b.begin(), b.end())), " do not broadcast");
      }
    }
  }
  return sizes;
}

int64_t window_count(const Call& call, int64_t size, int64_t window, int64_t stride, int64_t padding, int64_t dilation,
                     bool ceil_mode) {
  const int64_t reach = dilation * (window - 1) + 1;
  const int64_t room = size + 2 * padding - reach;
  if (room < 0) call.fail("a window of ", reach, " does not fit into ", size + 2 * padding);
  int64_t count = (room + (ceil_mode ? stride - 1 : 0)) / stride + 1;
  if (ceil_mode && (count - 1) * stride >= size + padding) --count;
  return count;
}

}  // namespace wick::compiler
