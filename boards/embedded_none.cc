// The table of an image that carries no programs.
#include "embedded.h"

namespace wick::board {

extern const EmbeddedProgram* const embedded = nullptr;
extern const uint32_t embedded_count = 0;

}  // namespace wick::board
