// Makes a board's image: finds the compiler and the board's kit, compiles the generated sources, links. Each set of
// options has a folder of its own, so that none mixes with another, and nothing is done that a folder has already.
// Knows compilers and files; refuses to judge programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/elf_image.h"
#include "host/firmware_sources.h"

namespace wick::host {

struct FirmwareBoard {
  const char* name;     // as users say it
  const char* preset;   // of CMakePresets.json
  const char* target;   // whose core it has, for `wick run --target`
  const char* machine;  // of QEMU; null for a real board
  bool has_dsp;         // whose kernels the ones of others can stand in for
  bool is_emulated() const { return machine != nullptr; }
};
// Null when there is no such board.
const FirmwareBoard* find_firmware_board(const std::string& name);

struct FirmwareSpec {
  const FirmwareBoard* board = nullptr;
  std::string app;  // mnist, run, bench
  bool weights_in_sram = false;
  bool all_operators = false;
  bool kernels_in_sram = false;  // their code
  bool two_cores = false;
  bool brief_errors = false;
  bool scalar_inputs = false;  // some program has inputs that are no tensors
  std::string cmsis_nn;        // folder of the user's CMSIS-NN; empty for wick's own kernels
  uint32_t stack_bytes = 0;    // 0: the board's default
  std::vector<EmbeddedFile> programs;
  std::vector<std::string> operators;
  unsigned jobs = 0;  // 0: as many as there are processors
  bool clean = false;
  std::filesystem::path build_folder;  // empty: the user's cache
};

struct FirmwareBuild {
  std::filesystem::path folder, elf;
  bool up_to_date = false;  // nothing had to be done
  ElfImage image;
  std::vector<MappedPiece> pieces;
};

// Throws Failure with what to install, or with what the compiler said.
FirmwareBuild build_firmware(const FirmwareSpec& spec);

// Checks that DIR is a CMSIS-NN that can be linked: throws Failure saying what is missing. Returns the library.
std::filesystem::path find_cmsis_nn_library(const std::string& folder);

}  // namespace wick::host
