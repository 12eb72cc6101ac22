#include "compiler/quantize/quantize_plan.h"

namespace wick::compiler {

QuantizePlan::Group QuantizePlan::add_group(std::optional<QParams> fixed) {
  parent_.push_back(parent_.size());
  fixed_.push_back(fixed);
  return parent_.size() - 1;
}

QuantizePlan::Group QuantizePlan::find(Group group) const {
  while (parent_[group] != group) group = parent_[group] = parent_[parent_[group]];
  return group;
}

void QuantizePlan::unite(Group a, Group b) {
  a = find(a), b = find(b);
  if (a == b) return;
  // The first stands for both: what a group is called does not depend on the order of unions.
  if (b < a) std::swap(a, b);
  if (!fixed_[a]) fixed_[a] = fixed_[b];
  parent_[b] = a;
}

void QuantizePlan::set_made(const Value* value, Group group) {
  const auto [place, added] = made_.emplace(value, group);
  if (!added) unite(place->second, group);
}

void QuantizePlan::set_read(const Value* value, const Node* reader, Group group) {
  readers_.emplace(reader, value);
  const auto [place, added] = read_.emplace(value, group);
  if (!added) unite(place->second, group);
}

void QuantizePlan::unite_made_and_read() {
  for (const auto& [value, group] : read_) {
    const Group* made = lookup(made_, value);
    if (made != nullptr && fixed(*made).has_value() == fixed(group).has_value()) unite(*made, group);
  }
}

}  // namespace wick::compiler
