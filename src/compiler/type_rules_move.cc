// Output types of operators that pick, scatter, pad, convert and create.
#include <algorithm>
#include <cmath>

#include "compiler/type_rules.h"

namespace wick::compiler {

namespace {

size_t dim_at(const Call& call, size_t i, size_t rank) {
  return wrap(call.integer(i), std::max<size_t>(rank, 1), call.op() + ": dimension");
}

void require_index(const Call& call, const TensorType& type) {
  call.require(type.dtype == DType::kInt64 || type.dtype == DType::kInt32, "an index must be int32 or int64");
}

Types flip(const Call& call) {
  call.dims(1, call.tensor(0).sizes.size());
  return {call.tensor(0)};
}

Types roll(const Call& call) {
  const Ints& dims = call.ints(2);
  call.require(dims.empty() ? call.ints(1).size() == 1 : dims.size() == call.ints(1).size(),
               "shifts and dims differ in length");
  for (const int64_t dim : dims) wrap(dim, call.tensor(0).sizes.size(), call.op() + ": dimension");
  return {call.tensor(0)};
}

Types triangle(const Call& call) {
  call.require(call.tensor(0).sizes.size() >= 2, "needs two dimensions");
  return {call.tensor(0)};
}

Types index_select(const Call& call) {
  const TensorType& x = call.tensor(0);
  const TensorType& index = call.tensor(2);
  require_index(call, index);
  call.require(index.sizes.size() <= 1, "index must have one dimension");
  Shape sizes = x.sizes;
  const size_t dim = dim_at(call, 1, sizes.size());
  if (!sizes.empty()) sizes[dim] = index.numel();
  return {checked_type(call, x.dtype, std::move(sizes))};
}

Types gather(const Call& call) {
  const TensorType& x = call.tensor(0);
  const TensorType& index = call.tensor(2);
  require_index(call, index);
  const size_t dim = dim_at(call, 1, x.sizes.size());
  call.require(x.sizes.size() == index.sizes.size(), "index has another rank");
  for (size_t i = 0; i < x.sizes.size(); ++i) {
    call.require(i == dim || index.sizes[i] <= x.sizes[i], "index is larger than the input");
  }
  return {checked_type(call, x.dtype, index.sizes)};
}

Types scatter(const Call& call) {
  const TensorType& x = call.tensor(0);
  require_index(call, call.tensor(2));
  dim_at(call, 1, x.sizes.size());
  call.require(call.tensor(2).sizes.size() == x.sizes.size(), "index has another rank");
  return {x};
}

Types index(const Call& call) {
  const TensorType& x = call.tensor(0);
  const auto indices = call.tensors(1);
  call.require(indices.size() <= x.sizes.size(), "there are more indices than dimensions");
  Shape common, sizes;
  size_t first = x.sizes.size(), last = 0, count = 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] == nullptr) continue;
    call.require(indices[i]->dtype != DType::kBool && indices[i]->dtype != DType::kUInt8,
                 "an index that is a mask makes sizes depend on data");
    require_index(call, *indices[i]);
    common = broadcast(call, common, indices[i]->sizes);
    first = std::min(first, i);
    last = i;
    ++count;
  }
  call.require(count > 0, "all indices are missing");
  // Indices that stand together put their dimensions in their place, others in front.
  const size_t place = last - first + 1 == count ? first : 0;
  for (size_t i = 0; i < x.sizes.size(); ++i) {
    if (sizes.size() == place && i >= place) sizes.insert(sizes.end(), common.begin(), common.end());
    if (i >= indices.size() || indices[i] == nullptr) sizes.push_back(x.sizes[i]);
    if (sizes.size() == place && place > 0 && i + 1 == place) sizes.insert(sizes.end(), common.begin(), common.end());
  }
  return {checked_type(call, x.dtype, std::move(sizes))};
}

Types index_put(const Call& call) {
  call.require(call.tensors(1).size() <= call.tensor(0).sizes.size(), "there are more indices than dimensions");
  return {call.tensor(0)};
}

Types masked_scatter(const Call& call) {
  return {checked_type(call, call.tensor(0).dtype, broadcast(call, call.tensor(0).sizes, call.tensor(1).sizes))};
}

// Pairs from the last dimension backwards.
TensorType padded(const Call& call, const TensorType& x, const Ints& pad) {
  Shape sizes = x.sizes;
  call.require(pad.size() % 2 == 0 && pad.size() / 2 <= sizes.size(), "pad must have two numbers for each dimension");
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    for (const int64_t amount : {pad[2 * i], pad[2 * i + 1]}) {
      call.require(std::abs(amount) <= (int64_t{1} << 31), "a padding is too large");
      sizes[sizes.size() - 1 - i] += amount;
    }
  }
  return checked_type(call, x.dtype, std::move(sizes), x.dim_order);
}

Types pad(const Call& call) { return {padded(call, call.tensor(0), call.ints(1))}; }

Types edge_pad(const Call& call) {
  const TensorType& x = call.tensor(0);
  const size_t dims = static_cast<size_t>(call.op()[call.op().size() - 2] - '0');
  const Ints& amounts = call.ints(1, 2 * dims, 0);
  call.require(x.sizes.size() == dims + 1 || x.sizes.size() == dims + 2, "the input has another rank");
  return {padded(call, x, amounts)};
}

Types embedding(const Call& call) {
  const TensorType& weight = call.tensor(0);
  call.require(weight.sizes.size() == 2, "weight must have two dimensions");
  require_index(call, call.tensor(1));
  Shape sizes = call.tensor(1).sizes;
  sizes.push_back(weight.sizes[1]);
  return {checked_type(call, weight.dtype, std::move(sizes))};
}

Types pixel_shuffle(const Call& call) {
  Shape sizes = call.tensor(0).sizes;
  const int64_t factor = call.integer(1);
  call.require(sizes.size() >= 3 && factor > 0 && factor < 65536, "needs three dimensions and a positive factor");
  int64_t* chw = &sizes[sizes.size() - 3];
  if (call.op() == "aten::pixel_shuffle") {
    call.require(chw[0] % (factor * factor) == 0, "channels must be a multiple of the factor's square");
    chw[0] /= factor * factor;
    chw[1] *= factor;
    chw[2] *= factor;
  } else {
    call.require(chw[1] % factor == 0 && chw[2] % factor == 0, "height and width must be multiples of the factor");
    chw[0] *= factor * factor;
    chw[1] /= factor;
    chw[2] /= factor;
  }
  return {checked_type(call, call.tensor(0).dtype, std::move(sizes))};
}

Types channel_shuffle(const Call& call) {
  const TensorType& x = call.tensor(0);
  call.require(x.sizes.size() > 2 && call.integer(1) > 0 && x.sizes[1] % call.integer(1) == 0,
               "channels must be a multiple of groups");
  return {x};
}

Types unfold(const Call& call) {
  Shape sizes = call.tensor(0).sizes;
  call.require(!sizes.empty(), "the input has no dimensions");
  int64_t& size = sizes[dim_at(call, 1, sizes.size())];
  const int64_t window = call.integer(2), step = call.integer(3);
  call.require(window >= 0 && window <= size && step > 0, "size or step does not fit");
  size = (size - window) / step + 1;
  sizes.push_back(window);
  return {checked_type(call, call.tensor(0).dtype, std::move(sizes))};
}

Types as_strided(const Call& call) {
  call.require(call.ints(1).size() == call.ints(2).size(), "size and stride differ in length");
  return {checked_type(call, call.tensor(0).dtype, call.ints(1))};
}

Types diagonal(const Call& call) {
  Shape sizes = call.tensor(0).sizes;
  call.require(sizes.size() >= 2, "needs two dimensions");
  const size_t a = dim_at(call, 2, sizes.size()), b = dim_at(call, 3, sizes.size());
  call.require(a != b, "the dimensions are the same");
  const int64_t offset = call.integer(1);
  call.require(std::abs(offset) <= (int64_t{1} << 31), "offset is too large");
  const int64_t rows = sizes[a] + std::min<int64_t>(offset, 0), columns = sizes[b] - std::max<int64_t>(offset, 0);
  sizes.erase(sizes.begin() + static_cast<int64_t>(std::max(a, b)));
  sizes.erase(sizes.begin() + static_cast<int64_t>(std::min(a, b)));
  sizes.push_back(std::max<int64_t>(std::min(rows, columns), 0));
  return {checked_type(call, call.tensor(0).dtype, std::move(sizes))};
}

Types repeat_interleave(const Call& call) {
  Shape sizes = call.tensor(0).sizes;
  const int64_t repeats = call.integer(1);
  call.require(repeats >= 0 && repeats <= (int64_t{1} << 31), "repeats is negative or too large");
  if (!call.has(2)) {
    sizes = {call.tensor(0).numel() * repeats};
  } else if (!sizes.empty()) {
    sizes[dim_at(call, 2, sizes.size())] *= repeats;
  }
  return {checked_type(call, call.tensor(0).dtype, std::move(sizes))};
}

// Copies that may convert.
TensorType converted(const Call& call, std::string_view dtype_argument) {
  const Schema& schema = *find_schema(call.op());
  const TensorType& x = call.tensor(0);
  return {call.dtype(schema.index(dtype_argument), x.dtype), x.sizes, x.dim_order};
}

Types to_dtype(const Call& call) { return {converted(call, "dtype")}; }

Types to_other(const Call& call) {
  TensorType type = call.tensor(0);
  type.dtype = call.tensor(1).dtype;
  return {type};
}

Types with_dim_order(const Call& call) {
  const Schema& schema = *find_schema(call.op());
  const bool converts = schema.index("dtype") != Schema::npos;
  TensorType type = converts ? converted(call, "dtype") : call.tensor(0);
  const size_t at = schema.index("dim_order");
  if (!call.has(at)) return {type};
  const Ints& order = call.ints(at);
  call.require(order.size() == type.sizes.size(), "dim_order has another rank");
  type.dim_order.clear();
  bool contiguous = true;
  for (size_t i = 0; i < order.size(); ++i) {
    type.dim_order.push_back(static_cast<uint8_t>(wrap(order[i], order.size(), call.op() + ": dimension")));
    contiguous = contiguous && type.dim_order[i] == i;
  }
  if (contiguous) type.dim_order.clear();
  return {type};
}

Types copy(const Call& call) {
  call.require(broadcast(call, call.tensor(0).sizes, call.tensor(1).sizes) == call.tensor(0).sizes,
               "src does not broadcast to self");
  return {call.tensor(0)};
}

// zeros, ones, empty: size at 0
Types created(const Call& call) {
  const Schema& schema = *find_schema(call.op());
  return {checked_type(call, call.dtype(schema.index("dtype"), DType::kFloat32), call.ints(0))};
}

Types full(const Call& call) { return {checked_type(call, call.dtype(2, call.scalar_dtype(1)), call.ints(0))}; }

Types scalar_tensor(const Call& call) { return {TensorType{call.dtype(1, DType::kFloat32), {}, {}}}; }

// new_zeros, new_full: size at 1
Types new_like(const Call& call) {
  const size_t at = find_schema(call.op())->index("dtype");
  return {checked_type(call, call.dtype(at, call.tensor(0).dtype), call.ints(1))};
}

Types arange(const Call& call) {
  const bool from_zero = call.op() == "aten::arange";
  const bool with_step = call.op() == "aten::arange.start_step";
  const double start = from_zero ? 0 : call.number(0);
  const double end = call.number(from_zero ? 0 : 1);
  const double step = with_step ? call.number(2) : 1;
  const double count = std::ceil((end - start) / step);
  call.require(count >= 0 && count < 2147483648.0, "start, end and step do not fit together");
  DType dtype = DType::kInt64;
  for (size_t i = 0; i < (from_zero ? 1U : with_step ? 3U : 2U); ++i) {
    if (call.scalar_dtype(i) == DType::kFloat32) dtype = DType::kFloat32;
  }
  return {TensorType{call.dtype(call.size() - 1, dtype), {static_cast<int64_t>(count)}, {}}};
}

Types nothing(const Call&) { return {}; }

void add(TypeRules& rules, TypeRule rule, std::initializer_list<const char*> names) {
  for (const char* name : names) rules[std::string("aten::") + name] = rule;
}

}  // namespace

void add_move_rules(TypeRules& rules) {
  add(rules, flip, {"flip"});
  add(rules, roll, {"roll"});
  add(rules, triangle, {"tril", "triu"});
  add(rules, index_select, {"index_select"});
  add(rules, gather, {"gather"});
  add(rules, scatter, {"scatter.src", "scatter.value", "scatter_add"});
  add(rules, index, {"index.Tensor"});
  add(rules, index_put, {"index_put"});
  add(rules, masked_scatter, {"masked_scatter"});
  add(rules, pad, {"pad", "constant_pad_nd"});
  add(rules, edge_pad,
      {"reflection_pad1d", "reflection_pad2d", "reflection_pad3d", "replication_pad1d", "replication_pad2d",
       "replication_pad3d"});
  add(rules, embedding, {"embedding"});
  add(rules, pixel_shuffle, {"pixel_shuffle", "pixel_unshuffle"});
  add(rules, channel_shuffle, {"channel_shuffle"});
  add(rules, unfold, {"unfold", "unfold_copy"});
  add(rules, as_strided, {"as_strided", "as_strided_copy"});
  add(rules, diagonal, {"diagonal", "diagonal_copy"});
  add(rules, repeat_interleave, {"repeat_interleave.self_int"});
  add(rules, to_dtype,
      {"_to_copy", "to.dtype", "to.dtype_layout", "to.device", "zeros_like", "ones_like", "full_like", "empty_like"});
  add(rules, to_other, {"type_as", "to.other"});
  add(rules, copy, {"copy"});
  add(rules, created, {"zeros", "ones", "empty.memory_format"});
  add(rules, full, {"full"});
  add(rules, scalar_tensor, {"scalar_tensor"});
  add(rules, new_like, {"new_zeros", "new_ones", "new_full"});
  add(rules, arange, {"arange", "arange.start", "arange.start_step"});
  add(rules, nothing, {"_assert_tensor_metadata", "_assert_async.msg", "sym_constrain_range_for_size"});
  rules["dim_order_ops::_to_dim_order_copy"] = with_dim_order;
  rules["dim_order_ops::_clone_dim_order"] = with_dim_order;
}

}  // namespace wick::compiler
