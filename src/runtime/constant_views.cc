// Finds weights that the program transposes at every run, though the transposed values never change: ExecuTorch writes
// a linear layer as permute_copy(weight) followed by addmm. Such a permute_copy is dropped when all who read its output
// can read the constant itself, transposed; its place in planned memory is given back.
#include "format/program_generated.h"
#include "runtime/build.h"

namespace wick {

namespace {

// Operators that transpose a matrix, and those that can take a transposed constant, with the argument that may be one.
struct Reader {
  uint32_t hash;
  uint32_t arg;
};
constexpr uint32_t kTransposers[] = {op_hash("aten::permute_copy.out"), op_hash("aten::t_copy.out"),
                                     op_hash("aten::transpose_copy.int_out")};
constexpr Reader kReaders[] = {{op_hash("aten::addmm.out"), 2}, {op_hash("aten::mm.out"), 1}};

bool transposes(uint32_t hash) {
  for (uint32_t t : kTransposers) {
    if (t == hash) return true;
  }
  return false;
}

bool reads_transposed(uint32_t hash, uint32_t arg) {
  for (const Reader& r : kReaders) {
    if (r.hash == hash && r.arg == arg) return true;
  }
  return false;
}

struct KernelCall {
  const Op* op = nullptr;
  format::Vector args;
  // The out argument comes before the repeated return value.
  bool writes(int32_t value) const { return args.count >= 2 && args.i32(args.count - 2) == value; }
};

struct Range {
  uint32_t memory_id = 0, begin = 0, end = 0;
  bool overlaps(const Range& o) const { return memory_id == o.memory_id && begin < o.end && o.begin < end; }
  bool covers(const Range& o) const { return memory_id == o.memory_id && begin <= o.begin && end >= o.end; }
};

}  // namespace

Status Builder::find_views(Method& m, Findings& found) {
  bool any = false;
  for (uint32_t i = 0; i < m.operators_.count; ++i) {
    const Op* op = find(m, i);
    any = any || (op != nullptr && transposes(op->hash));
  }
  if (!any) return {};

  const format::Buffer& buffer = program_.file().buffer();
  // False for anything but a well-formed operator call: then nothing is dropped.
  auto call_at = [&](uint32_t i, KernelCall* call) {
    const format::Table instruction = format::Table::element(buffer, m.instructions_, i);
    const format::Table table = instruction.table(fb::Instruction::VT_ARGS);
    if (instruction.u8(fb::Instruction::VT_ARGS_TYPE) != static_cast<uint8_t>(fb::InstructionArguments::KernelCall)) {
      return false;
    }
    call->op = find(m, table.u32(fb::KernelCall::VT_OP_INDEX));
    call->args = table.vector(fb::KernelCall::VT_ARGS, 4);
    return !buffer.bad() && call->op != nullptr && call->args.count >= 2;
  };
  // The planned bytes of a tensor value; false when it has none.
  auto range_of = [&](int32_t value, Range* range, Tensor* tensor) {
    Value::Kind kind;
    const uint32_t at = m.value_position(value, &kind);
    format::TensorFacts facts;
    ErrorText ignored;
    if (buffer.bad() || kind != Value::Kind::kTensor || !program_.file().tensor(at, &facts, ignored).ok()) {
      return false;
    }
    Value v;
    if (!m.value_in_file(value, &v, ignored).ok()) return false;
    *tensor = v.tensor;
    *range = {facts.memory_id, facts.offset, facts.offset + facts.bytes};
    return facts.tensor.storage == Storage::kPlanned;
  };

  KernelCall call;
  for (uint32_t i = 0; i < m.instructions_.count; ++i) {
    if (!call_at(i, &call)) {
      buffer.clear();
      found.view_count = 0;
      return {};
    }
  }
  for (uint32_t i = 0; i < m.instructions_.count && found.view_count < kMaxViews; ++i) {
    if (!call_at(i, &call) || !transposes(call.op->hash)) continue;
    const int32_t source = call.args.i32(0), out = call.args.i32(call.args.count - 2);
    Range out_range, source_range;
    Tensor out_tensor, source_tensor;
    bool drop = range_of(out, &out_range, &out_tensor) && !range_of(source, &source_range, &source_tensor) &&
                source_tensor.storage == Storage::kConstant && source_tensor.rank == 2 && out_tensor.rank == 2 &&
                !out_tensor.dynamic && !out_tensor.state && out_tensor.dtype == source_tensor.dtype &&
                is_contiguous(source_tensor) && is_contiguous(out_tensor) &&
                out_tensor.sizes[0] == source_tensor.sizes[1] && out_tensor.sizes[1] == source_tensor.sizes[0];
    // Rank 2 and not the identity: the permutation's first entry is 1.
    if (drop && call.op->hash == kTransposers[0]) {
      ErrorText ignored;
      Prepare p(m, arena_, ignored, i, call.args);
      const IntList dims = p.int_list(1);
      drop = !p.failed() && dims.count == 2 && (dims.items[0] == 1 || dims.items[0] == -1);
    }
    for (uint32_t k = 0; drop && k < m.outputs_.count; ++k) drop = m.outputs_.i32(k) != out;
    for (uint32_t j = 0; drop && j < m.instructions_.count; ++j) {
      KernelCall reader;
      if (j == i || !call_at(j, &reader)) continue;
      if (reader.writes(out)) drop = false;
      for (uint32_t a = 0; drop && a + 1 < reader.args.count; ++a) {
        const int32_t value = reader.args.i32(a);
        if (value == out) {
          drop = j > i && reads_transposed(reader.op->hash, a);
          continue;
        }
        // Someone else's tensor in the same bytes must have been written since.
        Range range, written;
        Tensor ignored;
        if (j < i || reader.writes(value) || !range_of(value, &range, &ignored) || !range.overlaps(out_range)) continue;
        bool fresh = false;
        for (uint32_t k = i + 1; !fresh && k < j; ++k) {
          KernelCall writer;
          fresh = call_at(k, &writer) && range_of(writer.args.i32(writer.args.count - 2), &written, &ignored) &&
                  written.covers(range);
        }
        drop = fresh;
      }
    }
    if (drop) found.views[found.view_count++] = {out, source};
  }
  buffer.clear();
  return {};
}

void Builder::find_holes(const Method& m, Findings& found) {
  const format::PteFile& file = program_.file();
  auto used = [&](uint32_t value, format::TensorFacts* facts) {
    Value::Kind kind;
    ErrorText ignored;
    for (uint32_t i = 0; i < found.view_count; ++i) {
      if (found.views[i].value == static_cast<int32_t>(value)) return false;
    }
    file.buffer().clear();  // a malformed value must not hide the ones behind it
    const uint32_t at = m.value_position(static_cast<int32_t>(value), &kind);
    return kind == Value::Kind::kTensor && file.tensor(at, facts, ignored).ok() &&
           facts->tensor.storage == Storage::kPlanned;
  };
  for (uint32_t id = 1; id < m.buffer_sizes_.count; ++id) {
    const uint32_t size = static_cast<uint32_t>(m.buffer_sizes_.u64(id));
    uint32_t cursor = 0;
    while (cursor < size && found.hole_count < kMaxHoles) {
      // The used bytes that begin next, or reach over the cursor.
      uint32_t next = size, reach = cursor;
      for (uint32_t v = 0; v < m.values_.count; ++v) {
        format::TensorFacts facts;
        if (!used(v, &facts) || facts.memory_id != id || facts.bytes == 0) continue;
        const uint32_t end = facts.offset + facts.bytes;
        if (facts.offset <= cursor && end > reach) reach = end;
        if (facts.offset > cursor && facts.offset < next) next = facts.offset;
      }
      if (reach > cursor) {
        cursor = reach;
        continue;
      }
      // Whole units of the arena's alignment, so that what follows stays aligned.
      const uint32_t begin = (cursor + Arena::kAlignment - 1) & ~(Arena::kAlignment - 1);
      const uint32_t end = next == size ? size : next & ~(Arena::kAlignment - 1);
      if (end > begin) found.holes[found.hole_count++] = {id, begin, end - begin};
      cursor = next;
    }
  }
  file.buffer().clear();
}

}  // namespace wick
