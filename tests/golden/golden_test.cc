// Runs every golden that there is, on the host or on an emulated core, and counts. A case whose operators are missing
// is "not yet", by name; a folder that is not there is said. Fails when a case gives another answer than its truth.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>

#include "files/failure.h"
#include "files/text_table.h"
#include "golden/golden_case.h"
#include "host/call_values.h"
#include "host/operator_facts.h"

namespace wick::golden {
namespace {

using host::Array;
using host::text;

struct Tally {
  uint32_t passed = 0, failed = 0, not_yet = 0;
};

class GoldenRun {
 public:
  GoldenRun(std::string target, bool verbose) : target_(std::move(target)), verbose_(verbose) {}

  static void use(const GoldenCase& c, void* self) { static_cast<GoldenRun*>(self)->judge(c); }

  void judge(const GoldenCase& c) {
    Tally& tally = tallies_[{c.folder, c.kind}];
    const std::string place = text(c.folder, "/", c.name, " ", c.kind);
    if (isatty(STDERR_FILENO)) std::cerr << "\r\033[K" << place << std::flush;
    std::string problem;
    try {
      const host::ProgramInfo info = host::read_program_info(c.program, c.name);
      const std::vector<std::string> missing = host::missing_operators(info);
      if (!missing.empty() && c.error_contains.empty()) {
        ++tally.not_yet;
        for (const std::string& name : missing) not_yet_[name].push_back(place);
        return;
      }
      problem = run(c, info);
    } catch (const host::Failure& failure) {
      problem = failure.what();
    }
    if (problem.empty()) {
      ++tally.passed;
      if (verbose_) std::cout << "passed  " << place << "\n";
    } else {
      ++tally.failed;
      failures_.push_back(text(place, ": ", problem));
      if (verbose_) std::cout << "FAILED  " << failures_.back() << "\n";
    }
  }

  int report(const std::vector<std::string>& absent) const {
    if (isatty(STDERR_FILENO)) std::cerr << "\r\033[K" << std::flush;
    host::TextTable table;
    table.row({"folder", "kind", "passed", "of", "not yet", "failed"});
    Tally total;
    for (const auto& [key, t] : tallies_) {
      table.row({key.first, key.second, std::to_string(t.passed), std::to_string(t.passed + t.failed + t.not_yet),
                 std::to_string(t.not_yet), std::to_string(t.failed)});
      total.passed += t.passed;
      total.failed += t.failed;
      total.not_yet += t.not_yet;
    }
    std::cout << "goldens on " << target_ << "\n" << table.str();
    for (const std::string& failure : failures_) std::cout << "FAILED  " << failure << "\n";
    for (const auto& [name, places] : not_yet_) {
      std::cout << "not yet: " << name << " is missing, " << places.size() << " cases call it, " << places[0] << "\n";
    }
    for (const std::string& folder : absent) std::cout << "skipped: " << folder << " is not here\n";
    std::cout << "goldens on " << target_ << ": " << total.passed << " passed, " << total.failed << " failed, "
              << total.not_yet + absent.size() << " skipped (" << total.not_yet << " cases wait for operators, "
              << absent.size() << " folders are not here)\n";
    return total.failed > 0 ? 1 : 0;
  }

 private:
  // What is wrong; nothing when all is as it should be.
  std::string run(const GoldenCase& c, const host::ProgramInfo& info) const {
    host::Job job;
    job.target = target_;
    job.program = c.program;
    job.data = c.data;
    std::vector<std::string> notes;
    for (const GoldenCall& call : c.calls) {
      const host::MethodInfo& method = info.method(call.method);
      host::Call& planned = job.calls.emplace_back();
      planned.method = call.method;
      if (call.inputs.size() != method.inputs.size()) {
        return text("takes ", method.inputs.size(), " inputs, the case has ", call.inputs.size());
      }
      for (size_t i = 0; i < call.inputs.size(); ++i) {
        planned.inputs.push_back(to_machine(method, i, call.inputs[i], text("input ", i), &notes));
      }
    }
    const host::JobResult result = run_job(job);
    if (!c.error_contains.empty()) {
      if (result.error.empty()) return text("ran, but should be refused with '", c.error_contains, "'");
      return result.error.find(c.error_contains) != std::string::npos
                 ? std::string()
                 : text("refused with '", result.error, "', which does not have '", c.error_contains, "' in it");
    }
    if (!result.error.empty()) return result.error;
    for (size_t i = 0; i < c.calls.size(); ++i) {
      const host::MethodInfo& method = info.method(c.calls[i].method);
      for (size_t k = 0; k < c.calls[i].outputs.size(); ++k) {
        if (k >= result.calls[i].outputs.size()) return text("call ", i, " has no output ", k);
        const Array found = from_machine(method, k, result.calls[i].outputs[k], &notes);
        const std::string difference = differ(method, k, found, c.calls[i].outputs[k], c.nearness);
        if (!difference.empty()) return text("call ", i, ", output ", k, ": ", difference);
      }
    }
    return "";
  }

  static std::string differ(const host::MethodInfo& method, size_t output, const Array& found, const Array& truth,
                            const Nearness& nearness) {
    const Array expected = expectation_like(method, output, truth, found);
    double largest = 0;
    for (uint64_t i = 0; i < element_count(expected); ++i) {
      if (const double e = std::abs(element(expected, i)); std::isfinite(e)) largest = std::max(largest, e);
    }
    const bool floating = found.dtype == DType::kFloat32 || found.dtype == DType::kFloat64 ||
                          found.dtype == DType::kFloat16 || found.dtype == DType::kBFloat16;
    host::Tolerance tolerance;
    if (floating) tolerance.absolute = std::max(nearness.relative * largest, nearness.absolute);
    const host::Comparison c = compare(found, expected, tolerance);
    return c.matches ? "" : text(c.difference, ", allowed ", tolerance.absolute.value_or(0));
  }

  std::string target_;
  bool verbose_;
  std::map<std::pair<std::string, std::string>, Tally> tallies_;
  std::map<std::string, std::vector<std::string>> not_yet_;
  std::vector<std::string> failures_;
};

int usage() {
  std::cerr
      << "usage: wick_golden_test [--goldens FOLDER] [--target TARGET] [--filter TEXT] [--samples N] [--verbose]\n"
         "FOLDER has generated/ and external/ (default: WICK_GOLDENS from the environment, else what CMake found,\n"
         "else the selection in tests/data)\n";
  return 2;
}

int golden_main(int argc, char** argv) {
  std::string target = "host", root;
  Selection selection;
  bool verbose = false;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--verbose") {
      verbose = true;
      continue;
    }
    if (++i == argc) return usage();
    if (option == "--goldens") {
      root = argv[i];
    } else if (option == "--target") {
      target = argv[i];
    } else if (option == "--filter") {
      selection.filter = argv[i];
    } else if (option == "--samples") {
      selection.max_samples = static_cast<uint32_t>(std::strtoul(argv[i], nullptr, 10));
    } else {
      return usage();
    }
  }
  if (root.empty()) {
    const char* given = std::getenv("WICK_GOLDENS");
    root = given != nullptr ? given : WICK_GOLDENS_FOUND;
  }
  if (!std::filesystem::exists(root)) {
    std::cout << "goldens: skipped, " << root << " is not here\n";
    return 0;
  }
  GoldenRun run(target, verbose);
  const std::vector<std::string> absent = for_each_case(root, selection, GoldenRun::use, &run);
  std::cout << "goldens in " << root << "\n";
  return run.report(absent);
}

}  // namespace
}  // namespace wick::golden

int main(int argc, char** argv) { return wick::golden::golden_main(argc, argv); }
