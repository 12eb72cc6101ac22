// The tensors of a .pte file. A program has a few hundred and they are most of what loading it reads, so the way of a
// good tensor is straight, and everything that is said about a bad one lies apart.
#include "format/program_generated.h"
#include "format/pte_reader.h"

namespace wick::format {

namespace {

enum TensorField {
  kStorageOffset,
  kLayout,
  kDynamism,
  kExtra,
  kScalarType,
  kSizes,
  kDimOrder,
  kDataIndex,
  kAllocation
};
constexpr Field kFields[PteFile::kTensorFields] = {
    {fb::Tensor::VT_STORAGE_OFFSET, 4}, {fb::Tensor::VT_LAYOUT, 1},      {fb::Tensor::VT_DYNAMISM, 1},
    {fb::Tensor::VT_EXTRA, 4},          {fb::Tensor::VT_SCALAR_TYPE, 1}, {fb::Tensor::VT_SIZES, 4},
    {fb::Tensor::VT_DIM_ORDER, 4},      {fb::Tensor::VT_DATA_INDEX, 4},  {fb::Tensor::VT_ALLOCATION, 4}};
static_assert(kAllocation + 1 == PteFile::kTensorFields);
constexpr Field kAllocationFields[] = {{fb::AllocationInfo::VT_MEMORY_ID, 4},
                                       {fb::AllocationInfo::VT_OFFSET_LOW, 4},
                                       {fb::AllocationInfo::VT_OFFSET_HIGH, 4}};

enum class Flaw : uint8_t { kTable, kOffset, kDevice, kType, kUnbound, kStrided, kRank, kOrderCount, kSizes, kOrder };

[[gnu::cold, gnu::noinline]] Status refuse(Flaw flaw, const TensorFacts& f, uint32_t found, ErrorText& error) {
  const Tensor& t = f.tensor;
  switch (flaw) {
    case Flaw::kTable:
      error.add("malformed tensor table");
      return Code::kInvalidProgram;
    case Flaw::kOffset:
      error.add("planned offset beyond 2 GiB");
      return Code::kUnsupported;
    case Flaw::kDevice:
      error.add("tensor on another device than the CPU");
      return Code::kUnsupported;
    case Flaw::kType:
      error.add("element type number ", found, " is not one that wick has");
      return Code::kUnsupported;
    case Flaw::kUnbound:
      error.add("unbounded dynamic shape; export with an upper bound");
      return Code::kUnsupported;
    case Flaw::kStrided:
      error.add("storage offset or layout that is not strided");
      return Code::kUnsupported;
    case Flaw::kRank:
      error.add("rank ", found, ", at most ", kMaxRank, " is supported");
      return Code::kUnsupported;
    case Flaw::kOrderCount:
      error.add("dim_order of ", found, " entries for rank ", static_cast<uint32_t>(t.rank));
      return Code::kInvalidProgram;
    case Flaw::kSizes:
      error.add("sizes ");
      error.add_sizes(t.sizes, t.rank);
      error.add(" are negative or more than 2 GiB");
      return Code::kInvalidProgram;
    case Flaw::kOrder:
      break;
  }
  error.add("dim_order is not a permutation of 0..", t.rank - 1);
  return Code::kInvalidProgram;
}

// `order` at a multiple of 4, as vectors lie.
bool is_permutation(const uint8_t* order, uint32_t rank) {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < rank; ++i) {
    if (order[i] < rank) seen |= 1u << order[i];
  }
  return seen == (1u << rank) - 1;
}

// Bytes of an element by the file's number of its type; 0 for what is none.
struct ElementBytes {
  uint8_t of[32];
};
constexpr ElementBytes make_element_bytes() {
  ElementBytes bytes = {};
  for (uint32_t i = 0; i < 32; ++i) bytes.of[i] = static_cast<uint8_t>(dtype_bytes(static_cast<DType>(i)));
  return bytes;
}
constexpr ElementBytes kElementBytes = make_element_bytes();

}  // namespace

// What hardly any tensor has. Null flaw when there is nothing to say against it.
bool PteFile::tensor_rarities(uint32_t at, const uint16_t* offsets, TensorFacts* facts, Status* status,
                              ErrorText& error) const {
  const uint8_t* table = buffer_.bytes() + at;
  const auto refused = [&](Flaw flaw) {
    *status = refuse(flaw, *facts, 0, error);
    return true;
  };
  if (offsets[kExtra] != 0) {
    const uint32_t place = at + offsets[kExtra];
    const Table extra(buffer_, place + buffer_.u32(place));
    facts->external = extra.u8(fb::ExtraTensorInfo::VT_LOCATION) == 1;
    facts->name = extra.string(fb::ExtraTensorInfo::VT_NAME);
    const uint8_t device = extra.u8(fb::ExtraTensorInfo::VT_DEVICE_TYPE);
    if (buffer_.bad()) return refused(Flaw::kTable);
    if (device != 0) return refused(Flaw::kDevice);
  }
  const uint32_t dynamism = offsets[kDynamism] != 0 ? table[offsets[kDynamism]] : 0;
  if (dynamism > 1) return refused(Flaw::kUnbound);
  facts->tensor.dynamic = dynamism == 1;
  if ((offsets[kStorageOffset] != 0 && read32(table + offsets[kStorageOffset]) != 0) ||
      (offsets[kLayout] != 0 && table[offsets[kLayout]] != 0)) {
    return refused(Flaw::kStrided);
  }
  return false;
}

Status PteFile::tensor(uint32_t at, TensorFacts* facts, ErrorText& error) const {
  TensorFacts& f = *facts;
  Tensor& t = f.tensor;
  const auto* layout = tensors_.open(buffer_, at, kFields);
  if (layout == nullptr) return refuse(Flaw::kTable, f, 0, error);
  const uint16_t* offsets = layout->offsets;
  const uint8_t* base = buffer_.bytes();
  const uint32_t size = buffer_.size();

  uint32_t rank = 0, order_count = 0;
  const int32_t* sizes = nullptr;
  const uint8_t* order = nullptr;
  if (offsets[kSizes] != 0) {
    uint32_t vector = at + offsets[kSizes];
    vector += buffer_.u32(vector);
    if (rotated(vector) > (size - 4) >> 2) return refuse(Flaw::kTable, f, 0, error);
    rank = buffer_.u32(vector);
    if (rank > kMaxRank) return refuse(Flaw::kRank, f, rank, error);
    if (4 * rank > size - 4 - vector) return refuse(Flaw::kTable, f, 0, error);
    sizes = reinterpret_cast<const int32_t*>(base + vector + 4);
  }
  t.rank = static_cast<uint8_t>(rank);
  t.sizes = sizes;
  if (offsets[kDimOrder] != 0) {
    uint32_t vector = at + offsets[kDimOrder];
    vector += buffer_.u32(vector);
    if (rotated(vector) > (size - 4) >> 2) return refuse(Flaw::kTable, f, 0, error);
    order_count = buffer_.u32(vector);
    if (order_count > size - 4 - vector) return refuse(Flaw::kTable, f, 0, error);
    order = base + vector + 4;
  }
  if (order_count != rank) return refuse(Flaw::kOrderCount, f, order_count, error);
  t.dim_order = order;

  const uint32_t type = offsets[kScalarType] != 0 ? base[at + offsets[kScalarType]] : 0;
  const uint32_t element_bytes = type < sizeof(kElementBytes.of) ? kElementBytes.of[type] : 0;
  if (element_bytes == 0) return refuse(Flaw::kType, f, type, error);
  t.dtype = static_cast<DType>(type);
  f.element_bytes = static_cast<uint8_t>(element_bytes);
  // The bits above 31 of any size or product are what is too large.
  uint32_t bytes = element_bytes, excess = 0;
  for (uint32_t i = 0; i < rank; ++i) {
    const uint32_t extent = static_cast<uint32_t>(sizes[i]);
    const uint64_t product = static_cast<uint64_t>(bytes) * extent;
    bytes = static_cast<uint32_t>(product);
    excess |= static_cast<uint32_t>(product >> 32) | ((bytes | extent) >> 31);
  }
  if (excess != 0) return refuse(Flaw::kSizes, f, 0, error);
  f.bytes = bytes;
  // The usual two of images, at a glance.
  const bool image = rank == 4 && (read32(order) == 0x03020100 || read32(order) == 0x01030200);
  if (!image && !is_permutation(order, rank)) return refuse(Flaw::kOrder, f, 0, error);

  t.dynamic = t.state = f.external = false;
  f.name = nullptr;
  constexpr uint32_t kRare = 1u << kStorageOffset | 1u << kLayout | 1u << kDynamism | 1u << kExtra;
  if ((layout->present & kRare) != 0) {
    Status status;
    if (tensor_rarities(at, offsets, facts, &status, error)) return status;
  }

  const uint32_t index = offsets[kDataIndex] != 0 ? buffer_.u32(at + offsets[kDataIndex]) : 0;
  f.data_index = index;
  t.data = nullptr;
  if (offsets[kAllocation] != 0) {
    uint32_t place = at + offsets[kAllocation];
    place += buffer_.u32(place);
    const auto* allocation = allocations_.open(buffer_, place, kAllocationFields);
    if (allocation == nullptr) return refuse(Flaw::kTable, f, 0, error);
    const auto field = [&](uint32_t i) {
      return allocation->offsets[i] != 0 ? buffer_.u32(place + allocation->offsets[i]) : 0;
    };
    t.storage = Storage::kPlanned;
    t.state = index > 0 || f.external || f.name != nullptr;
    f.memory_id = field(0);
    f.offset = field(1);
    if (f.offset > INT32_MAX || field(2) != 0) return refuse(Flaw::kOffset, f, 0, error);
    return {};
  }
  t.storage = index > 0 || f.external ? Storage::kConstant : Storage::kCaller;
  if (index == 0 || f.external) return {};
  const uint8_t* data = nullptr;
  if (index < constant_offsets_.count) {
    const uint32_t offset = constant_offsets_.u32(2 * index);
    if (constant_offsets_.u32(2 * index + 1) == 0 && offset <= constant_bytes_.size &&
        bytes <= constant_bytes_.size - offset) {
      data = constant_bytes_.data + offset;
    }
  }
  if (data == nullptr) WICK_TRY(constant(index, bytes, &data, error));
  t.data = const_cast<uint8_t*>(data);  // never written: outputs are refused when constant
  return {};
}

const uint8_t* PteFile::plain_table(uint32_t at, DType dtype, uint32_t count) const {
  const auto* layout = tensors_.open(buffer_, at, kFields);
  if (layout == nullptr) return nullptr;
  const uint16_t* offsets = layout->offsets;
  const uint8_t* base = buffer_.bytes();
  const uint32_t last = (buffer_.size() - 8) >> 2;
  constexpr uint32_t kPlain = 1u << kScalarType | 1u << kSizes | 1u << kDimOrder | 1u << kDataIndex;
  if (layout->present != kPlain || base[at + offsets[kScalarType]] != static_cast<uint8_t>(dtype)) return nullptr;
  uint32_t sizes = at + offsets[kSizes], order = at + offsets[kDimOrder];
  sizes += buffer_.u32(sizes);
  order += buffer_.u32(order);
  if (rotated(sizes) > last || buffer_.u32(sizes) != 1 || buffer_.u32(sizes + 4) != count) return nullptr;
  if (rotated(order) > last || buffer_.u32(order) != 1 || base[order + 4] != 0) return nullptr;
  const uint32_t index = buffer_.u32(at + offsets[kDataIndex]), bytes = count * 4;
  if (index == 0 || index >= constant_offsets_.count || constant_offsets_.u32(2 * index + 1) != 0) return nullptr;
  const uint32_t offset = constant_offsets_.u32(2 * index);
  if (offset > constant_bytes_.size || bytes > constant_bytes_.size - offset) return nullptr;
  return constant_bytes_.data + offset;
}

}  // namespace wick::format
