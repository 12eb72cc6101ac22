// Text for people: columns that line up, numbers with their thousands told apart. Knows nothing of what it shows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wick::files {

class TextTable {
 public:
  // The first row is the heading. A number, or "-" in its place, is set to the right.
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.size() < 2; }
  std::string str(const std::string& indent = "  ") const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// 1234567 -> "1,234,567"
std::string grouped(uint64_t value);
// At most `digits` significant digits.
std::string decimal(double value, int digits = 6);

}  // namespace wick::files
