// A bundled program (.bpte): a .pte with test cases around it. Knows how to take it apart; refuses to run anything.
#pragma once

#include <string>
#include <vector>

#include "files/files.h"
#include "host/job.h"

namespace wick::host {

struct BundledCase {
  std::string method;
  // Tensors as the bundle stores them: bytes in memory order of the given dim_order.
  struct Value {
    HostValue value;
    std::vector<uint8_t> dim_order;
  };
  std::vector<Value> inputs, expected;
};

bool is_bundled_program(const Bytes& bytes);
struct BundledProgram {
  Bytes program;
  std::vector<BundledCase> cases;
};
// Throws Failure naming the file.
BundledProgram read_bundled_program(const Bytes& bytes, const std::string& name);

}  // namespace wick::host
