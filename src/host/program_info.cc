// A program's facts through the generated FlatBuffers code, after its verifier has been over the file.
#include "host/program_info.h"

#include <algorithm>
#include <cstring>

#include "files/array.h"
#include "files/failure.h"
#include "format/program_generated.h"

namespace wick::host {

uint64_t ValueInfo::bytes() const { return array_bytes(dtype, sizes).value_or(0); }

namespace {

uint64_t read_little_endian(const Bytes& bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) value |= static_cast<uint64_t>(bytes[at + i]) << (8 * i);
  return value;
}

// The FlatBuffers part: with an extended header it says how long that is.
size_t flatbuffer_bytes(const Bytes& program) {
  if (program.size() < 40 || std::memcmp(program.data() + 8, "eh00", 4) != 0) return program.size();
  return static_cast<size_t>(std::min<uint64_t>(read_little_endian(program, 16, 8), program.size()));
}

class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  ProgramInfo read(const fb::Program& program) {
    ProgramInfo info;
    info.name = name_;
    if (program.plans() == nullptr) bad("has no methods");
    for (const fb::Plan* plan : *program.plans()) info.methods.push_back(method(*plan));
    info.constants_bytes = constants_bytes(program);
    return info;
  }

 private:
  template <typename... Parts>
  [[noreturn]] void bad(Parts... parts) const {
    fail(name_, ": ", parts...);
  }

  static std::string string_of(const flatbuffers::String* s) { return s != nullptr ? s->str() : std::string(); }

  uint64_t constants_bytes(const fb::Program& program) const {
    uint64_t bytes = 0;
    if (program.constant_segment() != nullptr && program.segments() != nullptr &&
        program.constant_segment()->segment() < program.segments()->size() &&
        program.constant_segment()->offsets() != nullptr && program.constant_segment()->offsets()->size() > 1) {
      bytes += program.segments()->Get(program.constant_segment()->segment())->size();
    }
    if (program.constants() != nullptr) {
      for (const fb::InlineBuffer* buffer : *program.constants()) {
        if (buffer->storage() != nullptr) bytes += buffer->storage()->size();
      }
    }
    return bytes;
  }

  MethodInfo method(const fb::Plan& plan) {
    MethodInfo m;
    m.name = string_of(plan.name());
    method_ = m.name;
    if (plan.values() == nullptr || plan.inputs() == nullptr || plan.outputs() == nullptr) {
      bad("method ", method_, " has no values, inputs or outputs");
    }
    for (const fb::EValue* v : *plan.values()) m.values.push_back(value(*v));
    const int32_t count = static_cast<int32_t>(m.values.size());
    const auto checked = [&](int32_t index, const char* what) {
      if (index < 0 || index >= count) {
        bad("method ", method_, ": ", what, " is value ", index, ", but there are ", count);
      }
      return index;
    };
    for (const ValueInfo& v : m.values) {
      for (const int32_t item : v.items) {
        if (item != -1) checked(item, "an entry of a list");
      }
    }
    for (const int32_t index : *plan.inputs()) m.inputs.push_back(checked(index, "an input"));
    for (const int32_t index : *plan.outputs()) m.outputs.push_back(checked(index, "an output"));
    if (plan.buffer_sizes() != nullptr) {
      for (size_t i = 1; i < plan.buffer_sizes()->size(); ++i) {
        m.memory_bytes.push_back(static_cast<uint64_t>(plan.buffer_sizes()->Get(static_cast<uint32_t>(i))));
      }
    }
    if (plan.delegates() != nullptr) {
      for (const fb::Delegate* d : *plan.delegates()) m.delegates.push_back(string_of(d->id()));
    }
    if (plan.chains() != nullptr) {
      for (const fb::Chain* chain : *plan.chains()) {
        if (chain->instructions() == nullptr) continue;
        for (const fb::Instruction* i : *chain->instructions()) m.instructions.push_back(instruction(plan, m, *i));
      }
    }
    for (const InstructionInfo& i : m.instructions) {
      for (const int32_t arg : i.args) checked(arg, "an argument");
    }
    return m;
  }

  InstructionInfo instruction(const fb::Plan& plan, const MethodInfo& m, const fb::Instruction& in) const {
    InstructionInfo out;
    const auto copy_args = [&](const flatbuffers::Vector<int32_t>* args) {
      if (args != nullptr) out.args.assign(args->begin(), args->end());
    };
    if (const auto* call = in.args_as_KernelCall()) {
      const auto* ops = plan.operators();
      if (ops == nullptr || call->op_index() < 0 || static_cast<uint32_t>(call->op_index()) >= ops->size()) {
        bad("method ", method_, ": an instruction calls operator ", call->op_index(), ", which there is not");
      }
      const fb::Operator* op = ops->Get(static_cast<uint32_t>(call->op_index()));
      out.name = string_of(op->name());
      if (const std::string overload = string_of(op->overload()); !overload.empty()) out.name += "." + overload;
      copy_args(call->args());
    } else if (const auto* delegate = in.args_as_DelegateCall()) {
      out.kind = InstructionInfo::Kind::kDelegate;
      const size_t index = static_cast<size_t>(delegate->delegate_index());
      out.name = index < m.delegates.size() ? m.delegates[index] : "unknown backend";
      copy_args(delegate->args());
    } else if (const auto* move = in.args_as_MoveCall()) {
      out.kind = InstructionInfo::Kind::kMove;
      out.name = "move";
      out.args = {move->from(), move->to()};
    } else if (const auto* jump = in.args_as_JumpFalseCall()) {
      out.kind = InstructionInfo::Kind::kJumpFalse;
      out.name = "jump if false";
      out.args = {jump->condition()};
      out.destination = jump->destination();
    } else if (const auto* free = in.args_as_FreeCall()) {
      out.kind = InstructionInfo::Kind::kFree;
      out.name = "free";
      out.args = {free->value()};
    } else {
      bad("method ", method_, " has an instruction of unknown kind");
    }
    return out;
  }

  ValueInfo value(const fb::EValue& in) const {
    using Kind = ValueInfo::Kind;
    ValueInfo out;
    switch (in.val_type()) {
      case fb::Value::Int:
        out.kind = Kind::kInt;
        out.integer = in.val_as_Int()->value();
        break;
      case fb::Value::Bool:
        out.kind = Kind::kBool;
        out.integer = in.val_as_Bool()->value() ? 1 : 0;
        break;
      case fb::Value::Double:
        out.kind = Kind::kDouble;
        out.number = in.val_as_Double()->value();
        break;
      case fb::Value::String:
        out.kind = Kind::kString;
        out.string = string_of(in.val_as_String()->value());
        break;
      case fb::Value::Tensor:
        tensor(*in.val_as_Tensor(), &out);
        break;
      case fb::Value::IntList:
        out.kind = Kind::kList;
        if (const auto* items = in.val_as_IntList()->items()) {
          for (const int64_t item : *items) out.items.push_back(static_cast<int32_t>(item));
        }
        break;
      case fb::Value::TensorList:
        list(in.val_as_TensorList()->items(), &out);
        break;
      case fb::Value::OptionalTensorList:
        list(in.val_as_OptionalTensorList()->items(), &out);
        break;
      case fb::Value::DoubleList:
      case fb::Value::BoolList:
        out.kind = Kind::kList;
        break;
      default:
        break;
    }
    return out;
  }

  static void list(const flatbuffers::Vector<int32_t>* items, ValueInfo* out) {
    out->kind = ValueInfo::Kind::kList;
    if (items != nullptr) out->items.assign(items->begin(), items->end());
  }

  void tensor(const fb::Tensor& in, ValueInfo* out) const {
    out->kind = ValueInfo::Kind::kTensor;
    out->dtype = static_cast<DType>(in.scalar_type());
    if (dtype_bytes(out->dtype) == 0) {
      bad("method ", method_, " has a tensor of element type ", int{in.scalar_type()}, ", which is not supported");
    }
    if (in.sizes() != nullptr) out->sizes.assign(in.sizes()->begin(), in.sizes()->end());
    if (in.dim_order() != nullptr) out->dim_order.assign(in.dim_order()->begin(), in.dim_order()->end());
    std::vector<uint8_t> sorted = out->dim_order;
    std::sort(sorted.begin(), sorted.end());
    bool legal = sorted.size() == out->sizes.size() && array_bytes(out->dtype, out->sizes).has_value();
    for (size_t i = 0; legal && i < sorted.size(); ++i) legal = sorted[i] == i;
    if (!legal) bad("method ", method_, " has a tensor whose sizes and dim_order contradict each other");
    out->dynamic = in.dynamism() != 0;

    const bool external = in.extra() != nullptr && in.extra()->location() == 1;
    if (in.extra() != nullptr) out->name = string_of(in.extra()->name());
    if (in.allocation() != nullptr) {
      out->place = ValueInfo::Place::kPlanned;
      out->memory_id = in.allocation()->memory_id();
      out->offset = in.allocation()->offset_low() | (static_cast<uint64_t>(in.allocation()->offset_high()) << 32);
      out->initialized = in.data_index() > 0 || external;
    } else if (external) {
      out->place = ValueInfo::Place::kDataFile;
    } else if (in.data_index() > 0) {
      out->place = ValueInfo::Place::kConstant;
      out->constant = in.data_index();
    }
  }

  const std::string& name_;
  std::string method_;
};

}  // namespace

const MethodInfo& ProgramInfo::method(const std::string& wanted) const {
  std::string known;
  for (const MethodInfo& m : methods) {
    if (m.name == wanted) return m;
    known += (known.empty() ? "" : ", ") + m.name;
  }
  fail(name, ": method '", wanted, "' is not in the program; it has: ", known);
}

std::vector<int32_t> MethodInfo::tensors_of(const InstructionInfo& instruction) const {
  std::vector<int32_t> tensors;
  const auto add = [&](int32_t index) {
    if (index >= 0 && values[static_cast<size_t>(index)].kind == ValueInfo::Kind::kTensor &&
        std::find(tensors.begin(), tensors.end(), index) == tensors.end()) {
      tensors.push_back(index);
    }
  };
  for (const int32_t arg : instruction.args) {
    add(arg);
    for (const int32_t item : values[static_cast<size_t>(arg)].items) add(item);
  }
  return tensors;
}

std::vector<int32_t> MethodInfo::results_of(const InstructionInfo& instruction) const {
  if (instruction.kind != InstructionInfo::Kind::kCall || instruction.args.empty()) return {};
  InstructionInfo last;
  last.args = {instruction.args.back()};
  return tensors_of(last);
}

ProgramInfo read_program_info(const Bytes& program, const std::string& name) {
  if (program.size() < 8) fail(name, ": is not an ExecuTorch program: it has only ", program.size(), " bytes");
  const std::string identifier(reinterpret_cast<const char*>(program.data()) + 4, 4);
  if (identifier != "ET12") {
    if (identifier.compare(0, 2, "ET") == 0) {
      fail(name, ": is an ExecuTorch program of format '", identifier, "'; 'ET12' is the one that is known");
    }
    fail(name, ": is not an ExecuTorch program (bytes 4 to 7 are not 'ET12')");
  }
  flatbuffers::Verifier verifier(program.data(), flatbuffer_bytes(program));
  if (!verifier.VerifyBuffer<fb::Program>("ET12")) {
    fail(name, ": is damaged: the FlatBuffers verifier refuses it (", program.size(), " bytes; is the file complete?)");
  }
  return Reader(name).read(*fb::GetProgram(program.data()));
}

}  // namespace wick::host
