// See firmware_parts.h.
#include "host/firmware_parts.h"

namespace wick::host {
namespace {

enum Part { kPrograms, kKernels, kRuntime, kLibrary, kBoard, kAlignment, kParts };
constexpr const char* kNames[] = {"programs", "kernels", "runtime", "C library", "board", "alignment"};

bool contains(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

Part part_of(const MappedPiece& piece) {
  if (piece.section.rfind(".wick_program", 0) == 0) return kPrograms;
  if (piece.file.empty()) return kAlignment;
  if (contains(piece.file, "libwick_kernels") || contains(piece.file, "libwick_two_cores") ||
      contains(piece.file, "cmsis"))
    return kKernels;
  if (contains(piece.file, "libwick_board") || contains(piece.file, "libwick_app")) return kBoard;
  if (contains(piece.file, "libwick_") || piece.file == "operators.o" || piece.file == "programs.o") return kRuntime;
  return kLibrary;
}

bool takes_flash(const MappedPiece& piece) {
  for (const char* none : {".bss", ".debug", ".comment", ".ARM.attributes", "/DISCARD/"}) {
    if (piece.output.rfind(none, 0) == 0) return false;
  }
  return true;
}

}  // namespace

ImageParts image_parts(const FirmwareBuild& build) {
  ImageParts parts;
  parts.flash_bytes = build.image.flash_bytes();
  uint64_t bytes[kParts] = {}, counted = 0;
  for (const MappedPiece& piece : build.pieces) {
    if (!takes_flash(piece)) continue;
    bytes[part_of(piece)] += piece.bytes;
    counted += piece.bytes;
    if (piece.section == ".wick_program_sram") parts.program_copy_bytes += piece.bytes;
  }
  // What scripts add between sections is in no piece.
  if (counted < parts.flash_bytes) bytes[kAlignment] += parts.flash_bytes - counted;
  for (int part = 0; part < kParts; ++part) parts.flash.emplace_back(kNames[part], bytes[part]);
  const ElfImage& image = build.image;
  parts.flash_capacity = image.symbol("__flash_bytes");
  parts.sram_capacity = image.symbol("__ram_bytes");
  parts.stack_bytes = image.symbol("__stack_top") -
                      image.symbol(image.symbols.contains("__stack_guard") ? "__stack_guard" : "__stack_limit");
  parts.free_bytes = image.symbol("__bulk_end") - image.symbol("__bulk_start");
  parts.data_bytes = image.symbol("__static_ram_bytes") - parts.program_copy_bytes;
  return parts;
}

}  // namespace wick::host
