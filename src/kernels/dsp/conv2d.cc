// INT8 convolution on the matrix core (gemm.h): rows in tiles, pixels in fours, windows read from the input or from a
// padded copy of a part of it. Knows how to walk; what to walk in steps of is the plan's (conv2d_plan.h).
#include "kernels/dsp/conv2d.h"

#include "kernels/dsp/conv2d_plan.h"
#include "kernels/dsp/conv2d_winograd.h"
#include "kernels/dsp/fast_requantize.h"
#include "kernels/dsp/simd.h"
#include "kernels/scalar/requantize_out.h"

namespace wick::kernels::dsp {

namespace {

struct Job {
  const Conv2dS8* c;
  ConvPlan plan;
  Block block;
  Window window;
  GemmArgs args;
  int32_t* pixels;
  int8_t* copy;
  int32_t* rows;
  int32_t* sums;
  int32_t first_row, last_row;  // in `rows`
};

// Windows in the order of output pixels.
struct Windows {
  const int8_t* first;
  int32_t columns, x_step, y_step;
};

class Cursor {
 public:
  Cursor(const Windows& w, int32_t pixel)
      : at_(w.first + pixel / w.columns * w.y_step + pixel % w.columns * w.x_step),
        left_(w.columns - pixel % w.columns),
        x_step_(w.x_step),
        wrap_(w.y_step - w.columns * w.x_step),
        columns_(w.columns) {}
  const int8_t* next() {
    const int8_t* at = at_;
    at_ += x_step_;
    if (--left_ == 0) wrap();
    return at;
  }
  void next4(const int8_t* group[4]) {
    if (left_ < 4) {
      for (int32_t i = 0; i < 4; ++i) group[i] = next();
      return;
    }
    group[0] = at_;
    group[1] = at_ + x_step_;
    group[2] = group[1] + x_step_;
    group[3] = group[2] + x_step_;
    at_ = group[3] + x_step_;
    left_ -= 4;
    if (left_ == 0) wrap();
  }

 private:
  void wrap() {
    left_ = columns_;
    at_ += wrap_;
  }
  const int8_t* at_;
  int32_t left_, x_step_, wrap_, columns_;
};

void expand_4(const Job& job, const int8_t* const group[4]) {
  int32_t* end = wick_dsp_expand_4(job.pixels, group, &job.window);
  if (job.window.tail == 1) wick_dsp_expand_tails_4(end, group, &job.window);
}

// Left-over pixels: three, or a single one, are taken together with pixels before them, which come out the same.
void run_fast(const Job& job, const Windows& windows, int32_t count, int8_t* out) {
  const int8_t* group[4];
  Cursor cursor(windows, 0);
  int32_t p = 0;
  for (; p + 4 <= count; p += 4, out += 4 * job.args.out_step) {
    cursor.next4(group);
    expand_4(job, group);
    wick_dsp_gemm_2x4(job.rows, job.pixels, out, &job.args);
  }
  for (int32_t left = count - p; left > 0;) {
    const int32_t size = left == 3 && p > 0 ? 4 : 2;
    const int32_t back = left < size && p > 0 ? size - left : 0;
    Cursor again(windows, p - back);
    GemmArgs args = job.args;
    if (left == 1 && p == 0) args.out_step = 0;  // an only pixel is both
    for (int32_t i = 0; i < size; ++i) {
      group[i] = i > 0 && args.out_step == 0 ? group[0] : again.next();
    }
    if (size == 4) {
      expand_4(job, group);
      wick_dsp_gemm_2x4(job.rows, job.pixels, out - back * args.out_step, &args);
    } else {
      wick_dsp_expand_2(job.pixels, group, &job.window);
      wick_dsp_gemm_2x2(job.rows, job.pixels, out - back * args.out_step, &args);
    }
    const int32_t done = size - back < left ? size - back : left;
    p += done;
    left -= done;
    out += done * job.args.out_step;
  }
}

void run_sums(const Job& job, const Windows& windows, int32_t count, int8_t* out) {
  const Conv2dS8& c = *job.c;
  const int8_t* group[4];
  Cursor cursor(windows, 0);
  for (int32_t p = 0; p < count; p += 4, out += 4 * c.out_c) {
    const int32_t size = count - p < 4 ? count - p : 4;
    for (int32_t i = 0; i < 4; ++i) group[i] = i < size ? cursor.next() : group[0];
    expand_4(job, group);
    wick_dsp_gemm_2x4_sums(job.rows, job.pixels, job.sums, &job.args);
    const int32_t* sums = job.sums;
    for (int32_t r = job.first_row; r < job.last_row; ++r, sums += 4) {
      for (int32_t i = 0; i < size; ++i) {
        out[i * c.out_c + r - job.first_row] =
            scalar::requantized(sums[i], c.multiplier[r], c.shift[r], c.output_offset, c.act_min, c.act_max);
      }
    }
  }
}

void run_pixels(const Job& job, const Windows& windows, int32_t count, int8_t* out) {
  (job.plan.arithmetic == ConvPlan::kFast ? run_fast : run_sums)(job, windows, count, out);
}

// A block that is the whole of the only image is copied for the first tile of rows alone.
void run_blocks(const Job& job, const int8_t* image, int8_t* out) {
  const Conv2dS8& c = *job.c;
  const Block& b = job.block;
  const int32_t window_lines = b.image_lines - (b.lines - 1) * c.stride_h;
  const Windows windows{job.copy + b.lead, b.columns, c.stride_w * c.in_c, c.stride_h * b.line_bytes};
  const bool copied = c.batch == 1 && b.lines >= c.out_h && b.columns >= c.out_w && job.first_row > 0;
  for (int32_t oy = 0; oy < c.out_h; oy += b.lines) {
    const int32_t lines = c.out_h - oy < b.lines ? c.out_h - oy : b.lines;
    for (int32_t ox = 0; ox < c.out_w; ox += b.columns) {
      const int32_t columns = c.out_w - ox < b.columns ? c.out_w - ox : b.columns;
      if (!copied) {
        copy_image(c, b, image, oy, ox, (lines - 1) * c.stride_h + window_lines,
                   (columns - 1) * c.stride_w + c.kernel_w, job.copy);
      }
      run_pixels(job, windows, lines * columns, out + (oy * c.out_w + ox) * c.out_c);
    }
  }
}

void run_direct(const Job& job, const int8_t* image, int8_t* out) {
  const Conv2dS8& c = *job.c;
  Windows windows{image - (c.pad_h * c.in_w + c.pad_w) * c.in_c, c.out_w, c.stride_w * c.in_c,
                  c.stride_h * c.in_w * c.in_c};
  const int32_t count = c.out_h * c.out_w;
  if (windows.y_step == windows.columns * windows.x_step) windows.columns = count;  // one line
  run_pixels(job, windows, count, out);
}

KernelMemory memory_of(const Conv2dS8& c, const ConvPlan& plan) {
  return {0, static_cast<uint32_t>(scratch_bytes(c, plan))};
}

Conv2dS8 conv2d_of(const DepthwiseConv2dS8& c) {
  return {c.batch,        c.in_h,          c.in_w,     c.in_c,    c.out_h,   c.out_w,      c.out_c,      c.kernel_h,
          c.kernel_w,     c.stride_h,      c.stride_w, c.pad_h,   c.pad_w,   c.dilation_h, c.dilation_w, 1,
          c.input_offset, c.output_offset, c.act_min,  c.act_max, c.weights, c.bias,       c.multiplier, c.shift,
          c.prepared,     c.path};
}

void run_conv2d(const Conv2dS8& c, const ConvPlan& plan, WeightLayout layout, const int8_t* input, int8_t* output,
                void* scratch) {
  const RowSet rows = row_set_of(c, plan, layout);
  if (plan.arithmetic == ConvPlan::kWinograd) {
    run_winograd(c, plan, rows, input, output, scratch);
    clamp_s8(output, c.batch * c.out_h * c.out_w * c.out_c, c.act_min, c.act_max);
    return;
  }
  Job job{&c, plan, block_of(c, plan), {}, {}, nullptr, nullptr, nullptr, nullptr, 0, 0};
  job.window = window_of(c, plan, job.block);
  job.args = {job.window.steps(), c.out_c};
  int8_t* at = static_cast<int8_t*>(scratch);
  job.pixels = reinterpret_cast<int32_t*>(at);
  job.copy = at + pixels_bytes(job.args.steps);
  job.rows = reinterpret_cast<int32_t*>(job.copy + (plan.direct ? 0 : job.block.bytes()));
  job.sums = job.rows + plan.row_pairs * row_pair_bytes(job.args.steps) / 4;
  const int32_t in_bytes = c.in_h * c.in_w * c.in_c, out_bytes = c.out_h * c.out_w * c.out_c;
  for (int32_t r = 0; r < c.out_c; r += 2 * plan.row_pairs) {
    job.first_row = r;
    job.last_row = r + 2 * plan.row_pairs < c.out_c ? r + 2 * plan.row_pairs : c.out_c;
    write_rows(rows, job.window, job.first_row, job.last_row, job.rows);
    for (int32_t n = 0; n < c.batch; ++n) {
      (plan.direct ? run_direct : run_blocks)(job, input + n * in_bytes, output + n * out_bytes + r);
    }
  }
  if (plan.arithmetic == ConvPlan::kFast) clamp_s8(output, c.batch * out_bytes, c.act_min, c.act_max);
}

}  // namespace

KernelMemory conv2d_s8_plan(Conv2dS8& c) {
  const ConvPlan plan = plan_conv2d(c, WeightLayout::kRowMajor);
  if (plan.arithmetic == ConvPlan::kScalar) {
    c.path = 0;
    return scalar::conv2d_s8_plan(c);
  }
  c.path = plan.pack();
  return memory_of(c, plan);
}

void conv2d_s8_prepare(Conv2dS8& c, void* prepared) {
  if (c.path == 0) scalar::conv2d_s8_prepare(c, prepared);
}

void conv2d_s8(const Conv2dS8& c, const int8_t* input, int8_t* output, void* scratch) {
  if (c.path == 0) {
    scalar::conv2d_s8(c, input, output, scratch);
  } else {
    run_conv2d(c, ConvPlan::unpack(c.path), WeightLayout::kRowMajor, input, output, scratch);
  }
}

KernelMemory one_channel_depthwise_plan(DepthwiseConv2dS8& c) {
  c.path = 0;
  if (c.in_c != 1) return {};
  const Conv2dS8 conv = conv2d_of(c);
  const ConvPlan plan = plan_conv2d(conv, WeightLayout::kDepthMajor);
  if (plan.arithmetic == ConvPlan::kScalar) return {};
  c.path = plan.pack() | kDepthwiseIsConv2d;
  return memory_of(conv, plan);
}

void one_channel_depthwise(const DepthwiseConv2dS8& c, const int8_t* input, int8_t* output, void* scratch) {
  run_conv2d(conv2d_of(c), ConvPlan::unpack(c.path), WeightLayout::kDepthMajor, input, output, scratch);
}

}  // namespace wick::kernels::dsp
