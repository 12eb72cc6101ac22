// The one program that boards run when wick runs a program on them: all operators, driven by the messages of
// protocol.h. Knows the runtime and the platform; refuses to know the board. It ends with the first error.
#include <cstring>
#include <new>

#include "embedded.h"
#include "frames.h"
#include "platform.h"
#include "pool.h"
#include "protocol.h"
#include "runtime/method.h"
#include "runtime/program.h"
#include "stack.h"
#include "ticks.h"

// runner_scalars.cc, where the image has it.
extern "C" [[gnu::weak]] wick::Status wick_set_scalar_input(wick::Method& method, uint32_t index,
                                                            const wick::Scalar& value, wick::ErrorText& error);

namespace wick::runner {
namespace {

using protocol::Kind;

constexpr uint32_t kMaxMethods = Method::kMaxShared;
constexpr uint32_t kMostSpans = 1 << 14;
constexpr uint32_t kGuardBytes = 64;
constexpr uint8_t kGuard = 0xA7;

// --- messages out ----------------------------------------------------------------------------------------------

void send_header(Kind kind, uint32_t bytes) {
  const protocol::Header header = {kind, bytes};
  platform::write(&header, sizeof(header));
}

template <typename Payload>
void send(Kind kind, const Payload& payload) {
  send_header(kind, sizeof(payload));
  platform::write(&payload, sizeof(payload));
}

void send_activity(const char* what, const char* which = "", const char* end = "") {
  char buffer[256];
  ErrorText text(buffer, sizeof(buffer));
  text.add(what, which, end);
  const uint32_t bytes = static_cast<uint32_t>(std::strlen(buffer));
  send_header(Kind::kActivity, bytes);
  platform::write(buffer, bytes);
  platform::flush();
}

[[noreturn]] void fail(Code code, const char* text) {
  const uint32_t bytes = static_cast<uint32_t>(std::strlen(text));
  const uint32_t word = static_cast<uint32_t>(code);
  send_header(Kind::kFailed, sizeof(word) + bytes);
  platform::write(&word, sizeof(word));
  platform::write(text, bytes);
  platform::finish();
}

char error_buffer[2048];
ErrorText error;

void check(Status status) {
  if (!status.ok()) fail(status.code(), error.c_str());
}

template <typename... Parts>
void require(bool condition, Code code, Parts... parts) {
  if (condition) return;
  error.clear();
  error.add(parts...);
  fail(code, error.c_str());
}

// --- profile ---------------------------------------------------------------------------------------------------

// Notes where each step starts and stops. All its own work lies outside: before the start and after the stop.
class StepTicks final : public Profiler {
 public:
  constexpr StepTicks() = default;
  // Memory for `count` spans and one for what is beyond.
  void use(protocol::StepSpan* spans, uint32_t count) {
    spans_ = spans;
    most_ = count;
  }
  void restart(const Method* traced) {
    count_ = 0;
    traced_ = traced;
  }
  [[gnu::noipa]] void begin_step(uint32_t step) override {
    if (traced_ != nullptr) trace(step);
    current_ = &spans_[count_ < most_ ? count_ : most_];
    ++count_;
    current_->step = step;
    platform::start_ticks(&current_->start);
  }
  [[gnu::noipa]] void end_step(uint32_t) override { platform::stop_ticks(&current_->stop); }
  uint32_t count() const { return count_ < most_ ? count_ : most_; }
  bool truncated() const { return count_ > most_; }
  const protocol::StepSpan* spans() const { return spans_; }

 private:
  [[gnu::noinline]] void trace(uint32_t step) {
    char name[protocol::kNameBytes];
    traced_->step_name(step, name, sizeof(name));
    send_activity("running operator ", name);
  }

  protocol::StepSpan* spans_ = nullptr;
  uint32_t most_ = 0;
  protocol::StepSpan* current_ = nullptr;
  uint32_t count_ = 0;
  const Method* traced_ = nullptr;
};

// The span of nothing, called as execute() calls the hook: by a pointer that the compiler cannot see through.
[[gnu::noinline]] void empty_step(Profiler* profiler, uint32_t step) {
  __asm volatile("" : "+r"(profiler));
  profiler->begin_step(step);
  profiler->end_step(step);
}

// --- the session -----------------------------------------------------------------------------------------------

Pool pool({nullptr, 0});
// Not initialised, so that their first values take no flash; load() and prepare() make them.
template <typename T>
union Later {
  constexpr Later() : nothing() {}
  char nothing;
  T value;
};
Later<Program> program_memory;
Later<Method> method_memory[kMaxMethods];
static_assert(sizeof(Later<Method>) == sizeof(Method));
Program& program = program_memory.value;
const char* names[kMaxMethods];
uint32_t method_count = 0;
const uint8_t* arena_end = nullptr;
size_t prepared_mark = 0;  // the pool without what kPrepare took
StepTicks step_ticks;
protocol::StepSpan empty_span;

void* take(size_t bytes, const char* what) {
  void* memory = pool.alloc(bytes);
  require(memory != nullptr, Code::kOutOfMemory, what, " needs ", static_cast<uint64_t>(bytes),
          " bytes, and the board has ", static_cast<uint64_t>(pool.free_bytes()), " left");
  return memory;
}

struct Bytes {
  const uint8_t* data;
  uint32_t bytes;
};

Bytes receive(const protocol::Header& header, const char* what) {
  void* memory = take(header.bytes, what);
  if (!platform::read(memory, header.bytes)) platform::finish();
  return {static_cast<const uint8_t*>(memory), header.bytes};
}

void load(const Bytes& file, const Bytes& data) {
  send_activity("loading the program");
  new (&program) Program();
  protocol::Cost cost;
  const uint32_t* top = paint_stack();
  platform::start_ticks(&cost.start);
  const Status status = program.load(file.data, file.bytes, error);
  platform::stop_ticks(&cost.stop);
  cost.stack_bytes = stack_used(top);
  check(status);
  if (data.bytes > 0) check(program.attach_data(data.data, data.bytes, error));
  prepared_mark = pool.mark();
  send(Kind::kLoaded, cost);
}

void read_names(const char* text, uint32_t bytes) {
  const char* end = text + bytes;
  for (uint32_t i = 0; i < method_count; ++i) {
    names[i] = text;
    while (text < end && *text != '\0') ++text;
    require(text < end, Code::kInvalidArgument, "malformed request: a method's name does not end");
    ++text;
  }
}

// Memory for outputs that the program leaves to the caller.
void give_outputs(Method& method) {
  for (uint32_t i = 0; i < method.output_count(); ++i) {
    const Value value = method.output(i);
    if (value.kind != Value::Kind::kTensor || value.tensor.storage != Storage::kCaller) continue;
    const uint32_t bytes = value.tensor.bytes();
    check(method.set_output(i, take(bytes, "an output"), bytes, error));
  }
}

void prepare(const protocol::Header& header) {
  pool.rewind(prepared_mark);
  const Bytes payload = receive(header, "the list of methods");
  protocol::PrepareRequest request = {};
  require(payload.bytes >= sizeof(request), Code::kInvalidArgument, "malformed request: short kPrepare");
  std::memcpy(&request, payload.data, sizeof(request));
  require(request.method_count <= kMaxMethods, Code::kInvalidArgument, "the program has ", request.method_count,
          " methods in use, the runner takes ", kMaxMethods);
  method_count = request.method_count;
  read_names(reinterpret_cast<const char*>(payload.data) + sizeof(request),
             payload.bytes - static_cast<uint32_t>(sizeof(request)));

  send_activity("measuring the arena");
  MethodMemory memory;
  check(Method::measure_all(program, names, method_count, kAllOps, &memory, error));
  const size_t bytes =
      request.arena_bytes == protocol::PrepareRequest::kExact ? memory.arena_bytes() : request.arena_bytes;
  uint8_t* base = static_cast<uint8_t*>(take(bytes + kGuardBytes, "the arena"));
  arena_end = base + bytes;
  std::memset(base + bytes, kGuard, kGuardBytes);
  for (Later<Method>& method : method_memory) new (&method.value) Method();
  Arena arena(base, bytes);

  send_activity("preparing the methods");
  protocol::PreparedReply reply;
  const uint32_t* top = paint_stack();
  platform::start_ticks(&reply.cost.start);
  const Status status =
      Method::prepare_all(program, names, method_count, kAllOps, arena, &method_memory[0].value, nullptr, error);
  platform::stop_ticks(&reply.cost.stop);
  reply.cost.stack_bytes = stack_used(top);
  check(status);
  for (uint32_t i = 0; i < method_count; ++i) give_outputs(method_memory[i].value);
  reply.arena_bytes = static_cast<uint32_t>(memory.arena_bytes());
  reply.persistent_bytes = static_cast<uint32_t>(memory.persistent_bytes);
  reply.planned_bytes = static_cast<uint32_t>(memory.planned_bytes);
  reply.scratch_bytes = static_cast<uint32_t>(memory.scratch_bytes);
  send(Kind::kPrepared, reply);
}

// Whether the image holds the program that is meant.
Bytes find_embedded(const protocol::Header& header) {
  const size_t mark = pool.mark();
  protocol::UseRequest wanted = {};
  const Bytes payload = receive(header, "a request");
  require(payload.bytes >= sizeof(wanted), Code::kInvalidArgument, "malformed request: short kUse");
  std::memcpy(&wanted, payload.data, sizeof(wanted));
  pool.rewind(mark);
  Bytes found = {};
  for (uint32_t i = 0; i < board::embedded_count && found.data == nullptr; ++i) {
    const board::EmbeddedProgram& e = board::embedded[i];
    if (e.bytes == wanted.bytes && frames::crc32(0, e.data, e.bytes) == wanted.crc)
      found = {static_cast<const uint8_t*>(e.data), e.bytes};
  }
  send(Kind::kFound, static_cast<uint32_t>(found.data != nullptr));
  return found;
}

// As many spans as memory allows: outputs and inputs have theirs by now.
void start_profile() {
  const size_t fit = pool.free_bytes() / sizeof(protocol::StepSpan);
  const uint32_t count = fit > kMostSpans ? kMostSpans : fit > 0 ? static_cast<uint32_t>(fit) - 1 : 0;
  step_ticks.use(static_cast<protocol::StepSpan*>(take((count + 1) * sizeof(protocol::StepSpan), "the list of steps")),
                 count);
  step_ticks.restart(nullptr);
  empty_step(&step_ticks, 0);
  empty_span = step_ticks.spans()[0];
}

void set_inputs(Method& method, const Bytes& payload, uint32_t count) {
  uint32_t at = sizeof(protocol::CallRequest);
  for (uint32_t i = 0; i < count; ++i) {
    protocol::ValueHeader value;
    require(payload.bytes - at >= sizeof(value), Code::kInvalidArgument, "malformed request: short input ", i);
    std::memcpy(&value, payload.data + at, sizeof(value));
    at += static_cast<uint32_t>(sizeof(value));
    require(value.bytes <= payload.bytes - at && value.rank <= kMaxRank, Code::kInvalidArgument,
            "malformed request: short data of input ", i);
    const uint8_t* data = payload.data + at;
    at += protocol::padded(value.bytes);
    Scalar scalar;
    scalar.i = value.integer;
    scalar.f = value.number;
    switch (value.kind) {
      case protocol::ValueKind::kTensor:
        check(method.set_input(i, data, value.bytes, value.sizes, value.rank, error));
        continue;
      case protocol::ValueKind::kInteger:
        scalar.kind = Scalar::Kind::kInt;
        break;
      case protocol::ValueKind::kDouble:
        scalar.kind = Scalar::Kind::kFloat;
        break;
      case protocol::ValueKind::kBool:
        scalar.kind = Scalar::Kind::kBool;
        break;
      case protocol::ValueKind::kString:
      case protocol::ValueKind::kNone:
        continue;  // fixed when the program was exported
    }
    require(wick_set_scalar_input != nullptr, Code::kUnsupported, "input ", i,
            ": this image takes tensors only; build it with the program that has scalar inputs");
    check(wick_set_scalar_input(method, i, scalar, error));
  }
}

void send_output(const Value& value) {
  protocol::ValueHeader header = {};
  const void* data = nullptr;
  header.kind = protocol::ValueKind::kNone;
  if (value.kind == Value::Kind::kTensor) {
    const Tensor& t = value.tensor;
    header.kind = protocol::ValueKind::kTensor;
    header.dtype = static_cast<uint32_t>(t.dtype);
    header.rank = t.rank;
    for (uint32_t d = 0; d < t.rank; ++d) header.sizes[d] = t.sizes[d];
    header.bytes = t.bytes();
    data = t.data;
  } else if (value.kind == Value::Kind::kInt || value.kind == Value::Kind::kBool) {
    header.kind = value.kind == Value::Kind::kInt ? protocol::ValueKind::kInteger : protocol::ValueKind::kBool;
    header.integer = value.integer;
  } else if (value.kind == Value::Kind::kDouble) {
    header.kind = protocol::ValueKind::kDouble;
    header.number = value.number;
  } else if (value.kind == Value::Kind::kString) {
    header.kind = protocol::ValueKind::kString;
    header.bytes = static_cast<uint32_t>(std::strlen(value.text)) + 1;
    data = value.text;
  }
  send_header(Kind::kOutput, static_cast<uint32_t>(sizeof(header)) + header.bytes);
  platform::write(&header, sizeof(header));
  if (header.bytes > 0) platform::write(data, header.bytes);
}

void send_profile(const Method& method) {
  const protocol::ProfileReply reply = {step_ticks.count(), method.step_count(), empty_span.start, empty_span.stop,
                                        step_ticks.truncated()};
  const uint32_t span_bytes = reply.span_count * static_cast<uint32_t>(sizeof(protocol::StepSpan));
  send_header(Kind::kProfile,
              static_cast<uint32_t>(sizeof(reply)) + span_bytes + reply.step_count * protocol::kNameBytes);
  platform::write(&reply, sizeof(reply));
  platform::write(step_ticks.spans(), span_bytes);
  for (uint32_t i = 0; i < reply.step_count; ++i) {
    char name[protocol::kNameBytes] = {};
    method.step_name(i, name, sizeof(name));
    platform::write(name, sizeof(name));
  }
}

void call(const protocol::Header& header) {
  const size_t mark = pool.mark();
  const Bytes payload = receive(header, "the inputs");
  protocol::CallRequest request = {};
  require(payload.bytes >= sizeof(request), Code::kInvalidArgument, "malformed request: short kCall");
  std::memcpy(&request, payload.data, sizeof(request));
  require(request.method < method_count, Code::kInvalidState, "the method has not been prepared");
  Method& method = method_memory[request.method].value;
  require(request.input_count == method.input_count(), Code::kInvalidArgument, "method ", names[request.method],
          " takes ", method.input_count(), " inputs, given ", request.input_count);

  const bool profile = (request.flags & protocol::CallRequest::kProfile) != 0;
  const bool trace = (request.flags & protocol::CallRequest::kTrace) != 0;
  Profiler* profiler = profile || trace ? &step_ticks : nullptr;
  if (profiler != nullptr) start_profile();
  protocol::CalledReply reply = {};
  for (uint32_t i = 0; i < request.repeat; ++i) {
    if ((request.flags & protocol::CallRequest::kReset) != 0) check(method.reset(error));
    set_inputs(method, payload, request.input_count);
    step_ticks.restart(trace ? &method : nullptr);
    if (i == 0) send_activity("running method ", names[request.method]);
    const bool last = i + 1 == request.repeat;
    const uint32_t* top = last ? paint_stack() : nullptr;
    platform::start_ticks(&reply.cost.start);
    const Status status = method.execute(error, profiler);
    platform::stop_ticks(&reply.cost.stop);
    if (last) reply.cost.stack_bytes = stack_used(top);
    check(status);
    for (uint32_t g = 0; g < kGuardBytes; ++g)
      require(arena_end[g] == kGuard, Code::kInvalidState, "method ", names[request.method],
              " wrote beyond the end of its arena: this is an error in wick");
  }
  reply.output_count = method.output_count();
  send(Kind::kCalled, reply);
  for (uint32_t i = 0; i < reply.output_count; ++i) send_output(method.output(i));
  if (profile) send_profile(method);
  pool.rewind(mark);
}

[[noreturn]] void serve() {
  Bytes file = {};
  Bytes data = {};
  for (;;) {
    protocol::Header header = {};
    if (!platform::read(&header, sizeof(header))) platform::finish();
    switch (header.kind) {
      case Kind::kUse:
        file = find_embedded(header);
        break;
      case Kind::kProgram:
        file = receive(header, "the program");
        break;
      case Kind::kData:
        data = receive(header, "the data file");
        break;
      case Kind::kLoad:
        load(file, data);
        break;
      case Kind::kPrepare:
        prepare(header);
        break;
      case Kind::kCall:
        call(header);
        break;
      case Kind::kEnd:
        send_header(Kind::kBye, 0);
        platform::finish();
      default:
        require(false, Code::kInvalidArgument, "unknown request ", static_cast<uint32_t>(header.kind));
    }
  }
}

}  // namespace
}  // namespace wick::runner

int main(int, char**) {
  using namespace wick;
  if (!platform::open_link()) return 1;
  runner::error = ErrorText(runner::error_buffer, sizeof(runner::error_buffer));
  runner::pool = runner::Pool(platform::bulk_memory());
  runner::method_count = 0;
  runner::send(protocol::Kind::kHello, platform::hello());
  runner::serve();
}
