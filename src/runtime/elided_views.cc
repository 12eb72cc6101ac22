// Sees through views that ExecuTorch left out of the program: a view_copy dropped by its memory planner leaves a tensor
// that nobody writes, at the place of the tensor that it views. Where that one lies in another memory order than its
// sizes (channels last), the view's bytes do too, whatever its own dim_order says.
#include "format/markers.h"
#include "format/program_generated.h"
#include "runtime/method.h"
#include "runtime/op.h"

namespace wick {

namespace {

constexpr uint32_t kMaxViewRank = 4;

// All orders of up to four dimensions; those of fewer are the rows that end in order.
struct Orders {
  uint8_t rows[24][kMaxViewRank];
};
constexpr Orders make_orders() {
  Orders orders = {};
  for (uint32_t row = 0; row < 24; ++row) {
    uint8_t left[kMaxViewRank] = {0, 1, 2, 3};
    uint32_t code = row, divisor = 6;
    for (uint32_t i = 0; i < kMaxViewRank; ++i) {
      const uint32_t pick = code / divisor;
      code %= divisor;
      divisor = i < 2 ? divisor / (3 - i) : 1;
      orders.rows[row][i] = left[pick];
      for (uint32_t k = pick; k + 1 < kMaxViewRank - i; ++k) left[k] = left[k + 1];
    }
  }
  return orders;
}
constexpr Orders kOrders = make_orders();

// The dim_order of these strides, largest first; null when they are not those of a dense tensor.
const uint8_t* order_of(const int32_t* sizes, const int32_t* strides, uint32_t rank) {
  uint8_t order[kMaxViewRank] = {0, 1, 2, 3};
  for (uint32_t i = 1; i < rank; ++i) {
    for (uint32_t k = i; k > 0 && strides[order[k]] > strides[order[k - 1]]; --k) {
      const uint8_t swapped = order[k];
      order[k] = order[k - 1];
      order[k - 1] = swapped;
    }
  }
  int32_t expected = 1;
  for (uint32_t i = rank; i-- > 0;) {
    if (sizes[order[i]] != 1 && strides[order[i]] != expected) return nullptr;
    expected *= sizes[order[i]];
  }
  for (const auto& row : kOrders.rows) {
    bool same = true;
    for (uint32_t i = 0; i < kMaxViewRank; ++i) same = same && row[i] == order[i];
    if (same) return row;
  }
  return nullptr;
}

// Strides that read `source` in the logical order of `sizes`; false when there are none.
bool view_strides(const Tensor& source, const int32_t* sizes, uint32_t rank, int32_t* strides) {
  int32_t own[kMaxRank];
  strides_of(source, own);
  uint32_t to = rank, from = source.rank;
  while (from > 0) {
    // The source's innermost dimensions that are left and step alike: one run of `run` elements, `step` apart.
    --from;
    const int32_t step = own[from];
    int64_t run = source.sizes[from];
    while (from > 0 && (source.sizes[from - 1] == 1 || own[from - 1] == run * step)) run *= source.sizes[--from];
    if (run == 1) continue;
    int64_t taken = 1;
    while (to > 0 && (taken < run || sizes[to - 1] == 1)) {
      --to;
      strides[to] = static_cast<int32_t>(taken * step);
      taken *= sizes[to];
    }
    if (taken != run) return false;
  }
  while (to > 0 && sizes[to - 1] == 1) strides[--to] = static_cast<int32_t>(source.numel());
  return to == 0;
}

}  // namespace

bool Prepare::find_viewed(int32_t view, Tensor* source, int32_t* source_value) {
  const format::PteFile& file = method_->program_->file();
  const format::Buffer& buffer = file.buffer();
  format::TensorFacts place, other;
  ErrorText ignored;
  auto facts_of = [&](int32_t value, format::TensorFacts* facts) {
    Value::Kind kind;
    const uint32_t at = method_->value_position(value, &kind);
    const bool ok = !buffer.bad() && kind == Value::Kind::kTensor && file.tensor(at, facts, ignored).ok();
    buffer.clear();
    return ok && facts->tensor.storage == Storage::kPlanned;
  };
  auto matches = [&](int32_t value) {
    return value != view && facts_of(value, &other) && other.memory_id == place.memory_id &&
           other.offset == place.offset && other.bytes == place.bytes && other.tensor.dtype == place.tensor.dtype;
  };
  if (!facts_of(view, &place) || place.bytes == 0) return false;
  *source_value = -1;
  for (uint32_t i = instruction_; i-- > 0 && *source_value < 0;) {
    const format::Table table = format::Table::element(buffer, method_->instructions_, i);
    const format::Table call = table.table(fb::Instruction::VT_ARGS);
    const bool is_call =
        table.u8(fb::Instruction::VT_ARGS_TYPE) == static_cast<uint8_t>(fb::InstructionArguments::KernelCall);
    const format::Vector args = is_call ? call.vector(fb::KernelCall::VT_ARGS, 4) : format::Vector();
    buffer.clear();
    if (args.count >= 2 && matches(args.i32(args.count - 2))) *source_value = args.i32(args.count - 2);
  }
  for (uint32_t i = 0; i < method_->inputs_.count && *source_value < 0; ++i) {
    if (matches(method_->inputs_.i32(i))) *source_value = method_->inputs_.i32(i);
  }
  Value v;
  if (*source_value < 0 || !method_->value_in_file(*source_value, &v, ignored).ok()) return false;
  *source = v.tensor;
  return true;
}

bool Prepare::says_where_bytes_lie(int32_t view) {
  Value::Kind kind;
  const format::Table extra = method_->value_table(view, &kind).table(fb::Tensor::VT_EXTRA);
  const char* name = extra.present() ? extra.string(fb::ExtraTensorInfo::VT_NAME) : nullptr;
  method_->program_->file().buffer().clear();
  return name != nullptr && same_text(name, format::kMemoryView);
}

void Prepare::see_through_view(uint32_t arg, int32_t view, Tensor* t) {
  Tensor source;
  int32_t source_value = 0;
  if (failed() || !find_viewed(view, &source, &source_value) || (is_contiguous(source) && is_contiguous(*t)) ||
      says_where_bytes_lie(view)) {
    return;
  }
  int32_t strides[kMaxRank];
  const uint8_t* order = nullptr;
  if (t->rank <= kMaxViewRank && view_strides(source, t->sizes, t->rank, strides)) {
    order = order_of(t->sizes, strides, t->rank);
  }
  Tensor seen = *t;
  seen.dim_order = order;
  if (!require(order != nullptr, Code::kUnsupported, arg, "is a view of value ", source_value,
               ", whose memory order does not fit the view's shape") ||
      same_layout(seen, *t)) {
    return;
  }
  if (require(method_->mode_ == Method::Mode::kFixed, Code::kUnsupported, arg, "is a view of value ", source_value,
              " in another memory order, in a method whose shapes or memory may change")) {
    *t = seen;
  }
}

}  // namespace wick
