// Puts a program into a finished image of the app `run`, as if the image had been built with it (boards/embedded.h):
// behind everything else in flash. Knows the image's symbols; refuses to know what the program is.
#pragma once

#include <cstdint>
#include <vector>

#include "host/elf_image.h"

namespace wick::host {

// False when the flash has no room for it. Throws Failure for an image that is none of the app `run`.
bool embed_program(const std::vector<uint8_t>& program, ElfImage* image);

}  // namespace wick::host
