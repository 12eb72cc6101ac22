// Shape and data-movement operators against their definitions by logical index, over random shapes, dtypes and memory
// orders.
#include <doctest.h>

#include <functional>

#include "support/one_op.h"

namespace wick {
namespace {

using test::Array;
using test::OneOp;
using test::Random;
using Index = std::vector<int32_t>;

constexpr DType kAny[] = {DType::kFloat32, DType::kInt8, DType::kFloat16, DType::kInt64, DType::kBool};

// A draw: an array of consecutive numbers (by logical index), so that every element is known by its value.
struct Draw {
  Random random;
  Array x;
  explicit Draw(uint32_t seed, int32_t least_rank = 1) : random(seed) {
    x.dtype = random.of(kAny);
    x.sizes.resize(static_cast<size_t>(random.in(least_rank, 4)));
    for (int32_t& s : x.sizes) s = random.in(1, 5);
    x.order = test::random_order(random, x.sizes.size());
    for (size_t i = 0; i < x.numel(); ++i) {
      x.values.push_back(x.dtype == DType::kBool ? random.in(0, 1) : static_cast<double>(i % 120));
    }
  }
  int32_t rank() const { return static_cast<int32_t>(x.sizes.size()); }
  int32_t dim() { return random.in(0, rank() - 1); }
  int32_t spelled(int32_t d, int32_t of) { return random.one_in(2) ? d : d - of; }
  std::vector<uint8_t> order(size_t n) { return test::random_order(random, n); }
};

// Runs `name` with x, what `more` adds, and an output of `sizes`; out[index] must be x[from(index)].
void check_moves(Draw& d, const char* name, const char* overload, const Index& sizes,
                 const std::function<Index(OneOp&)>& more, const std::function<Index(const Index&)>& from) {
  OneOp op;
  Index args = {op.input(d.x)};
  if (more) {
    for (int32_t arg : more(op)) args.push_back(arg);
  }
  args.push_back(op.output(d.x.dtype, sizes, d.order(sizes.size())));
  const Status status = op.run(name, overload, args);
  CAPTURE(name);
  CAPTURE(op.error);
  REQUIRE(status.ok());
  test::for_each_index(sizes, [&](const Index& index) { REQUIRE(op.outputs[0](index) == d.x(from(index))); });
}

Index ints(OneOp& op, std::initializer_list<int64_t> values) {
  Index args;
  for (int64_t v : values) args.push_back(op.builder.integer(v));
  return args;
}

TEST_CASE("Permute, transpose and unsqueeze name dimensions, not bytes") {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    Draw d(seed);
    const std::vector<uint8_t> dims = d.order(d.x.sizes.size());
    Index sizes;
    std::vector<int64_t> named;
    for (uint8_t i : dims) {
      sizes.push_back(d.x.sizes[i]);
      named.push_back(d.spelled(i, d.rank()));
    }
    check_moves(
        d, "aten::permute_copy", "out", sizes, [&](OneOp& op) { return Index{op.builder.int_list(named)}; },
        [&](const Index& out) {
          Index in(out.size());
          for (size_t i = 0; i < out.size(); ++i) in[dims[i]] = out[i];
          return in;
        });

    const int32_t a = d.dim(), b = d.dim();
    sizes = d.x.sizes;
    std::swap(sizes[static_cast<size_t>(a)], sizes[static_cast<size_t>(b)]);
    check_moves(
        d, "aten::transpose_copy", "int_out", sizes,
        [&](OneOp& op) {
          return ints(op, {d.spelled(a, d.rank()), d.spelled(b, d.rank())});
        },
        [&](Index index) {
          std::swap(index[static_cast<size_t>(a)], index[static_cast<size_t>(b)]);
          return index;
        });

    const int32_t at = d.random.in(0, d.rank());
    sizes = d.x.sizes;
    sizes.insert(sizes.begin() + at, 1);
    check_moves(
        d, "aten::unsqueeze_copy", "out", sizes, [&](OneOp& op) { return ints(op, {d.spelled(at, d.rank() + 1)}); },
        [&](Index index) {
          index.erase(index.begin() + at);
          return index;
        });
  }
}

TEST_CASE("Views keep logical order between any two memory orders") {
  for (uint32_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    Draw d(seed);
    // Another factorisation of the same count.
    Index sizes;
    int32_t left = static_cast<int32_t>(d.x.numel());
    for (int32_t f = 2; f <= 5 && sizes.size() < 5; ++f) {
      while (left % f == 0 && sizes.size() < 5) {
        sizes.push_back(f);
        left /= f;
      }
    }
    sizes.push_back(left);
    std::vector<int64_t> wanted(sizes.begin(), sizes.end());
    wanted[static_cast<size_t>(d.random.in(0, static_cast<int32_t>(wanted.size()) - 1))] = -1;
    Array out_shape{d.x.dtype, sizes, {}, {}};
    check_moves(
        d, "aten::view_copy", "out", sizes, [&](OneOp& op) { return Index{op.builder.int_list(wanted)}; },
        [&](const Index& index) {
          size_t place = out_shape.at(index);
          Index in(d.x.sizes.size());
          for (size_t i = in.size(); i-- > 0;) {
            in[i] = static_cast<int32_t>(place % static_cast<size_t>(d.x.sizes[i]));
            place /= static_cast<size_t>(d.x.sizes[i]);
          }
          return in;
        });
  }
}

TEST_CASE("Slices, selections, flips and rolls go by logical index") {
  for (uint32_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    Draw d(seed);
    const int32_t dim = d.dim();
    const size_t at = static_cast<size_t>(dim);
    const int32_t size = d.x.sizes[at];
    Index sizes = d.x.sizes;

    const int32_t start = d.random.in(-size - 1, size), step = d.random.in(1, 3);
    const bool open = d.random.one_in(2);
    const int32_t end = open ? size : d.random.in(-size, size + 2);
    const auto bound = [&](int32_t v) { return std::min(std::max<int32_t>(v < 0 ? v + size : v, 0), size); };
    const int32_t first = bound(start), last = bound(end);
    sizes[at] = first < last ? (last - first + step - 1) / step : 0;
    check_moves(
        d, "aten::slice_copy", "Tensor_out", sizes,
        [&](OneOp& op) {
          Index args = ints(op, {d.spelled(dim, d.rank()), start});
          args.push_back(op.builder.integer(open ? INT64_MAX : end));
          args.push_back(op.builder.integer(step));
          return args;
        },
        [&](Index index) {
          index[at] = first + index[at] * step;
          return index;
        });

    const int32_t chosen = d.random.in(0, size - 1);
    sizes = d.x.sizes;
    sizes.erase(sizes.begin() + dim);
    check_moves(
        d, "aten::select_copy", "int_out", sizes,
        [&](OneOp& op) {
          return ints(op, {d.spelled(dim, d.rank()), d.spelled(chosen, size)});
        },
        [&](Index index) {
          index.insert(index.begin() + dim, chosen);
          return index;
        });

    const int32_t other = d.dim();
    std::vector<int64_t> dims = {dim};
    if (other != dim) dims.push_back(other);
    check_moves(
        d, "aten::flip", "out", d.x.sizes, [&](OneOp& op) { return Index{op.builder.int_list(dims)}; },
        [&](Index index) {
          for (int64_t f : dims) {
            const size_t k = static_cast<size_t>(f);
            index[k] = d.x.sizes[k] - 1 - index[k];
          }
          return index;
        });

    std::vector<int64_t> shifts;
    for (size_t i = 0; i < dims.size(); ++i) shifts.push_back(d.random.in(-7, 7));
    check_moves(
        d, "aten::roll", "out", d.x.sizes,
        [&](OneOp& op) {
          return Index{op.builder.int_list(shifts), op.builder.int_list(dims)};
        },
        [&](Index index) {
          for (size_t i = 0; i < dims.size(); ++i) {
            const size_t k = static_cast<size_t>(dims[i]);
            const int32_t n = d.x.sizes[k];
            index[k] = static_cast<int32_t>(((index[k] - shifts[i]) % n + n) % n);
          }
          return index;
        });
  }
}

TEST_CASE("Expand and repeat give one element many places") {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    Draw d(seed);
    const int32_t added = d.random.in(0, 2);
    Index sizes;
    std::vector<int64_t> wanted, repeats;
    for (int32_t i = 0; i < added; ++i) {
      sizes.push_back(d.random.in(1, 3));
      wanted.push_back(sizes.back());
    }
    for (int32_t s : d.x.sizes) {
      sizes.push_back(s == 1 ? d.random.in(1, 4) : s);
      wanted.push_back(s == 1 ? sizes.back() : d.random.one_in(2) ? -1 : s);
    }
    const auto own = [&](const Index& index, bool wraps) {
      Index in(index.begin() + added, index.end());
      for (size_t i = 0; i < in.size(); ++i) in[i] = wraps || d.x.sizes[i] == 1 ? in[i] % d.x.sizes[i] : in[i];
      return in;
    };
    check_moves(
        d, "aten::expand_copy", "out", sizes,
        [&](OneOp& op) {
          return Index{op.builder.int_list(wanted), op.builder.boolean(false)};
        },
        [&](const Index& index) { return own(index, false); });

    sizes.clear();
    for (int32_t i = 0; i < added; ++i) repeats.push_back(d.random.in(1, 3));
    for (int32_t i = 0; i < d.rank(); ++i) repeats.push_back(d.random.in(0, 3));
    for (size_t i = 0; i < repeats.size(); ++i) {
      const int32_t s = i < static_cast<size_t>(added) ? 1 : d.x.sizes[i - static_cast<size_t>(added)];
      sizes.push_back(s * static_cast<int32_t>(repeats[i]));
    }
    check_moves(
        d, "aten::repeat", "out", sizes, [&](OneOp& op) { return Index{op.builder.int_list(repeats)}; },
        [&](const Index& index) { return own(index, true); });
  }
}

TEST_CASE("Cat and split are each other's inverse in any memory order") {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    Draw d(seed);
    const size_t at = static_cast<size_t>(d.dim());
    const int32_t size = d.x.sizes[at];
    const int32_t cut = d.random.in(0, size);
    Index low = d.x.sizes, high = d.x.sizes;
    low[at] = cut;
    high[at] = size - cut;
    OneOp split;
    const int32_t x = split.input(d.x), sizes = split.builder.int_list({cut, size - cut});
    const int32_t dim = split.builder.integer(static_cast<int64_t>(at));
    const int32_t parts = split.builder.tensor_list(
        {split.output(d.x.dtype, low, d.order(low.size())), split.output(d.x.dtype, high, d.order(high.size()))});
    const Status status = split.run("aten::split_with_sizes_copy", "out", {x, sizes, dim, parts});
    CAPTURE(split.error);
    REQUIRE(status.ok());
    test::for_each_index(d.x.sizes, [&](Index index) {
      const Index whole = index;
      const bool second = index[at] >= cut;
      if (second) index[at] -= cut;
      REQUIRE(split.outputs[second ? 1 : 0](index) == d.x(whole));
    });

    OneOp cat;
    const int32_t a = cat.input(split.outputs[0]), b = cat.input(split.outputs[1]);
    const int32_t list = cat.builder.tensor_list({a, b}),
                  along = cat.builder.integer(d.spelled(static_cast<int32_t>(at), d.rank()));
    const int32_t out = cat.output(d.x.dtype, d.x.sizes, d.order(d.x.sizes.size()));
    REQUIRE(cat.run("aten::cat", "out", {list, along, out}).ok());
    CHECK(cat.outputs[0].values == d.x.values);
  }
}

TEST_CASE("Stack and unbind add and take a dimension") {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Draw d(seed);
    const int32_t dim = d.random.in(0, d.rank());
    Array y = d.x;
    for (double& v : y.values) v = 1 - v;
    if (d.x.dtype != DType::kBool) {
      for (double& v : y.values) v = 1 - v;
    }
    y.order = d.order(y.sizes.size());
    Index sizes = d.x.sizes;
    sizes.insert(sizes.begin() + dim, 2);
    OneOp stack;
    const int32_t a = stack.input(d.x), b = stack.input(y);
    const int32_t list = stack.builder.tensor_list({a, b}), at = stack.builder.integer(d.spelled(dim, d.rank() + 1));
    const int32_t out = stack.output(d.x.dtype, sizes, d.order(sizes.size()));
    REQUIRE(stack.run("aten::stack", "out", {list, at, out}).ok());
    test::for_each_index(sizes, [&](Index index) {
      const double found = stack.outputs[0](index);
      const bool second = index[static_cast<size_t>(dim)] == 1;
      index.erase(index.begin() + dim);
      REQUIRE(found == (second ? y : d.x)(index));
    });

    OneOp unbind;
    const int32_t x = unbind.input(stack.outputs[0]), along = unbind.builder.integer(dim);
    const int32_t outs = unbind.builder.tensor_list(
        {unbind.output(d.x.dtype, d.x.sizes, d.order(d.x.sizes.size())), unbind.output(d.x.dtype, d.x.sizes)});
    REQUIRE(unbind.run("aten::unbind_copy", "int_out", {x, along, outs}).ok());
    CHECK(unbind.outputs[0].values == d.x.values);
    CHECK(unbind.outputs[1].values == y.values);
  }
}

TEST_CASE("Cat converts to the output's dtype and passes over old-style empty tensors") {
  OneOp op;
  const int32_t a = op.input({DType::kInt32, {2}, {}, {1, -2}}), b = op.input({DType::kFloat32, {1}, {}, {0.5}});
  const int32_t empty = op.input({DType::kFloat32, {0}, {}, {}});
  const int32_t list = op.builder.tensor_list({a, empty, b}), dim = op.builder.integer(0);
  const int32_t out = op.output(DType::kFloat32, {3});
  REQUIRE(op.run("aten::cat", "out", {list, dim, out}).ok());
  CHECK(op.outputs[0].values == std::vector<double>{1, -2, 0.5});
}

TEST_CASE("Copies change dtype and memory order, never logical place") {
  const DType dtypes[] = {DType::kFloat32, DType::kInt8,     DType::kInt64, DType::kFloat16, DType::kBool,
                          DType::kFloat64, DType::kBFloat16, DType::kUInt8, DType::kInt16,   DType::kInt32};
  for (uint32_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    Draw d(seed);
    d.x.dtype = d.random.of(dtypes);
    const DType to = d.random.of(dtypes);
    for (double& v : d.x.values) v = d.random.in(0, 1);
    OneOp op;
    const int32_t x = op.input(d.x), blocking = op.builder.boolean(false), none = op.builder.none();
    const int32_t out = op.output(to, d.x.sizes, d.order(d.x.sizes.size()));
    REQUIRE(op.run("dim_order_ops::_to_dim_order_copy", "out", {x, blocking, none, out}).ok());
    CHECK(op.outputs[0].values == d.x.values);
  }
}

TEST_CASE("Casts to integers drop the fraction, wrap, and are defined everywhere") {
  OneOp op;
  const int32_t x = op.input({DType::kFloat32, {6}, {}, {-1.9, 1.9, 300, __builtin_nan(""), 1e30, -1e30}});
  const int32_t blocking = op.builder.boolean(false), none = op.builder.none();
  const int32_t out = op.output(DType::kInt8, {6});
  REQUIRE(op.run("aten::_to_copy", "out", {x, blocking, none, out}).ok());
  CHECK(op.outputs[0].values == std::vector<double>{-1, 1, 44, 0, -1, 0});
}

TEST_CASE("Gather and index_select pick by index and refuse one outside") {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    Draw d(seed);
    const size_t at = static_cast<size_t>(d.dim());
    const DType index_dtype = d.random.one_in(2) ? DType::kInt64 : DType::kInt32;
    Index sizes = d.x.sizes;
    sizes[at] = d.random.in(1, 7);
    Array index = test::random_array(d.random, index_dtype, sizes, 0, d.x.sizes[at] - 1);
    const int32_t dim = d.spelled(static_cast<int32_t>(at), d.rank());
    check_moves(
        d, "aten::gather", "out", sizes,
        [&](OneOp& op) {
          const int32_t named = op.builder.integer(dim), i = op.input(index);
          return Index{named, i, op.builder.boolean(false)};
        },
        [&](Index place) {
          place[at] = static_cast<int32_t>(index(place));
          return place;
        });

    Array list = test::random_array(d.random, index_dtype, {sizes[at]}, 0, d.x.sizes[at] - 1);
    const auto more = [&](OneOp& op) {
      const int32_t named = op.builder.integer(dim);
      return Index{named, op.input(list)};
    };
    check_moves(d, "aten::index_select", "out", sizes, more, [&](Index place) {
      place[at] = static_cast<int32_t>(list.values[static_cast<size_t>(place[at])]);
      return place;
    });

    list.values[0] = d.random.one_in(2) ? -1 : d.x.sizes[at];
    OneOp op;
    Index args = {op.input(d.x)};
    for (int32_t arg : more(op)) args.push_back(arg);
    args.push_back(op.output(d.x.dtype, sizes));
    CHECK(op.run("aten::index_select", "out", args).code() == Code::kInvalidArgument);
    CHECK(op.error.find("is outside of a dimension of") != std::string::npos);
  }
}

TEST_CASE("Tril keeps what lies on and below a diagonal") {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Draw d(seed, 2);
    const int32_t diagonal = d.random.in(-5, 5);
    OneOp op;
    const int32_t x = op.input(d.x), k = op.builder.integer(diagonal);
    const int32_t out = op.output(d.x.dtype, d.x.sizes, d.order(d.x.sizes.size()));
    REQUIRE(op.run("aten::tril", "out", {x, k, out}).ok());
    test::for_each_index(d.x.sizes, [&](const Index& index) {
      const int32_t row = index[index.size() - 2], column = index[index.size() - 1];
      REQUIRE(op.outputs[0](index) == (column - row <= diagonal ? d.x(index) : 0));
    });
  }
}

TEST_CASE("Numbers become tensors") {
  OneOp full;
  const int32_t sizes = full.builder.int_list({2, 2}), value = full.builder.number(-1.5);
  REQUIRE(full.run("aten::full", "out", {sizes, value, full.output(DType::kFloat16, {2, 2})}).ok());
  CHECK(full.outputs[0].values == std::vector<double>(4, -1.5));

  OneOp range;
  const int32_t start = range.builder.number(1), end = range.builder.number(2), step = range.builder.number(0.25);
  REQUIRE(range.run("aten::arange", "start_out", {start, end, step, range.output(DType::kFloat32, {4})}).ok());
  CHECK(range.outputs[0].values == std::vector<double>{1, 1.25, 1.5, 1.75});

  OneOp down;
  const int32_t from = down.builder.integer(5), to = down.builder.integer(0), by = down.builder.integer(-2);
  REQUIRE(down.run("aten::arange", "start_out", {from, to, by, down.output(DType::kInt64, {3})}).ok());
  CHECK(down.outputs[0].values == std::vector<double>{5, 3, 1});
}

TEST_CASE("Illegal shapes are refused with their place") {
  const auto refused = [](const char* name, const char* overload, const Index& out_sizes,
                          const std::function<Index(OneOp&)>& more, const char* part) {
    OneOp op;
    Index args = {op.input({DType::kFloat32, {2, 3}, {}, std::vector<double>(6, 1)})};
    for (int32_t arg : more(op)) args.push_back(arg);
    args.push_back(op.output(DType::kFloat32, out_sizes));
    const Status status = op.run(name, overload, args);
    CAPTURE(op.error);
    CHECK(status.code() == Code::kInvalidProgram);
    CHECK(op.error.find(name) != std::string::npos);
    CHECK(op.error.find(part) != std::string::npos);
  };
  refused(
      "aten::view_copy", "out", {7}, [](OneOp& op) { return Index{op.builder.int_list({7})}; }, "7 elements");
  refused(
      "aten::permute_copy", "out", {2, 3},
      [](OneOp& op) {
        return Index{op.builder.int_list({0, 0})};
      },
      "twice");
  refused(
      "aten::permute_copy", "out", {3, 2},
      [](OneOp& op) {
        return Index{op.builder.int_list({1, 2})};
      },
      "outside of a tensor of rank 2");
  refused(
      "aten::select_copy", "int_out", {2},
      [](OneOp& op) {
        return ints(op, {1, 3});
      },
      "index 3 is outside");
  refused(
      "aten::permute_copy", "out", {2, 3},
      [](OneOp& op) {
        return Index{op.builder.int_list({1, 0})};
      },
      "expected [3, 2]");
  refused(
      "aten::repeat", "out", {2, 3},
      [](OneOp& op) {
        return Index{op.builder.int_list({1, -1})};
      },
      "-1 repeats");
}

}  // namespace
}  // namespace wick
