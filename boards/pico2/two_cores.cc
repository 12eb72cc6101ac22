// INT8 convolutions and linear layers on both cores. An image with --cores 2 links this in front of the kernels: the
// linker hands the runtime's calls of plan, prepare and run to the functions here (--wrap), and these to the kernels
// that they stand for. Each half has its own prepared memory and scratch, so nothing is shared but the input.
#include <cstdint>

#include "kernels/split.h"
#include "pico2/core1.h"

namespace wick::pico2 {
namespace {

using kernels::Conv2dS8;
using kernels::DepthwiseConv2dS8;
using kernels::KernelMemory;
using kernels::LinearS8;
using kernels::SplitAt;

constexpr uint32_t kIsSplit = 1u << 31;  // in `path`, which is otherwise the kernel's

}  // namespace

// The names that --wrap gives: `__real_` is the kernel, `__wrap_` is called in its place.
#define WICK_WRAPPED(Kind, plan_name, prepare_name, run_name)                                                 \
  KernelMemory real_plan(Kind& c) __asm("__real_" plan_name);                                                 \
  void real_prepare(Kind& c, void* prepared) __asm("__real_" prepare_name);                                   \
  void real_run(const Kind& c, const int8_t* input, int8_t* output, void* scratch) __asm("__real_" run_name); \
  [[gnu::used]] KernelMemory wrapped_plan(Kind& c) __asm("__wrap_" plan_name);                                \
  [[gnu::used]] void wrapped_prepare(Kind& c, void* prepared) __asm("__wrap_" prepare_name);                  \
  [[gnu::used]] void wrapped_run(const Kind& c, const int8_t* input, int8_t* output,                          \
                                 void* scratch) __asm("__wrap_" run_name);

WICK_WRAPPED(Conv2dS8, "_ZN4wick7kernels3dsp14conv2d_s8_planERNS0_8Conv2dS8E",
             "_ZN4wick7kernels3dsp17conv2d_s8_prepareERNS0_8Conv2dS8EPv",
             "_ZN4wick7kernels3dsp9conv2d_s8ERKNS0_8Conv2dS8EPKaPaPv")
WICK_WRAPPED(DepthwiseConv2dS8, "_ZN4wick7kernels3dsp24depthwise_conv2d_s8_planERNS0_17DepthwiseConv2dS8E",
             "_ZN4wick7kernels3dsp27depthwise_conv2d_s8_prepareERNS0_17DepthwiseConv2dS8EPv",
             "_ZN4wick7kernels3dsp19depthwise_conv2d_s8ERKNS0_17DepthwiseConv2dS8EPKaPaPv")
WICK_WRAPPED(LinearS8, "_ZN4wick7kernels3dsp14linear_s8_planERNS0_8LinearS8E",
             "_ZN4wick7kernels3dsp17linear_s8_prepareERNS0_8LinearS8EPv",
             "_ZN4wick7kernels3dsp9linear_s8ERKNS0_8LinearS8EPKaPaPv")

namespace {

bool split(const Conv2dS8& c, Conv2dS8* a, Conv2dS8* b, SplitAt* at) { return split_rows(c, a, b, at); }
bool split(const DepthwiseConv2dS8& c, DepthwiseConv2dS8* a, DepthwiseConv2dS8* b, SplitAt* at) {
  return split_rows(c, a, b, at);
}
bool split(const LinearS8& c, LinearS8* a, LinearS8* b, SplitAt* at) { return split_linear(c, a, b, at); }

// What `prepared` of a split job points to; the halves' own prepared memory follows.
template <typename Kind>
struct Halves {
  Kind a, b;
  SplitAt at;
  uint32_t scratch_at;  // of b's scratch
};

uint32_t aligned(uint32_t bytes) { return (bytes + 7) & ~7u; }

template <typename Kind>
struct Plan {
  Halves<Kind> halves;
  KernelMemory a, b;
  bool is_split;
};

template <typename Kind>
Plan<Kind> plan_halves(const Kind& c) {
  Plan<Kind> plan;
  plan.is_split = split(c, &plan.halves.a, &plan.halves.b, &plan.halves.at);
  if (!plan.is_split) return plan;
  plan.a = real_plan(plan.halves.a);
  plan.b = real_plan(plan.halves.b);
  plan.halves.scratch_at = aligned(plan.a.scratch_bytes);
  return plan;
}

template <typename Kind>
KernelMemory plan_both(Kind& c) {
  const Plan<Kind> plan = plan_halves(c);
  if (!plan.is_split) return real_plan(c);
  c.path = kIsSplit;
  return {static_cast<uint32_t>(sizeof(Halves<Kind>)) + aligned(plan.a.prepared_bytes) + plan.b.prepared_bytes,
          plan.halves.scratch_at + plan.b.scratch_bytes};
}

template <typename Kind>
void prepare_both(Kind& c, void* prepared) {
  if ((c.path & kIsSplit) == 0) return real_prepare(c, prepared);
  Plan<Kind> plan = plan_halves(c);
  uint8_t* memory = static_cast<uint8_t*>(prepared) + sizeof(Halves<Kind>);
  real_prepare(plan.halves.a, plan.a.prepared_bytes > 0 ? memory : nullptr);
  real_prepare(plan.halves.b, plan.b.prepared_bytes > 0 ? memory + aligned(plan.a.prepared_bytes) : nullptr);
  *static_cast<Halves<Kind>*>(prepared) = plan.halves;
  c.prepared = prepared;
}

template <typename Kind>
struct Half {
  const Kind* c;
  const int8_t* input;
  int8_t* output;
  void* scratch;
};

template <typename Kind>
void run_half(const void* what) {
  const auto* half = static_cast<const Half<Kind>*>(what);
  real_run(*half->c, half->input, half->output, half->scratch);
}

template <typename Kind>
void run_both(const Kind& c, const int8_t* input, int8_t* output, void* scratch) {
  if ((c.path & kIsSplit) == 0) return real_run(c, input, output, scratch);
  const auto* halves = static_cast<const Halves<Kind>*>(c.prepared);
  const Half<Kind> a = {&halves->a, input, output, scratch};
  const Half<Kind> b = {&halves->b, input + halves->at.input, output + halves->at.output,
                        static_cast<uint8_t*>(scratch) + halves->scratch_at};
  run_on_both_cores(run_half<Kind>, &a, &b);
}

}  // namespace

KernelMemory wrapped_plan(Conv2dS8& c) { return plan_both(c); }
void wrapped_prepare(Conv2dS8& c, void* prepared) { prepare_both(c, prepared); }
void wrapped_run(const Conv2dS8& c, const int8_t* input, int8_t* output, void* scratch) {
  run_both(c, input, output, scratch);
}

KernelMemory wrapped_plan(DepthwiseConv2dS8& c) { return plan_both(c); }
void wrapped_prepare(DepthwiseConv2dS8& c, void* prepared) { prepare_both(c, prepared); }
void wrapped_run(const DepthwiseConv2dS8& c, const int8_t* input, int8_t* output, void* scratch) {
  run_both(c, input, output, scratch);
}

KernelMemory wrapped_plan(LinearS8& c) { return plan_both(c); }
void wrapped_prepare(LinearS8& c, void* prepared) { prepare_both(c, prepared); }
void wrapped_run(const LinearS8& c, const int8_t* input, int8_t* output, void* scratch) {
  run_both(c, input, output, scratch);
}

}  // namespace wick::pico2
