// The tests' images: read from where the build has put them, and packed as UF2 by a packer of the tests' own.
#pragma once

#include <doctest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sim/machine.h"

namespace wick::sim::test {

using Bytes = std::vector<uint8_t>;

inline bool images_are_built() {
  const bool built = std::ifstream(WICK_SIM_IMAGES "/hello.bin").good();
  if (!built) MESSAGE("skipped: no images, as arm-none-eabi-gcc was not found when this was built");
  return built;
}

inline Bytes code_of(const std::string& name) {
  std::ifstream file(WICK_SIM_IMAGES "/" + name + ".bin", std::ios::binary);
  REQUIRE_MESSAGE(file.good(), name);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void put_word(Bytes& bytes, size_t at, uint32_t word) { std::memcpy(bytes.data() + at, &word, 4); }

inline Bytes uf2_of(const Bytes& code, uint32_t base = 0x10000000, uint32_t family = 0xE48BFF59) {
  const size_t blocks = (code.size() + 255) / 256;
  Bytes file(blocks * 512);
  for (size_t i = 0; i < blocks; ++i) {
    const uint32_t head[] = {0x0A324655,
                             0x9E5D5157,
                             0x2000,
                             base + static_cast<uint32_t>(i) * 256,
                             256,
                             static_cast<uint32_t>(i),
                             static_cast<uint32_t>(blocks),
                             family};
    std::memcpy(file.data() + i * 512, head, sizeof(head));
    std::memcpy(file.data() + i * 512 + 32, code.data() + i * 256, std::min<size_t>(256, code.size() - i * 256));
    put_word(file, i * 512 + 508, 0x0AB16F30);
  }
  return file;
}

// A run of an image to its end.
struct Run {
  std::string text;  // what came out of UART0
  StopKind kind = StopKind::kRunning;
  std::string reason;
  std::vector<std::string> remarks;
  std::unique_ptr<Machine> machine;
};

inline Run run_image(const std::string& name, MachineOptions options = {}) {
  Run run;
  options.on_uart = [&run](uint8_t byte) { run.text += static_cast<char>(byte); };
  options.on_remark = [&run](const std::string& line) { run.remarks.push_back(line); };
  run.machine = std::make_unique<Machine>(uf2_of(code_of(name)), options);
  run.kind = run.machine->run();
  run.reason = run.machine->stop_reason();
  return run;
}

}  // namespace wick::sim::test
