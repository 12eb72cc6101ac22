#include "compiler/torch_pickle.h"

#include <cstring>
#include <deque>
#include <optional>
#include <variant>

#include "files/failure.h"

namespace wick::compiler {

namespace {

struct Object;
using Ref = Object*;  // owned by the unpickler: a pickle may tie knots

struct Mark {};
struct None {};
struct Global {
  std::string name;  // "module name"
};
struct Storage {
  DType dtype;
  std::string key;
};
struct List {
  std::vector<Ref> items;  // also tuples
};
struct Dict {
  std::vector<std::pair<Ref, Ref>> items;
};
struct Object {
  std::variant<Mark, None, Global, Storage, List, Dict, PickledTensor, int64_t, double, bool, std::string> held;
};

class Unpickler {
 public:
  Unpickler(const files::Bytes& bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  Ref run() {
    for (;;) {
      if (std::optional<Ref> result = step()) return *result;
    }
  }

 private:
  template <typename... Parts>
  [[noreturn]] void fail(Parts&&... parts) const {
    files::fail(name_, ": ", std::forward<Parts>(parts)...);
  }

  uint8_t byte() {
    if (at_ >= bytes_.size()) fail("pickle ends too early");
    return bytes_[at_++];
  }
  uint64_t number(size_t count) {
    uint64_t value = 0;
    for (size_t i = 0; i < count; ++i) value |= uint64_t{byte()} << (8 * i);
    return value;
  }
  std::string text(uint64_t count) {
    if (count > bytes_.size() - at_) fail("pickle ends too early");
    std::string value(bytes_.begin() + static_cast<ptrdiff_t>(at_),
                      bytes_.begin() + static_cast<ptrdiff_t>(at_ + count));
    at_ += count;
    return value;
  }
  std::string line() {
    std::string value;
    for (uint8_t c = byte(); c != '\n'; c = byte()) value += static_cast<char>(c);
    return value;
  }

  template <typename T>
  Ref make(T value) {
    objects_.push_back(Object{std::move(value)});
    return &objects_.back();
  }
  void push(Ref value) {
    if (stack_.size() > 1000000) fail("pickle is too deep");
    stack_.push_back(value);
  }
  Ref pop() {
    if (stack_.empty()) fail("pickle is malformed");
    Ref value = stack_.back();
    stack_.pop_back();
    return value;
  }
  template <typename T>
  T& as(const Ref& value, const char* what) {
    T* held = std::get_if<T>(&value->held);
    if (held == nullptr) fail("pickle has something else where ", what, " is expected");
    return *held;
  }
  std::vector<Ref> pop_to_mark() {
    size_t at = stack_.size();
    while (at > 0 && !std::holds_alternative<Mark>(stack_[at - 1]->held)) --at;
    if (at == 0) fail("pickle is malformed");
    std::vector<Ref> items(stack_.begin() + static_cast<ptrdiff_t>(at), stack_.end());
    stack_.resize(at - 1);
    return items;
  }

  void tuple(size_t count) {
    std::vector<Ref> items(count);
    for (size_t i = count; i-- > 0;) items[i] = pop();
    push(make(List{std::move(items)}));
  }
  void set_items(const std::vector<Ref>& items) {
    if (items.size() % 2 != 0 || stack_.empty()) fail("pickle is malformed");
    Dict& dict = as<Dict>(stack_.back(), "a dictionary");
    for (size_t i = 0; i < items.size(); i += 2) dict.items.emplace_back(items[i], items[i + 1]);
  }
  void append(const std::vector<Ref>& items) {
    if (stack_.empty()) fail("pickle is malformed");
    List& list = as<List>(stack_.back(), "a list");
    list.items.insert(list.items.end(), items.begin(), items.end());
  }

  std::vector<int64_t> numbers(const Ref& value) {
    std::vector<int64_t> list;
    for (const Ref& item : as<List>(value, "a tuple").items) list.push_back(as<int64_t>(item, "a number"));
    return list;
  }

  // ('storage', class, key, location, elements)
  void persistent() {
    const Ref id = pop();
    const List& parts = as<List>(id, "a tuple");
    if (parts.items.size() != 5) fail("pickle names a storage in an unknown way");
    static const std::map<std::string, DType> kTypes = {
        {"torch FloatStorage", DType::kFloat32},        {"torch DoubleStorage", DType::kFloat64},
        {"torch HalfStorage", DType::kFloat16},         {"torch BFloat16Storage", DType::kBFloat16},
        {"torch LongStorage", DType::kInt64},           {"torch IntStorage", DType::kInt32},
        {"torch ShortStorage", DType::kInt16},          {"torch CharStorage", DType::kInt8},
        {"torch ByteStorage", DType::kUInt8},           {"torch BoolStorage", DType::kBool},
        {"torch.storage UntypedStorage", DType::kUInt8}};
    const std::string& type = as<Global>(parts.items[1], "a storage class").name;
    const auto found = kTypes.find(type);
    if (found == kTypes.end()) fail("storage class '", type, "' is not supported");
    push(make(Storage{found->second, as<std::string>(parts.items[2], "a key")}));
  }

  void reduce() {
    const Ref args = pop();
    const Ref function = pop();
    const std::string& what = as<Global>(function, "a function").name;
    const std::vector<Ref>& list = as<List>(args, "a tuple").items;
    if (what == "collections OrderedDict") {
      push(make(Dict{}));
    } else if (what == "torch._utils _rebuild_parameter" && !list.empty()) {
      push(list[0]);
    } else if (what == "torch._utils _rebuild_tensor_v2" && list.size() >= 4) {
      const Storage& storage = as<Storage>(list[0], "a storage");
      push(make(PickledTensor{{storage.dtype, numbers(list[2]), numbers(list[3]), as<int64_t>(list[1], "an offset")},
                              storage.key}));
    } else {
      fail("pickle calls '", what, "', which is not allowed");
    }
  }

  void memorize(uint64_t index) {
    if (stack_.empty()) fail("pickle is malformed");
    memo_[index] = stack_.back();
  }
  void recall(uint64_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) fail("pickle is malformed");
    push(found->second);
  }

  int64_t long_number() {
    const uint8_t count = byte();
    if (count > 8) fail("pickle has a number that is too large");
    uint64_t value = number(count);
    if (count > 0 && count < 8 && (value >> (8 * count - 1)) != 0) value |= ~uint64_t{0} << (8 * count);
    return static_cast<int64_t>(value);
  }

  double real() {
    uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8 | byte();
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }

  // One opcode; the result when it was the last.
  std::optional<Ref> step() {
    const uint8_t opcode = byte();
    switch (opcode) {
      case 0x80:  // protocol
        if (byte() > 5) fail("pickle is of an unknown protocol");
        break;
      case 0x95:  // frame
        number(8);
        break;
      case '(':
        push(make(Mark{}));
        break;
      case 'N':
        push(make(None{}));
        break;
      case 0x88:
        push(make(true));
        break;
      case 0x89:
        push(make(false));
        break;
      case 'K':
        push(make(int64_t{byte()}));
        break;
      case 'M':
        push(make(static_cast<int64_t>(number(2))));
        break;
      case 'J':
        push(make(int64_t{static_cast<int32_t>(number(4))}));
        break;
      case 0x8a:
        push(make(long_number()));
        break;
      case 'G':
        push(make(real()));
        break;
      case 'X':
        push(make(text(number(4))));
        break;
      case 0x8c:
        push(make(text(byte())));
        break;
      case 'c': {
        const std::string module = line();
        push(make(Global{module + " " + line()}));
        break;
      }
      case 0x93: {
        const Ref function = pop(), module = pop();
        push(make(Global{as<std::string>(module, "a module") + " " + as<std::string>(function, "a name")}));
        break;
      }
      case ')':
        tuple(0);
        break;
      case 0x85:
        tuple(1);
        break;
      case 0x86:
        tuple(2);
        break;
      case 0x87:
        tuple(3);
        break;
      case 't':
        push(make(List{pop_to_mark()}));
        break;
      case ']':
        push(make(List{}));
        break;
      case 'a':
        append({pop()});
        break;
      case 'e':
        append(pop_to_mark());
        break;
      case '}':
        push(make(Dict{}));
        break;
      case 's': {
        const Ref value = pop(), key = pop();
        set_items({key, value});
        break;
      }
      case 'u':
        set_items(pop_to_mark());
        break;
      case 'q':
        memorize(byte());
        break;
      case 'r':
        memorize(number(4));
        break;
      case 0x94:
        memorize(memo_.size());
        break;
      case 'h':
        recall(byte());
        break;
      case 'j':
        recall(number(4));
        break;
      case 'Q':
        persistent();
        break;
      case 'R':
        reduce();
        break;
      case 'b':
        pop();
        break;  // state of an OrderedDict: only _metadata
      case '.':
        return pop();
      default:
        fail("pickle has the opcode ", int{opcode}, ", which is not supported");
    }
    return std::nullopt;
  }

  const files::Bytes& bytes_;
  const std::string& name_;
  size_t at_ = 0;
  std::deque<Object> objects_;
  std::vector<Ref> stack_;
  std::map<uint64_t, Ref> memo_;
};

}  // namespace

std::map<std::string, PickledTensor> read_pickled_tensors(const files::Bytes& pickle, const std::string& name) {
  Unpickler unpickler(pickle, name);
  const Ref root = unpickler.run();
  const auto* dict = std::get_if<Dict>(&root->held);
  if (dict == nullptr) files::fail(name, ": is no dictionary of tensors");
  std::map<std::string, PickledTensor> tensors;
  for (const auto& [key, value] : dict->items) {
    const auto* text = std::get_if<std::string>(&key->held);
    const auto* tensor = std::get_if<PickledTensor>(&value->held);
    if (text == nullptr || tensor == nullptr) files::fail(name, ": is no dictionary of tensors");
    tensors[*text] = *tensor;
  }
  return tensors;
}

}  // namespace wick::compiler
