// Which tensors of a float graph become int8, and which of them share a scale and zero point: what a quantizer decides
// and calibration and conversion carry out. A tensor can be quantized where it is made, where it is read, or, with
// other parameters, at both. Refuses to know rules and numbers.
#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/graph.h"
#include "compiler/quantize/observers.h"

namespace wick::compiler {

class QuantizePlan {
 public:
  using Group = size_t;

  // Tensors that share parameters: found by calibration, or `fixed`.
  Group add_group(std::optional<QParams> fixed = std::nullopt);
  void unite(Group a, Group b);
  Group find(Group group) const;
  size_t groups() const { return parent_.size(); }
  const std::optional<QParams>& fixed(Group group) const { return fixed_[find(group)]; }

  // The group of a value where it is made, or where int8 readers read it. Null: not quantized there.
  const Group* made(const Value* value) const { return lookup(made_, value); }
  const Group* read(const Value* value) const { return lookup(read_, value); }
  void set_made(const Value* value, Group group);
  // `reader` (null: the graph's outputs) reads `value` as int8. All such readers share a group.
  void set_read(const Value* value, const Node* reader, Group group);
  bool reads(const Node* reader, const Value* value) const { return readers_.contains({reader, value}); }
  // What is read in the way in which it is made has one group; call when all is set.
  void unite_made_and_read();

  // An operator's constant weight (symmetric, along `axis`, or one scale for all: -1) and the bias that goes with it.
  struct Weights {
    size_t weight_arg = 1;
    int64_t axis = -1;
    std::optional<size_t> bias_arg;
  };
  std::unordered_map<const Node*, Weights> weights;

  // The largest magnitude of a weight falls on this integer: torch's 127.5 clips the positive end a little.
  float weight_levels = 127.5f;

  // Values of which only this range matters to whoever reads them.
  struct Limits {
    float min = 0, max = 0;
  };
  std::unordered_map<const Value*, Limits> limits;

 private:
  using Groups = std::unordered_map<const Value*, Group>;
  static const Group* lookup(const Groups& groups, const Value* value) {
    const auto found = groups.find(value);
    return found == groups.end() ? nullptr : &found->second;
  }

  mutable std::vector<Group> parent_;
  std::vector<std::optional<QParams>> fixed_;
  Groups made_, read_;
  std::set<std::pair<const Node*, const Value*>> readers_;
};

}  // namespace wick::compiler
