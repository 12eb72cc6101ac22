// The same work for many samples on several threads. Refuses to decide what is shared: bodies know their thread's
// number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace wick::compiler {

// How many threads to use for `count` pieces of work; `wanted` 0: one per core.
inline unsigned thread_count(unsigned wanted, size_t count) {
  const unsigned cores = wanted != 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::clamp<size_t>(count, 1, cores));
}

// Calls body(i, thread) for i in [0, count) and passes on the first exception.
template <typename Body>
void in_parallel(unsigned threads, size_t count, Body body) {
  if (threads <= 1 || count <= 1) {
    for (size_t i = 0; i < count; ++i) body(i, 0u);
    return;
  }
  std::vector<std::exception_ptr> failures(threads);
  std::vector<std::thread> workers;
  for (unsigned t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      try {
        for (size_t i = t; i < count; i += threads) body(i, t);
      } catch (...) {
        failures[t] = std::current_exception();
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure != nullptr) std::rethrow_exception(failure);
  }
}

}  // namespace wick::compiler
