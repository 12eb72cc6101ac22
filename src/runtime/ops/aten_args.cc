#include "runtime/ops/aten_args.h"

namespace wick::ops {

Pair pair(Prepare& p, uint32_t arg, const char* what, int32_t low, const Pair* fallback) {
  const Pair harmless{low > 0 ? low : 1, low > 0 ? low : 1};
  const IntList list = p.int_list(arg);
  if (p.failed()) return harmless;
  if (list.count == 0 && fallback != nullptr) return *fallback;
  if (!p.require(list.count == 1 || list.count == 2, Code::kInvalidProgram, arg, what, " has ", list.count,
                 " entries, expected 1 or 2")) {
    return harmless;
  }
  for (uint32_t i = 0; i < list.count; ++i) {
    if (!p.require(list.items[i] >= low && list.items[i] <= kMaxExtent, Code::kInvalidProgram, arg, what, " is ",
                   list.items[i], ", expected ", low, "..", kMaxExtent)) {
      return harmless;
    }
  }
  return Pair{static_cast<int32_t>(list.items[0]), static_cast<int32_t>(list.items[list.count - 1])};
}

void require_floating(Prepare& p, uint32_t arg, const Tensor& t) {
  p.require(kernels::is_floating(t.dtype), Code::kUnsupported, arg, "expected a floating-point type, found ",
            dtype_name(t.dtype));
}

void require_same_dtype(Prepare& p, uint32_t arg, const Tensor& t, const Tensor& like) {
  p.require_dtype(arg, t, like.dtype);
}

uint32_t dimension(Prepare& p, uint32_t arg, uint32_t rank) {
  const int32_t n = rank > 0 ? static_cast<int32_t>(rank) : 1;
  const int32_t dim = p.int32_in(arg, -n, n - 1);
  if (p.failed()) return 0;
  return static_cast<uint32_t>(dim < 0 ? dim + n : dim);
}

int32_t window_count(Prepare& p, uint32_t arg, int32_t in, int32_t kernel, int32_t stride, int32_t pad,
                     int32_t dilation, bool ceil_mode) {
  if (p.failed()) return 1;
  const int64_t reach = static_cast<int64_t>(dilation) * (kernel - 1) + 1;
  const int64_t room = static_cast<int64_t>(in) + 2 * static_cast<int64_t>(pad) - reach;
  if (!p.require(room >= 0, Code::kInvalidProgram, arg, "window of ", reach, " is larger than the padded image of ",
                 static_cast<int64_t>(in) + 2 * static_cast<int64_t>(pad))) {
    return 1;
  }
  int64_t count = (room + (ceil_mode ? stride - 1 : 0)) / stride + 1;
  // A window may not begin in the padding behind the image.
  if (ceil_mode && (count - 1) * stride >= static_cast<int64_t>(in) + pad) --count;
  return static_cast<int32_t>(count);
}

}  // namespace wick::ops
