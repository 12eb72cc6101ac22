#include "compiler/place_blocks.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

namespace wick::compiler {

namespace {

// The search ends after so many comparisons of two blocks: a fraction of a second, whatever the machine.
constexpr uint64_t kSearchBudget = 50'000'000;

bool overlap_in_time(const Block& a, const Block& b) { return a.first <= b.last && b.first <= a.last; }

class Packer {
 public:
  explicit Packer(std::vector<Block>& blocks) : blocks_(blocks), neighbours_(blocks.size()) {
    for (size_t i = 0; i < blocks.size(); ++i) {
      for (size_t k = 0; k < i; ++k) {
        if (!overlap_in_time(blocks[i], blocks[k])) continue;
        neighbours_[i].push_back(k);
        neighbours_[k].push_back(i);
      }
    }
  }

  // Places the blocks one by one, each into the gap that fits (the lowest, or the tightest); returns the bytes used.
  int64_t place(const std::vector<size_t>& order, bool tightest) {
    placed_.assign(blocks_.size(), false);
    int64_t total = 0;
    for (const size_t i : order) {
      Block& block = blocks_[i];
      taken_.clear();
      for (const size_t k : neighbours_[i]) {
        if (placed_[k]) taken_.push_back({blocks_[k].offset, blocks_[k].offset + blocks_[k].bytes});
      }
      work_ += neighbours_[i].size() + 1;
      std::sort(taken_.begin(), taken_.end());
      block.offset = gap(block.bytes, tightest);
      placed_[i] = true;
      total = std::max(total, block.offset + block.bytes);
    }
    return total;
  }

  uint64_t work() const { return work_; }

 private:
  int64_t gap(int64_t bytes, bool tightest) const {
    int64_t end = 0, best = -1, best_size = 0;
    for (const auto& [from, to] : taken_) {
      const int64_t size = from - end;
      if (size >= bytes && (best < 0 || size < best_size)) {
        best = end;
        best_size = size;
        if (!tightest) return best;
      }
      end = std::max(end, to);
    }
    return best >= 0 ? best : end;
  }

  std::vector<Block>& blocks_;
  std::vector<std::vector<size_t>> neighbours_;
  std::vector<bool> placed_;
  std::vector<std::pair<int64_t, int64_t>> taken_;
  uint64_t work_ = 0;
};

using Order = std::vector<size_t>;

std::vector<Order> starting_orders(const std::vector<Block>& blocks) {
  Order order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<Order> orders;
  const auto by = [&](const auto& less) {
    orders.push_back(order);
    std::stable_sort(orders.back().begin(), orders.back().end(),
                     [&](size_t a, size_t b) { return less(blocks[a], blocks[b]); });
  };
  const auto length = [](const Block& b) { return b.last - b.first + 1; };
  by([](const Block& a, const Block& b) { return a.bytes > b.bytes; });
  by([&](const Block& a, const Block& b) { return length(a) > length(b); });
  by([&](const Block& a, const Block& b) { return a.bytes * length(a) > b.bytes * length(b); });
  by([](const Block& a, const Block& b) { return a.first < b.first; });
  by([](const Block& a, const Block& b) { return a.last > b.last; });
  return orders;
}

}  // namespace

int64_t most_in_use(const std::vector<Block>& blocks, int64_t* when) {
  std::map<int64_t, int64_t> change;
  for (const Block& block : blocks) {
    change[block.first] += block.bytes;
    change[block.last + 1] -= block.bytes;
  }
  int64_t now = 0, most = 0;
  for (const auto& [time, bytes] : change) {
    now += bytes;
    if (now <= most) continue;
    most = now;
    if (when != nullptr) *when = time;
  }
  return most;
}

int64_t place_blocks(std::vector<Block>& blocks) {
  const int64_t bound = most_in_use(blocks);
  Packer packer(blocks);
  Order best_order;
  bool best_tightest = false;
  int64_t best = -1;
  const auto attempt = [&](const Order& order, bool tightest) {
    const int64_t total = packer.place(order, tightest);
    if (best >= 0 && total >= best) return false;
    best = total;
    best_order = order;
    best_tightest = tightest;
    return true;
  };
  for (const Order& order : starting_orders(blocks)) {
    for (const bool tightest : {false, true}) attempt(order, tightest);
  }
  // What sticks out is placed earlier, or two blocks trade places; a fixed seed, so that the same model gives the
  // same program.
  std::mt19937 random(1);
  Order order = best_order;
  while (best > bound && packer.work() < kSearchBudget && blocks.size() > 1) {
    const size_t a = random() % order.size(), b = random() % order.size();
    Order next = order;
    if (random() % 2 == 0) {
      std::swap(next[a], next[b]);
    } else {
      const size_t moved = next[std::max(a, b)];
      next.erase(next.begin() + static_cast<std::ptrdiff_t>(std::max(a, b)));
      next.insert(next.begin() + static_cast<std::ptrdiff_t>(std::min(a, b)), moved);
    }
    const bool tightest = random() % 2 == 0;
    const int64_t total = packer.place(next, tightest);
    if (total > best) continue;
    order = next;
    if (total < best) best = total, best_order = next, best_tightest = tightest;
  }
  if (!blocks.empty()) packer.place(best_order, best_tightest);
  return std::max<int64_t>(best, 0);
}

}  // namespace wick::compiler
