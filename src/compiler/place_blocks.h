// Where blocks of memory with known lifetimes lie: the packing problem of the memory planner, without its graph.
#pragma once

#include <cstdint>
#include <vector>

namespace wick::compiler {

struct Block {
  int64_t bytes = 0;            // a multiple of the alignment
  int64_t first = 0, last = 0;  // in use from..to, both included
  int64_t offset = 0;           // the answer
};

// Gives each block an offset such that no two blocks in use at the same time overlap; returns the bytes of the whole.
// Tries several orders of placement and a bounded search from the best one; always the same for the same blocks.
int64_t place_blocks(std::vector<Block>& blocks);

// Most bytes in use at once, and when.
int64_t most_in_use(const std::vector<Block>& blocks, int64_t* when = nullptr);

}  // namespace wick::compiler
