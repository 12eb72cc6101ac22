#include "compiler/tflite_model.h"

#include <flatbuffers/flatbuffers.h>

#include <cstring>
#include <map>

#include "files/failure.h"
#include "files/files.h"
#include "format/tflite_generated.h"

namespace wick::compiler {

namespace {

constexpr int64_t kMostElements = int64_t{1} << 31;
constexpr int32_t kCustom = 32;

uint16_t offset_of_slot(uint16_t slot) { return static_cast<uint16_t>(4 + 2 * slot); }

[[noreturn]] void fail_option() { files::fail("its options are damaged"); }

// Nothing for types that wick has no tensors of.
std::optional<DType> dtype_of(int8_t type) {
  switch (type) {
    case 0:
      return DType::kFloat32;
    case 1:
      return DType::kFloat16;
    case 2:
      return DType::kInt32;
    case 3:
      return DType::kUInt8;
    case 4:
      return DType::kInt64;
    case 6:
      return DType::kBool;
    case 7:
      return DType::kInt16;
    case 9:
    case 17:  // four bits, spread out here
      return DType::kInt8;
    case 10:
      return DType::kFloat64;
    case 12:
      return DType::kUInt64;
    case 15:
      return DType::kUInt32;
    case 16:
      return DType::kUInt16;
    default:
      return std::nullopt;
  }
}

template <typename Vector>
std::vector<int32_t> ints_of(const Vector* list) {
  return list == nullptr ? std::vector<int32_t>() : std::vector<int32_t>(list->begin(), list->end());
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) {
    model_.path = path.string();
    model_.bytes = files::read_file(path);
  }

  TfModel run() {
    flatbuffers::Verifier verifier(model_.bytes.data(), model_.bytes.size(), 64, 10000000);
    if (model_.bytes.size() < 8 || std::memcmp(model_.bytes.data() + 4, "TFL3", 4) != 0) {
      fail("is not a TensorFlow Lite model");
    }
    if (!tflite::VerifyModelBuffer(verifier)) fail("is damaged, or was cut off");
    root_ = tflite::GetModel(model_.bytes.data());
    if (root_->version() != 3) fail("has version ", root_->version(), " of the format, expected 3");
    if (root_->subgraphs() == nullptr || root_->subgraphs()->size() == 0) fail("has no graph");
    const tflite::SubGraph* graph = root_->subgraphs()->Get(0);
    if (graph->tensors() != nullptr) {
      for (const tflite::Tensor* tensor : *graph->tensors()) add_tensor(*tensor);
    }
    if (graph->operators() != nullptr) {
      for (const tflite::Operator* op : *graph->operators()) add_operator(*op);
    }
    model_.inputs = indices(graph->inputs(), "the graph's inputs", false);
    model_.outputs = indices(graph->outputs(), "the graph's outputs", false);
    return std::move(model_);
  }

 private:
  template <typename... Parts>
  [[noreturn]] void fail(Parts&&... parts) const {
    files::fail(model_.path, ": ", std::forward<Parts>(parts)...);
  }

  std::vector<int32_t> indices(const flatbuffers::Vector<int32_t>* list, const std::string& what, bool optional) const {
    std::vector<int32_t> out = ints_of(list);
    for (const int32_t one : out) {
      if (one < (optional ? -1 : 0) || one >= static_cast<int64_t>(model_.tensors.size())) {
        fail(what, " name tensor ", one, " of ", model_.tensors.size());
      }
    }
    return out;
  }

  void add_tensor(const tflite::Tensor& from) {
    TfTensor tensor;
    tensor.name = from.name() == nullptr ? "tensor_" + std::to_string(model_.tensors.size()) : from.name()->str();
    const std::string what = "tensor '" + tensor.name + "'";
    int64_t count = 1;
    for (const int32_t size : ints_of(from.shape())) {
      if (size < 0 || (size > 0 && count > kMostElements / size)) fail(what, " has an impossible size");
      count *= size;
      tensor.sizes.push_back(size);
    }
    for (const int32_t size : ints_of(from.shape_signature())) tensor.signature.push_back(size);
    if (tensor.signature.size() != tensor.sizes.size()) tensor.signature.clear();
    const auto dtype = dtype_of(from.type());
    if (!dtype) fail(what, " has type ", int{from.type()}, ", which is not supported");
    tensor.dtype = *dtype;
    tensor.variable = from.is_variable();
    if (from.sparsity() != nullptr)
      fail(what, " is sparse, which is not supported; convert the model without sparsity");
    if (from.external_buffer() != 0) fail(what, " lies in another file, which is not supported");
    read_quantization(what, from, tensor);
    read_data(what, from, tensor, count);
    model_.tensors.push_back(std::move(tensor));
  }

  void read_quantization(const std::string& what, const tflite::Tensor& from, TfTensor& tensor) const {
    const tflite::Quantization* q = from.quantization();
    if (q == nullptr) return;
    if (q->details_type() != 0) fail(what, " is quantized in a way of its own (blocks, axes), which is not supported");
    if (q->scale() == nullptr || q->scale()->size() == 0) return;
    Quantization out;
    out.scale.assign(q->scale()->begin(), q->scale()->end());
    if (q->zero_point() != nullptr && q->zero_point()->size() > 0) {
      // A damaged file may have them where no int64 may lie; the verifier asks for multiples of four only.
      out.zero_point.resize(q->zero_point()->size());
      std::memcpy(out.zero_point.data(), q->zero_point()->Data(), out.zero_point.size() * sizeof(int64_t));
    }
    if (out.zero_point.size() < 2)
      out.zero_point.resize(out.scale.size(), out.zero_point.empty() ? 0 : out.zero_point[0]);
    out.axis = q->quantized_dimension();
    if (out.zero_point.size() != out.scale.size()) fail(what, " has as many scales as zero points not");
    if (out.scale.size() > 1 &&
        (out.axis < 0 || out.axis >= static_cast<int64_t>(tensor.sizes.size()) ||
         tensor.sizes[static_cast<size_t>(out.axis)] != static_cast<int64_t>(out.scale.size()))) {
      fail(what, " has ", out.scale.size(), " scales, which do not fit its dimension ", out.axis);
    }
    for (const double scale : out.scale) {
      if (!(scale >= 0 && scale < 1e30)) fail(what, " has the impossible scale ", scale);
    }
    tensor.quantization = std::move(out);
  }

  void read_data(const std::string& what, const tflite::Tensor& from, TfTensor& tensor, int64_t count) {
    if (from.buffer() == 0) return;
    if (root_->buffers() == nullptr || from.buffer() >= root_->buffers()->size()) fail(what, " lies in no buffer");
    const tflite::Buffer* buffer = root_->buffers()->Get(from.buffer());
    const uint8_t* begin = nullptr;
    uint64_t bytes = 0;
    if (buffer->data() != nullptr && buffer->data()->size() > 0) {
      begin = buffer->data()->data();
      bytes = buffer->data()->size();
    } else if (buffer->offset() > 1) {
      if (buffer->offset() > model_.bytes.size() || buffer->size() > model_.bytes.size() - buffer->offset()) {
        fail(what, " lies beyond the end of the file");
      }
      begin = model_.bytes.data() + buffer->offset();
      bytes = buffer->size();
    } else {
      return;
    }
    const bool nibbles = from.type() == 17;
    const uint64_t expected =
        nibbles ? static_cast<uint64_t>(count + 1) / 2 : static_cast<uint64_t>(count) * dtype_bytes(tensor.dtype);
    if (bytes != expected) fail(what, " has ", bytes, " bytes, expected ", expected);
    auto array = std::make_shared<files::Array>();
    array->dtype = tensor.dtype;
    array->sizes.assign(tensor.sizes.begin(), tensor.sizes.end());
    if (nibbles) {
      array->bytes.resize(static_cast<size_t>(count));
      for (size_t i = 0; i < array->bytes.size(); ++i) {
        const int four = i % 2 == 0 ? begin[i / 2] & 15 : begin[i / 2] >> 4;
        array->bytes[i] = static_cast<uint8_t>(four < 8 ? four : four - 16);
      }
    } else {
      array->bytes.assign(begin, begin + bytes);
    }
    tensor.data = std::move(array);
  }

  void add_operator(const tflite::Operator& from) {
    TfOperator op;
    op.index = model_.operators.size();
    const std::string what = "operator " + std::to_string(op.index);
    if (root_->operator_codes() == nullptr || from.opcode_index() >= root_->operator_codes()->size()) {
      fail(what, " has no code");
    }
    const tflite::OperatorCode* code = root_->operator_codes()->Get(from.opcode_index());
    op.code = std::max<int32_t>(code->deprecated_builtin_code(), code->builtin_code());
    if (op.code == kCustom) op.custom = code->custom_code() == nullptr ? "?" : code->custom_code()->str();
    op.inputs = indices(from.inputs(), what, true);
    op.outputs = indices(from.outputs(), what, false);
    op.options = TfOptions(reinterpret_cast<const flatbuffers::Table*>(from.builtin_options()), model_.bytes.data(),
                           model_.bytes.size());
    model_.operators.push_back(std::move(op));
  }

  TfModel model_;
  const tflite::Model* root_ = nullptr;
};

}  // namespace

// The vtable was judged with the table; where its entries point to was not.
template <typename T>
static T scalar(const flatbuffers::Table* table, const uint8_t* bytes, size_t size, uint16_t slot, T otherwise) {
  if (table == nullptr) return otherwise;
  const flatbuffers::Verifier verifier(bytes, size);
  const uint16_t offset = offset_of_slot(slot);
  if (!table->VerifyField<T>(verifier, offset, sizeof(T))) fail_option();
  return table->GetField<T>(offset, otherwise);
}

int32_t TfOptions::integer(uint16_t slot, int32_t otherwise) const {
  return scalar<int32_t>(table_, bytes_, size_, slot, otherwise);
}
int8_t TfOptions::byte(uint16_t slot) const { return scalar<int8_t>(table_, bytes_, size_, slot, 0); }
float TfOptions::real(uint16_t slot) const { return scalar<float>(table_, bytes_, size_, slot, 0); }

Ints TfOptions::ints(uint16_t slot) const {
  if (table_ == nullptr) return {};
  const flatbuffers::Verifier verifier(bytes_, size_);
  const uint16_t offset = offset_of_slot(slot);
  if (!table_->VerifyOffset(verifier, offset)) fail_option();
  const auto* list = table_->GetPointer<const flatbuffers::Vector<int32_t>*>(offset);
  if (!verifier.VerifyVector(list)) fail_option();
  const std::vector<int32_t> out = ints_of(list);
  return {out.begin(), out.end()};
}

TfModel read_tflite(const std::filesystem::path& path) { return Reader(path).run(); }

std::string tflite_operator_name(int32_t code) {
  static const std::map<int32_t, const char*> names = {{0, "ADD"},
                                                       {1, "AVERAGE_POOL_2D"},
                                                       {2, "CONCATENATION"},
                                                       {3, "CONV_2D"},
                                                       {4, "DEPTHWISE_CONV_2D"},
                                                       {5, "DEPTH_TO_SPACE"},
                                                       {6, "DEQUANTIZE"},
                                                       {7, "EMBEDDING_LOOKUP"},
                                                       {8, "FLOOR"},
                                                       {9, "FULLY_CONNECTED"},
                                                       {11, "L2_NORMALIZATION"},
                                                       {12, "L2_POOL_2D"},
                                                       {13, "LOCAL_RESPONSE_NORMALIZATION"},
                                                       {14, "LOGISTIC"},
                                                       {16, "LSTM"},
                                                       {17, "MAX_POOL_2D"},
                                                       {18, "MUL"},
                                                       {19, "RELU"},
                                                       {20, "RELU_N1_TO_1"},
                                                       {21, "RELU6"},
                                                       {22, "RESHAPE"},
                                                       {23, "RESIZE_BILINEAR"},
                                                       {24, "RNN"},
                                                       {25, "SOFTMAX"},
                                                       {26, "SPACE_TO_DEPTH"},
                                                       {27, "SVDF"},
                                                       {28, "TANH"},
                                                       {32, "CUSTOM"},
                                                       {34, "PAD"},
                                                       {35, "UNIDIRECTIONAL_SEQUENCE_RNN"},
                                                       {36, "GATHER"},
                                                       {37, "BATCH_TO_SPACE_ND"},
                                                       {38, "SPACE_TO_BATCH_ND"},
                                                       {39, "TRANSPOSE"},
                                                       {40, "MEAN"},
                                                       {41, "SUB"},
                                                       {42, "DIV"},
                                                       {43, "SQUEEZE"},
                                                       {44, "UNIDIRECTIONAL_SEQUENCE_LSTM"},
                                                       {45, "STRIDED_SLICE"},
                                                       {46, "BIDIRECTIONAL_SEQUENCE_RNN"},
                                                       {47, "EXP"},
                                                       {48, "TOPK_V2"},
                                                       {49, "SPLIT"},
                                                       {50, "LOG_SOFTMAX"},
                                                       {52, "BIDIRECTIONAL_SEQUENCE_LSTM"},
                                                       {53, "CAST"},
                                                       {54, "PRELU"},
                                                       {55, "MAXIMUM"},
                                                       {56, "ARG_MAX"},
                                                       {57, "MINIMUM"},
                                                       {58, "LESS"},
                                                       {59, "NEG"},
                                                       {60, "PADV2"},
                                                       {61, "GREATER"},
                                                       {62, "GREATER_EQUAL"},
                                                       {63, "LESS_EQUAL"},
                                                       {64, "SELECT"},
                                                       {65, "SLICE"},
                                                       {66, "SIN"},
                                                       {67, "TRANSPOSE_CONV"},
                                                       {69, "TILE"},
                                                       {70, "EXPAND_DIMS"},
                                                       {71, "EQUAL"},
                                                       {72, "NOT_EQUAL"},
                                                       {73, "LOG"},
                                                       {74, "SUM"},
                                                       {75, "SQRT"},
                                                       {76, "RSQRT"},
                                                       {77, "SHAPE"},
                                                       {78, "POW"},
                                                       {79, "ARG_MIN"},
                                                       {81, "REDUCE_PROD"},
                                                       {82, "REDUCE_MAX"},
                                                       {83, "PACK"},
                                                       {84, "LOGICAL_OR"},
                                                       {85, "ONE_HOT"},
                                                       {86, "LOGICAL_AND"},
                                                       {87, "LOGICAL_NOT"},
                                                       {88, "UNPACK"},
                                                       {89, "REDUCE_MIN"},
                                                       {90, "FLOOR_DIV"},
                                                       {91, "REDUCE_ANY"},
                                                       {92, "SQUARE"},
                                                       {93, "ZEROS_LIKE"},
                                                       {94, "FILL"},
                                                       {95, "FLOOR_MOD"},
                                                       {96, "RANGE"},
                                                       {97, "RESIZE_NEAREST_NEIGHBOR"},
                                                       {98, "LEAKY_RELU"},
                                                       {99, "SQUARED_DIFFERENCE"},
                                                       {100, "MIRROR_PAD"},
                                                       {101, "ABS"},
                                                       {102, "SPLIT_V"},
                                                       {104, "CEIL"},
                                                       {105, "REVERSE_V2"},
                                                       {106, "ADD_N"},
                                                       {107, "GATHER_ND"},
                                                       {108, "COS"},
                                                       {109, "WHERE"},
                                                       {111, "ELU"},
                                                       {114, "QUANTIZE"},
                                                       {116, "ROUND"},
                                                       {117, "HARD_SWISH"},
                                                       {118, "IF"},
                                                       {119, "WHILE"},
                                                       {123, "SELECT_V2"},
                                                       {126, "BATCH_MATMUL"},
                                                       {128, "CUMSUM"},
                                                       {129, "CALL_ONCE"},
                                                       {130, "BROADCAST_TO"},
                                                       {142, "VAR_HANDLE"},
                                                       {143, "READ_VARIABLE"},
                                                       {144, "ASSIGN_VARIABLE"},
                                                       {145, "BROADCAST_ARGS"},
                                                       {150, "GELU"}};
  const auto found = names.find(code);
  return found == names.end() ? "operator " + std::to_string(code) : found->second;
}

}  // namespace wick::compiler
