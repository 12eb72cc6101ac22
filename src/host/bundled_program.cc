// Takes a .bpte apart, after FlatBuffers' verifier has been over it.
#include "host/bundled_program.h"

#include <cstring>

#include "files/array.h"
#include "files/failure.h"
#include "format/bundled_program_generated.h"

namespace wick::host {

namespace {

namespace fb = wick::fb::bundle;

BundledCase::Value value_of(const fb::Value& in, const std::string& name) {
  switch (in.val_type()) {
    case fb::ValueUnion::Int:
      return {in.val_as_Int()->value(), {}};
    case fb::ValueUnion::Bool:
      return {in.val_as_Bool()->value(), {}};
    case fb::ValueUnion::Double:
      return {in.val_as_Double()->value(), {}};
    case fb::ValueUnion::Tensor: {
      const fb::Tensor& tensor = *in.val_as_Tensor();
      Array array;
      BundledCase::Value out;
      array.dtype = static_cast<DType>(tensor.scalar_type());
      if (tensor.sizes() != nullptr) array.sizes.assign(tensor.sizes()->begin(), tensor.sizes()->end());
      if (tensor.data() != nullptr) array.bytes.assign(tensor.data()->begin(), tensor.data()->end());
      if (tensor.dim_order() != nullptr) out.dim_order.assign(tensor.dim_order()->begin(), tensor.dim_order()->end());
      if (dtype_bytes(array.dtype) == 0 || array_bytes(array.dtype, array.sizes) != array.bytes.size()) {
        fail(name, ": a test case has a tensor whose type, sizes and data contradict each other");
      }
      for (const uint8_t dim : out.dim_order) {
        if (dim >= array.sizes.size()) fail(name, ": a test case has a tensor with an impossible dim_order");
      }
      out.value = std::move(array);
      return out;
    }
    default:
      fail(name, ": a test case has a value of unknown kind");
  }
}

}  // namespace

bool is_bundled_program(const Bytes& bytes) {
  return bytes.size() >= 8 && std::memcmp(bytes.data() + 4, "BP08", 4) == 0;
}

BundledProgram read_bundled_program(const Bytes& bytes, const std::string& name) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!verifier.VerifyBuffer<fb::BundledProgram>("BP08")) {
    fail(name, ": is damaged: the FlatBuffers verifier refuses this bundled program");
  }
  const fb::BundledProgram& bundle = *fb::GetBundledProgram(bytes.data());
  BundledProgram out;
  if (bundle.program() == nullptr) fail(name, ": is a bundled program without a program inside");
  out.program.assign(bundle.program()->begin(), bundle.program()->end());
  if (bundle.suites() == nullptr) return out;
  for (const fb::TestSuite* suite : *bundle.suites()) {
    if (suite->cases() == nullptr) continue;
    for (const fb::TestCase* c : *suite->cases()) {
      BundledCase& test = out.cases.emplace_back();
      if (suite->method() != nullptr) test.method = suite->method()->str();
      if (c->inputs() != nullptr) {
        for (const fb::Value* v : *c->inputs()) test.inputs.push_back(value_of(*v, name));
      }
      if (c->expected() != nullptr) {
        for (const fb::Value* v : *c->expected()) test.expected.push_back(value_of(*v, name));
      }
    }
  }
  return out;
}

}  // namespace wick::host
