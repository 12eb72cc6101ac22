// What is wrong with a model, gathered so that the user sees all of it at once. Refuses to know what to do about it:
// each entry says that itself.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/graph.h"
#include "files/failure.h"

namespace wick::compiler {

class Problems {
 public:
  // `where` a node or what else is at fault; `what` is wrong with it; what the user can do.
  void add(const std::string& where, const std::string& what, const std::string& what_to_do) {
    entries_.push_back(where + ": " + what + (what_to_do.empty() ? "" : "; " + what_to_do));
  }
  void add(const Node& node, const std::string& what, const std::string& what_to_do) {
    add(describe(node), what, what_to_do);
  }
  bool empty() const { return entries_.empty(); }
  // Throws Failure with all of them; each entry once.
  void throw_if_any(const std::string& file) const {
    if (entries_.empty()) return;
    std::vector<std::string> told;
    for (const std::string& entry : entries_) {
      if (std::find(told.begin(), told.end(), entry) == told.end()) told.push_back(entry);
    }
    if (told.size() == 1) files::fail(file, ": ", told[0]);
    std::string list;
    for (const std::string& entry : told) list += "\n  " + entry;
    files::fail(file, ": ", told.size(), " problems:", list);
  }

 private:
  std::vector<std::string> entries_;
};

}  // namespace wick::compiler
