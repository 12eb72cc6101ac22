#include "host/memory_plan.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace wick::host {

std::vector<PlannedTensor> memory_plan(const MethodInfo& m) {
  std::map<int32_t, PlannedTensor> plan;
  const int64_t end = static_cast<int64_t>(m.instructions.size());
  const auto touch = [&](int32_t v, int64_t at) {
    if (m.values[static_cast<size_t>(v)].place != ValueInfo::Place::kPlanned ||
        m.values[static_cast<size_t>(v)].kind != ValueInfo::Kind::kTensor) {
      return;
    }
    const bool state = m.values[static_cast<size_t>(v)].initialized;
    auto [it, fresh] = plan.try_emplace(v, PlannedTensor{v, state ? -1 : at, state ? end : at});
    it->second.first = std::min(it->second.first, at);
    it->second.last = std::max(it->second.last, at);
  };
  for (const int32_t v : m.inputs) touch(v, -1);
  for (int64_t i = 0; i < end; ++i) {
    for (const int32_t v : m.tensors_of(m.instructions[static_cast<size_t>(i)])) touch(v, i);
  }
  for (const int32_t v : m.outputs) touch(v, end);
  std::vector<PlannedTensor> out;
  for (const auto& [v, tensor] : plan) out.push_back(tensor);
  std::sort(out.begin(), out.end(), [&](const PlannedTensor& a, const PlannedTensor& b) {
    const ValueInfo &va = m.values[static_cast<size_t>(a.value)], &vb = m.values[static_cast<size_t>(b.value)];
    return std::tie(va.memory_id, va.offset, a.first, a.value) < std::tie(vb.memory_id, vb.offset, b.first, b.value);
  });
  return out;
}

std::vector<uint64_t> live_bytes(const MethodInfo& method) {
  const std::vector<PlannedTensor> plan = memory_plan(method);
  std::vector<uint64_t> out;
  for (int64_t at = 0; at < static_cast<int64_t>(method.instructions.size()); ++at) {
    uint64_t live = 0, covered = 0;
    uint32_t memory = 0;
    // In order of memory and offset, so that what was counted ends at `covered`.
    for (const PlannedTensor& tensor : plan) {
      if (tensor.first > at || tensor.last < at) continue;
      const ValueInfo& value = method.values[static_cast<size_t>(tensor.value)];
      if (value.memory_id != memory) memory = value.memory_id, covered = 0;
      const uint64_t begin = std::max(value.offset, covered), end = value.offset + value.bytes();
      if (end > begin) live += end - begin, covered = end;
    }
    out.push_back(live);
  }
  return out;
}

}  // namespace wick::host
