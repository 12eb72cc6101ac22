// Pooling, addition and softmax against CMSIS-NN itself: FNV-1a of the outputs of its own kernels
// (commit 99f736a), recorded on an emulated Cortex-M33 with the formulas below for data.
#include <doctest.h>

#include <cstdint>
#include <vector>

#include "kernels/isa.h"

namespace wick {
namespace {

namespace isa = kernels::isa;

uint32_t hash(const std::vector<int8_t>& bytes) {
  uint32_t h = 2166136261u;
  for (int8_t byte : bytes) h = (h ^ static_cast<uint8_t>(byte)) * 16777619u;
  return h;
}

std::vector<int8_t> ramp(int32_t count, int32_t step, int32_t first) {
  std::vector<int8_t> bytes(static_cast<size_t>(count));
  for (int32_t i = 0; i < count; ++i)
    bytes[static_cast<size_t>(i)] = static_cast<int8_t>((i * step + first) % 255 - 127);
  return bytes;
}

std::vector<uint64_t> room_for(uint32_t bytes) { return std::vector<uint64_t>(bytes / 8 + 1); }

TEST_CASE("pools give CMSIS-NN's bytes") {
  struct Case {
    bool average;
    int32_t h, w, channels, kernel_h, kernel_w, stride;
    uint32_t hash;
  };
  for (const Case& k : {Case{true, 25, 5, 64, 25, 5, 1, 0xc2a86920}, Case{true, 8, 8, 64, 8, 8, 1, 0x4013afcf},
                        Case{true, 32, 32, 16, 2, 2, 2, 0x98671b45}, Case{false, 32, 32, 16, 2, 2, 2, 0x225fecd3},
                        Case{false, 24, 24, 16, 3, 3, 2, 0x0e788f22}}) {
    CAPTURE(k.average);
    CAPTURE(k.h);
    const std::vector<int8_t> input = ramp(k.h * k.w * k.channels, 37, 0);
    kernels::Pool2d c = {};
    c.batch = 1, c.in_h = k.h, c.in_w = k.w, c.channels = k.channels;
    c.kernel_h = k.kernel_h, c.kernel_w = k.kernel_w, c.stride_h = c.stride_w = k.stride;
    c.out_h = (k.h - k.kernel_h) / k.stride + 1, c.out_w = (k.w - k.kernel_w) / k.stride + 1;
    c.act_min = -128, c.act_max = 127;
    std::vector<int8_t> output(static_cast<size_t>(c.out_h * c.out_w * c.channels));
    auto scratch = room_for((k.average ? isa::avg_pool2d_s8_plan(c) : isa::max_pool2d_s8_plan(c)).scratch_bytes);
    (k.average ? isa::avg_pool2d_s8 : isa::max_pool2d_s8)(c, input.data(), output.data(), scratch.data());
    REQUIRE(hash(output) == k.hash);
  }
}

TEST_CASE("add_s8 gives CMSIS-NN's bytes") {
  struct Case {
    int32_t count;
    uint32_t hash;
  };
  for (const Case& k : {Case{8000, 0xd8dbaa36}, Case{16384, 0xb755e759}}) {
    CAPTURE(k.count);
    const std::vector<int8_t> a = ramp(k.count, 37, 0), b = ramp(k.count, 91, 13);
    kernels::AddS8 c = {-3, 1 << 30, 0, 7, 1288490189, 0, -5, 1 << 30, -18, -128, 127};
    kernels::BinaryShape shape = {};
    shape.inner = static_cast<uint32_t>(k.count);
    shape.a_step = shape.b_step = 1;
    auto scratch = room_for(isa::add_s8_plan(c, shape).scratch_bytes);
    std::vector<int8_t> output(a.size());
    isa::add_s8(c, shape, a.data(), b.data(), output.data(), scratch.data());
    REQUIRE(hash(output) == k.hash);
  }
}

TEST_CASE("softmax_s8 gives CMSIS-NN's bytes") {
  struct Case {
    int32_t rows, row_size;
    uint32_t hash;
  };
  for (const Case& k :
       {Case{1, 10, 0xd57a9d71}, Case{1, 12, 0xe70b4f5c}, Case{1, 128, 0xe8ab1e1e}, Case{16, 16, 0x2cd3144c}}) {
    CAPTURE(k.row_size);
    const std::vector<int8_t> input = ramp(k.rows * k.row_size, 37, 0);
    kernels::SoftmaxS8 c = {k.rows, k.row_size, 1077952640, 23, -248};
    const kernels::KernelMemory memory = isa::softmax_s8_plan(c);
    auto prepared = room_for(memory.prepared_bytes), scratch = room_for(memory.scratch_bytes);
    isa::softmax_s8_prepare(c, prepared.data());
    std::vector<int8_t> output(input.size());
    isa::softmax_s8(c, input.data(), output.data(), scratch.data());
    REQUIRE(hash(output) == k.hash);
  }
}

}  // namespace
}  // namespace wick
