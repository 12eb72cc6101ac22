// runtime/ops/strides.h: broadcasting and merged walks against index arithmetic.
#include "runtime/ops/strides.h"

#include <doctest.h>

#include <cstdint>
#include <vector>

#include "support/random.h"

namespace wick {
namespace {

constexpr uint8_t kContiguous[] = {0, 1, 2, 3};
constexpr uint8_t kChannelsLast[] = {0, 2, 3, 1};

Tensor tensor_of(const int32_t* sizes, uint32_t rank, const uint8_t* dim_order) {
  Tensor t;
  t.sizes = sizes;
  t.dim_order = dim_order;
  t.rank = static_cast<uint8_t>(rank);
  t.dtype = DType::kInt8;
  return t;
}

TEST_CASE("broadcast_sizes aligns at the last dimension") {
  const int32_t a[] = {2, 1, 3}, b[] = {5, 3}, c[] = {4};
  int32_t sizes[kMaxRank];
  uint32_t rank = 0;
  REQUIRE(ops::broadcast_sizes(tensor_of(a, 3, kContiguous), tensor_of(b, 2, kContiguous), sizes, &rank));
  CHECK(rank == 3);
  CHECK(sizes[0] == 2);
  CHECK(sizes[1] == 5);
  CHECK(sizes[2] == 3);
  CHECK_FALSE(ops::broadcast_sizes(tensor_of(a, 3, kContiguous), tensor_of(c, 1, kContiguous), sizes, &rank));
}

TEST_CASE("binary_shape makes one run of equal layouts") {
  const int32_t sizes[] = {2, 3, 4, 5};
  const Tensor t = tensor_of(sizes, 4, kChannelsLast);
  const kernels::BinaryShape shape = ops::binary_shape(t, t, t);
  CHECK(shape.outer_rank == 0);
  CHECK(shape.inner == 120);
  CHECK(shape.a_step == 1);
  CHECK(shape.b_step == 1);
}

TEST_CASE("binary_shape repeats a channel vector along the pixels of a channels-last image") {
  const int32_t sizes[] = {1, 3, 4, 5}, channels[] = {1, 3, 1, 1};
  const Tensor image = tensor_of(sizes, 4, kChannelsLast), vector = tensor_of(channels, 4, kContiguous);
  const kernels::BinaryShape shape = ops::binary_shape(image, vector, image);
  REQUIRE(shape.outer_rank == 1);
  CHECK(shape.outer_sizes[0] == 20);
  CHECK(shape.b_strides[0] == 0);
  CHECK(shape.inner == 3);
  CHECK(shape.b_step == 1);
}

int32_t offset_in(const Tensor& t, const int32_t* index, uint32_t rank) {
  int32_t strides[kMaxRank];
  strides_of(t, strides);
  int32_t offset = 0;
  for (uint32_t i = 1; i <= t.rank; ++i) {
    if (t.sizes[t.rank - i] != 1) offset += index[rank - i] * strides[t.rank - i];
  }
  return offset;
}

// Which elements of a and b each output element reads, by walking a BinaryShape.
void list_reads(const kernels::BinaryShape& shape, std::vector<int32_t>* a, std::vector<int32_t>* b) {
  std::vector<int32_t> index(shape.outer_rank, 0);
  for (;;) {
    int32_t in_a = 0, in_b = 0;
    for (uint32_t d = 0; d < shape.outer_rank; ++d) {
      in_a += index[d] * shape.a_strides[d];
      in_b += index[d] * shape.b_strides[d];
    }
    for (uint32_t i = 0; i < shape.inner; ++i) {
      a->push_back(in_a + static_cast<int32_t>(i * shape.a_step));
      b->push_back(in_b + static_cast<int32_t>(i * shape.b_step));
    }
    uint32_t d = shape.outer_rank;
    while (d > 0 && ++index[d - 1] == shape.outer_sizes[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

TEST_CASE("binary_shape reads what logical indices say, whatever the layouts") {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    test::Random random(seed);
    int32_t sizes[4], a_sizes[4], b_sizes[4];
    for (uint32_t d = 0; d < 4; ++d) {
      sizes[d] = random.in(1, 4);
      a_sizes[d] = random.one_in(3) ? 1 : sizes[d];
      b_sizes[d] = random.one_in(3) ? 1 : sizes[d];
    }
    const uint32_t b_rank = random.one_in(2) ? 4 : 1 + random.next() % 3;
    const Tensor out = tensor_of(sizes, 4, random.one_in(2) ? kContiguous : kChannelsLast);
    const Tensor a = tensor_of(a_sizes, 4, random.one_in(2) ? kContiguous : kChannelsLast);
    const Tensor b =
        tensor_of(b_sizes + 4 - b_rank, b_rank, b_rank < 4 || random.one_in(2) ? kContiguous : kChannelsLast);
    std::vector<int32_t> reads_a, reads_b;
    list_reads(ops::binary_shape(a, b, out), &reads_a, &reads_b);
    REQUIRE(reads_a.size() == out.numel());

    int32_t index[4];
    for (index[0] = 0; index[0] < sizes[0]; ++index[0]) {
      for (index[1] = 0; index[1] < sizes[1]; ++index[1]) {
        for (index[2] = 0; index[2] < sizes[2]; ++index[2]) {
          for (index[3] = 0; index[3] < sizes[3]; ++index[3]) {
            const size_t at = static_cast<size_t>(offset_in(out, index, 4));
            REQUIRE(reads_a[at] == offset_in(a, index, 4));
            REQUIRE(reads_b[at] == offset_in(b, index, 4));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace wick
