// Columns as wide as their widest cell, two spaces between them.
#include "files/text_table.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace wick::files {

namespace {

bool is_numeric(const std::string& cell) {
  if (cell == "-") return true;
  const size_t at = !cell.empty() && cell[0] == '-' ? 1 : 0;
  return at < cell.size() && std::isdigit(static_cast<unsigned char>(cell[at]));
}

}  // namespace

std::string TextTable::str(const std::string& indent) const {
  std::vector<size_t> widths;
  std::vector<bool> numeric;
  for (size_t r = 0; r < rows_.size(); ++r) {
    for (size_t c = 0; c < rows_[r].size(); ++c) {
      if (c == widths.size()) {
        widths.push_back(0);
        numeric.push_back(false);
      }
      widths[c] = std::max(widths[c], rows_[r][c].size());
      if (r > 0 && is_numeric(rows_[r][c])) numeric[c] = true;
    }
  }
  std::string out;
  for (size_t r = 0; r < rows_.size(); ++r) {
    std::string line = indent;
    for (size_t c = 0; c < rows_[r].size(); ++c) {
      const std::string& cell = rows_[r][c];
      const std::string space(widths[c] - cell.size(), ' ');
      const bool right = numeric[c] && (r == 0 || is_numeric(cell));
      line += (c > 0 ? "  " : "") + (right ? space + cell : cell + space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string grouped(uint64_t value) {
  std::string digits = std::to_string(value);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string decimal(double value, int digits) {
  std::ostringstream out;
  out.precision(digits);
  out << value;
  return out.str();
}

}  // namespace wick::files
