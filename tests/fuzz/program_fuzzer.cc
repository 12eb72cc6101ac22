// libFuzzer target: any bytes as a program.
#include "fuzz/run_hostile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  wick::fuzz::run_hostile(data, size);
  return 0;
}
