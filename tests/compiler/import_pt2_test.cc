#include "compiler/import_pt2.h"

#include <doctest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "compiler/golden_folders.h"
#include "compiler/schema.h"
#include "files/failure.h"

namespace wick::compiler {
namespace {

TEST_CASE("Importer reads every exported golden") {
  for (const char* file : {"float.pt2", "int8.pt2"}) {
    size_t read = 0, all = 0;
    for (const auto& folder : golden_folders("et-1.4.1")) {
      if (!std::filesystem::exists(folder / file)) continue;
      ++all;
      try {
        const Graph graph = import_pt2(folder / file);
        CHECK(!graph.outputs().empty());
        for (const auto& node : graph.nodes()) CHECK(node->args().size() == find_schema(node->op)->args.size());
        ++read;
      } catch (const files::Failure& failure) {
        FAIL_CHECK(failure.what());
      }
    }
    std::cout << "import_pt2: " << read << " of " << all << ' ' << file << '\n';
  }
}

}  // namespace
}  // namespace wick::compiler
