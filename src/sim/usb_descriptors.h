// What a host's driver for serial ports demands of a configuration. Knows the descriptors of CDC-ACM; refuses to know
// how they were asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wick::sim {

struct CdcEndpoints {
  unsigned in = 0, out = 0, notify = 0;
  std::string error;  // what is wrong; empty when the rest holds
};

// A whole configuration: interfaces 0 (communication) and 1 (data).
CdcEndpoints read_cdc_configuration(const std::vector<uint8_t>& bytes);

// What is wrong with a device descriptor; empty when nothing is.
std::string judge_device_descriptor(const std::vector<uint8_t>& bytes);

}  // namespace wick::sim
