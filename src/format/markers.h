// What wick writes into a program beyond what the format says. Other runtimes read past it.
#pragma once

namespace wick::format {

// The name of a planned tensor that nobody writes and whose bytes are those of the tensor at its place, read as its
// own sizes and dim_order say. Without it such a tensor is a view_copy that was left out, and shows the other
// tensor's elements in their logical order.
inline constexpr const char kMemoryView[] = "memory_view";

}  // namespace wick::format
