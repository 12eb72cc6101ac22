// See runner_link.h.
#include "host/runner_link.h"

#include <algorithm>
#include <cstring>

#include "boards/protocol.h"
#include "core/status.h"
#include "runtime/method.h"
#include "runtime/program.h"

namespace wick::host {
namespace {

using protocol::Kind;

// --- requests --------------------------------------------------------------------------------------------------

void append(std::vector<uint8_t>& to, const void* bytes, size_t count) {
  const uint8_t* from = static_cast<const uint8_t*>(bytes);
  to.insert(to.end(), from, from + count);
}

void append_message(std::vector<uint8_t>& to, Kind kind, const std::vector<uint8_t>& payload) {
  const protocol::Header header = {kind, static_cast<uint32_t>(payload.size())};
  append(to, &header, sizeof(header));
  append(to, payload.data(), payload.size());
}

void append_value(std::vector<uint8_t>& to, const HostValue& value) {
  protocol::ValueHeader header = {};
  const void* data = nullptr;
  if (const Array* array = std::get_if<Array>(&value)) {
    header.kind = protocol::ValueKind::kTensor;
    header.dtype = static_cast<uint32_t>(array->dtype);
    header.rank = static_cast<uint32_t>(std::min<size_t>(array->sizes.size(), kMaxRank));
    std::copy_n(array->sizes.begin(), header.rank, header.sizes);
    header.bytes = static_cast<uint32_t>(array->bytes.size());
    data = array->bytes.data();
  } else if (const int64_t* integer = std::get_if<int64_t>(&value)) {
    header.kind = protocol::ValueKind::kInteger;
    header.integer = *integer;
  } else if (const double* number = std::get_if<double>(&value)) {
    header.kind = protocol::ValueKind::kDouble;
    header.number = *number;
  } else if (const bool* flag = std::get_if<bool>(&value)) {
    header.kind = protocol::ValueKind::kBool;
    header.integer = *flag ? 1 : 0;
  } else {
    const std::string& text = std::get<std::string>(value);
    header.kind = protocol::ValueKind::kString;
    header.bytes = static_cast<uint32_t>(text.size()) + 1;
    data = text.c_str();
  }
  append(to, &header, sizeof(header));
  if (header.bytes > 0) append(to, data, header.bytes);
  to.resize(to.size() + protocol::padded(header.bytes) - header.bytes);
}

std::vector<uint8_t> prepare_payload(const Job& job, const std::vector<std::string>& methods) {
  protocol::PrepareRequest request = {};
  request.arena_bytes = job.arena_bytes ? static_cast<uint32_t>(std::min<uint64_t>(*job.arena_bytes, 0xFFFFFFFE))
                                        : protocol::PrepareRequest::kExact;
  request.method_count = static_cast<uint32_t>(methods.size());
  std::vector<uint8_t> payload;
  append(payload, &request, sizeof(request));
  for (const std::string& name : methods) append(payload, name.c_str(), name.size() + 1);
  return payload;
}

void append_pass(std::vector<uint8_t>& to, const Job& job, uint32_t flags) {
  const std::vector<std::string> methods = methods_of(job);
  append_message(to, Kind::kPrepare, prepare_payload(job, methods));
  for (const Call& call : job.calls) {
    protocol::CallRequest request = {};
    request.method = static_cast<uint32_t>(std::find(methods.begin(), methods.end(), call.method) - methods.begin());
    request.repeat = std::max(job.repeat, 1u);
    request.flags = flags | (call.reset_before ? protocol::CallRequest::kReset : 0u);
    request.input_count = static_cast<uint32_t>(call.inputs.size());
    std::vector<uint8_t> payload;
    append(payload, &request, sizeof(request));
    for (const HostValue& value : call.inputs) append_value(payload, value);
    append_message(to, Kind::kCall, payload);
  }
}

// --- replies ---------------------------------------------------------------------------------------------------

// Walks messages; what is cut off at the end counts as not there.
class Messages {
 public:
  explicit Messages(const std::vector<uint8_t>& bytes) : bytes_(bytes) {}
  // Text of kActivity goes to `activity` on the way. False at the end.
  bool next(protocol::Header* header, const uint8_t** payload, std::string* activity) {
    for (;;) {
      if (bytes_.size() - at_ < sizeof(*header)) return false;
      std::memcpy(header, bytes_.data() + at_, sizeof(*header));
      if (header->bytes > bytes_.size() - at_ - sizeof(*header)) return false;
      *payload = bytes_.data() + at_ + sizeof(*header);
      at_ += sizeof(*header) + header->bytes;
      if (header->kind != Kind::kActivity) return true;
      activity->assign(reinterpret_cast<const char*>(*payload), header->bytes);
    }
  }

 private:
  const std::vector<uint8_t>& bytes_;
  size_t at_ = 0;
};

template <typename Payload>
bool take(const protocol::Header& header, const uint8_t* payload, Payload* to) {
  if (header.bytes < sizeof(Payload)) return false;
  std::memcpy(to, payload, sizeof(Payload));
  return true;
}

bool read_value(const protocol::Header& header, const uint8_t* payload, HostValue* value) {
  protocol::ValueHeader v;
  if (!take(header, payload, &v) || v.bytes > header.bytes - sizeof(v) || v.rank > kMaxRank) return false;
  const uint8_t* data = payload + sizeof(v);
  switch (v.kind) {
    case protocol::ValueKind::kTensor:
      *value = Array{static_cast<DType>(v.dtype), {v.sizes, v.sizes + v.rank}, {data, data + v.bytes}};
      return true;
    case protocol::ValueKind::kInteger:
      *value = v.integer;
      return true;
    case protocol::ValueKind::kDouble:
      *value = v.number;
      return true;
    case protocol::ValueKind::kBool:
      *value = v.integer != 0;
      return true;
    case protocol::ValueKind::kString:
      *value = std::string(reinterpret_cast<const char*>(data), v.bytes > 0 ? v.bytes - 1 : 0);
      return true;
    case protocol::ValueKind::kNone:
      *value = std::string("None");
      return true;
  }
  return false;
}

class Decoder {
 public:
  Decoder(const std::vector<uint8_t>& replies, const std::function<uint64_t(uint32_t)>& tick)
      : messages_(replies), tick_(tick) {}

  Answers decode() {
    protocol::Header header;
    const uint8_t* payload = nullptr;
    while (messages_.next(&header, &payload, &answers_.activity)) {
      if (header.kind == Kind::kBye) {
        answers_.complete = true;
        break;
      }
      if (!read(header, payload) && result().error.empty())
        result().error = "malformed answer " + std::to_string(static_cast<uint32_t>(header.kind)) + " of the board";
      if (!result().error.empty()) break;
    }
    return std::move(answers_);
  }

 private:
  JobResult& result() { return answers_.result; }
  // A board's counter wraps.
  uint64_t ticks(uint32_t start, uint32_t stop) const {
    const uint64_t passed = tick_(stop) - tick_(start);
    return counts_cycles_ ? static_cast<uint32_t>(passed) : passed;
  }

  bool read(const protocol::Header& header, const uint8_t* payload) {
    switch (header.kind) {
      case Kind::kHello:
        return read_hello(header, payload);
      case Kind::kLoaded:
        return read_loaded(header, payload);
      case Kind::kPrepared:
        return read_prepared(header, payload);
      case Kind::kCalled:
        return read_called(header, payload);
      case Kind::kOutput:
        return read_output(header, payload);
      case Kind::kProfile:
        return read_profile(header, payload);
      case Kind::kFailed:
        return read_failed(header, payload);
      default:
        return false;
    }
  }

  bool read_hello(const protocol::Header& header, const uint8_t* payload) {
    protocol::HelloReply hello;
    if (!take(header, payload, &hello)) return false;
    counts_cycles_ = hello.ticks == protocol::TickKind::kCycles;
    result().cycle_hz = hello.ticks_per_second;
    if (hello.version != protocol::kVersion)
      result().error = "the board's runner speaks version " + std::to_string(hello.version) +
                       " of the protocol, wick " + std::to_string(protocol::kVersion) + ": build its image again";
    return true;
  }

  void note_stack(const protocol::Cost& cost, std::optional<uint64_t>* phase) {
    *phase = std::max<uint64_t>(phase->value_or(0), cost.stack_bytes);
    result().stack_bytes = std::max<uint64_t>(result().stack_bytes.value_or(0), cost.stack_bytes);
  }

  bool read_loaded(const protocol::Header& header, const uint8_t* payload) {
    protocol::Cost cost;
    if (!take(header, payload, &cost)) return false;
    result().load_ticks = ticks(cost.start, cost.stop);
    note_stack(cost, &result().load_stack_bytes);
    return true;
  }

  bool read_prepared(const protocol::Header& header, const uint8_t* payload) {
    protocol::PreparedReply reply;
    if (!take(header, payload, &reply)) return false;
    call_ = 0;
    if (++pass_ > 1) return true;
    result().prepare_ticks = ticks(reply.cost.start, reply.cost.stop);
    note_stack(reply.cost, &result().prepare_stack_bytes);
    result().arena_bytes = reply.arena_bytes;
    result().persistent_bytes = reply.persistent_bytes;
    result().planned_bytes = reply.planned_bytes;
    result().scratch_bytes = reply.scratch_bytes;
    return true;
  }

  bool read_called(const protocol::Header& header, const uint8_t* payload) {
    protocol::CalledReply reply;
    if (!take(header, payload, &reply)) return false;
    ++call_;
    output_ = 0;
    if (pass_ > 1) return call_ <= result().calls.size();
    CallResult call;
    call.ticks = ticks(reply.cost.start, reply.cost.stop);
    note_stack(reply.cost, &result().execute_stack_bytes);
    result().calls.push_back(std::move(call));
    return true;
  }

  bool read_output(const protocol::Header& header, const uint8_t* payload) {
    HostValue value;
    if (call_ == 0 || call_ > result().calls.size() || !read_value(header, payload, &value)) return false;
    std::vector<HostValue>& outputs = result().calls[call_ - 1].outputs;
    if (pass_ == 1) {
      outputs.push_back(std::move(value));
      return true;
    }
    const Array* now = std::get_if<Array>(&value);
    const Array* before = output_ < outputs.size() ? std::get_if<Array>(&outputs[output_]) : nullptr;
    ++output_;
    if (now != nullptr && before != nullptr && now->bytes != before->bytes)
      result().error = "output " + std::to_string(output_ - 1) + " of call " + std::to_string(call_ - 1) +
                       " differs between two runs of the same calls: this is an error in wick";
    return true;
  }

  bool read_profile(const protocol::Header& header, const uint8_t* payload) {
    protocol::ProfileReply reply;
    if (!take(header, payload, &reply) || call_ == 0 || call_ > result().calls.size()) return false;
    const uint64_t bytes = sizeof(reply) + static_cast<uint64_t>(reply.span_count) * sizeof(protocol::StepSpan) +
                           static_cast<uint64_t>(reply.step_count) * protocol::kNameBytes;
    if (header.bytes != bytes) return false;
    if (reply.truncated != 0) {
      result().error =
          "the method takes more steps than the board's runner can profile (" + std::to_string(reply.span_count) + ")";
      return true;
    }
    const uint8_t* spans = payload + sizeof(reply);
    const uint8_t* names = spans + reply.span_count * sizeof(protocol::StepSpan);
    const uint64_t hook = ticks(reply.empty_start, reply.empty_stop);
    std::vector<OperatorCost> operators(reply.step_count);
    for (uint32_t i = 0; i < reply.step_count; ++i) {
      const char* name = reinterpret_cast<const char*>(names) + i * protocol::kNameBytes;
      operators[i].index = i;
      operators[i].name.assign(name, strnlen(name, protocol::kNameBytes));
    }
    for (uint32_t i = 0; i < reply.span_count; ++i) {
      protocol::StepSpan span;
      std::memcpy(&span, spans + i * sizeof(span), sizeof(span));
      if (span.step >= reply.step_count) return false;
      const uint64_t cost = ticks(span.start, span.stop);
      operators[span.step].ticks += cost > hook ? cost - hook : 0;
      ++operators[span.step].calls;
    }
    std::erase_if(operators, [](const OperatorCost& cost) { return cost.calls == 0; });
    result().calls[call_ - 1].operators = std::move(operators);
    return true;
  }

  bool read_failed(const protocol::Header& header, const uint8_t* payload) {
    uint32_t code;
    if (!take(header, payload, &code)) return false;
    result().error.assign(reinterpret_cast<const char*>(payload) + sizeof(code), header.bytes - sizeof(code));
    if (result().error.empty()) result().error = code_name(static_cast<Code>(code));
    return true;
  }

  Messages messages_;
  const std::function<uint64_t(uint32_t)>& tick_;
  bool counts_cycles_ = false;
  Answers answers_;
  uint32_t pass_ = 0;
  size_t call_ = 0, output_ = 0;
};

// All methods of the program, as far as an arena can be shared; none when the file is malformed (the board says why).
std::vector<std::string> methods_in_file(const Job& job) {
  struct alignas(Arena::kAlignment) Unit {
    uint8_t bytes[Arena::kAlignment];
  };
  std::vector<Unit> memory(job.program.size() / sizeof(Unit) + 1);
  std::copy(job.program.begin(), job.program.end(), memory.data()->bytes);
  ErrorText unused;
  Program program;
  std::vector<std::string> methods;
  if (!program.load(memory.data(), job.program.size(), unused).ok()) return methods;
  for (uint32_t i = 0; i < std::min(program.method_count(), Method::kMaxShared); ++i)
    if (const char* name = program.method_name(i)) methods.push_back(name);
  return methods;
}

}  // namespace

std::vector<std::string> methods_of(const Job& job) {
  std::vector<std::string> methods;
  if (job.calls.empty()) return methods_in_file(job);
  for (const Call& call : job.calls)
    if (std::find(methods.begin(), methods.end(), call.method) == methods.end()) methods.push_back(call.method);
  return methods;
}

std::vector<uint8_t> encode_requests(const Job& job, bool trace) {
  std::vector<uint8_t> requests;
  append_message(requests, Kind::kProgram, job.program);
  if (!job.data.empty()) append_message(requests, Kind::kData, job.data);
  append_message(requests, Kind::kLoad, {});
  if (!methods_of(job).empty()) {
    append_pass(requests, job, trace ? protocol::CallRequest::kTrace : 0u);
    if (job.profile && !trace) append_pass(requests, job, protocol::CallRequest::kProfile);
  }
  append_message(requests, Kind::kEnd, {});
  return requests;
}

Answers decode_replies(const std::vector<uint8_t>& replies, const std::function<uint64_t(uint32_t)>& tick) {
  return Decoder(replies, tick).decode();
}

}  // namespace wick::host
