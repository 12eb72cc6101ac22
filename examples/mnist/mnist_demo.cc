// The demo: ASCII digits and MNIST through FP32 and INT8 programs, on an emulated microcontroller, with every byte and
// instruction accounted for. Prints a report and leaves it as report.txt and report.json.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>

#include "files/array.h"
#include "files/failure.h"
#include "files/files.h"
#include "files/npy.h"
#include "mnist/report.h"

namespace wick::demo {
namespace {

namespace fs = std::filesystem;
using host::fail;
using host::text;

struct Options {
  fs::path models, glyphs, goldens, out = "build/demo";
  std::string target = "cortex-m33";
};

void progress(const std::string& line) {
  if (isatty(STDERR_FILENO)) std::cerr << "\r\033[K" << line << std::flush;
}

// Whether the hand-weighted model's answers are those that ExecuTorch gave.
std::string compare_with_executorch(const ModelFigures& m, const fs::path& folder, size_t first_glyph) {
  std::string out;
  for (const auto& [kind, figures] : {std::pair("float", &m.fp32), std::pair("int8", &m.int8)}) {
    double worst = 0;
    std::string says;
    for (size_t i = 0; i < 4; ++i) {
      const host::Array truth = host::read_npy(folder / text(kind, "_", i, "_0.npy"));
      const DigitResult& digit = figures->digits[first_glyph + i];
      for (size_t k = 0; k < digit.scores.size(); ++k) {
        worst = std::max(worst, std::abs(static_cast<double>(digit.scores[k]) - element(truth, k)));
      }
      says += (says.empty() ? "" : ", ") + std::to_string(digit.says);
    }
    out += text(out.empty() ? "" : "\n", "ExecuTorch's own answers to its four glyphs, ", kind, ": ",
                worst == 0 ? "reproduced exactly" : text("differ by at most ", worst), " (", says, ")");
  }
  return out + ".\nThe weights were written by hand: that it takes 0 and 1 for 4 is the model's doing, there as here.";
}

class Demo {
 public:
  explicit Demo(const Options& options) : options_(options), seed_(options.goldens / "external/seed-mlp") {}

  int operator()() {
    load_pictures();
    say(text(
        "MNIST on a microcontroller, FP32 beside INT8\n\n", "Figures per inference are ",
        options_.target == "host" ? "nanoseconds of this machine" : "instructions of an emulated " + options_.target,
        options_.target == "host" ? "" : "; they are no cycles and no time, which need the board",
        ". Accuracy is measured on the host, whose\narithmetic is the target's.\n\n", drawings(glyphs_)));
    if (has_seed_) model("ExecuTorch's hand-weighted MLP 784-32-16-10", seed_, true);
    model("Trained MLP 784-32-16-10", options_.models / "mlp", false);
    model("Trained CNN", options_.models / "mnist_cnn", false);
    if (!has_seed_) say("ExecuTorch's hand-weighted model is not here; the other two are what there is to show.\n\n");
    finish();
    return 0;
  }

 private:
  void load_pictures() {
    glyphs_ = read_glyphs(options_.glyphs, "ours");
    has_seed_ = !options_.goldens.empty() && fs::exists(seed_ / "float.pte");
    seed_glyph_ = glyphs_.size();
    if (has_seed_) {
      for (Picture& p : read_seed_glyphs(seed_, "ExecuTorch's")) glyphs_.push_back(std::move(p));
    }
    test_ = read_mnist(options_.models / "mnist/test-images-idx3-ubyte.gz",
                       options_.models / "mnist/test-labels-idx1-ubyte.gz");
    image_bytes_ = host::runner_flash_bytes(options_.target);
  }

  void model(const std::string& title, const fs::path& folder, bool is_seed) {
    progress(text(title, ": FP32 ..."));
    ModelFigures m{title, "", measure(folder / "float.pte", options_.target, glyphs_, test_), {}};
    progress(text(title, ": INT8 ..."));
    m.int8 = measure(folder / "int8.pte", options_.target, glyphs_, test_);
    progress("");
    if (is_seed) m.remark = compare_with_executorch(m, seed_, seed_glyph_);
    say(model_report(m, options_.target, glyphs_, test_, image_bytes_));
    json_["models"].push_back(model_json(m, glyphs_, test_, image_bytes_));
  }

  void say(const std::string& paragraph) {
    std::cout << paragraph << std::flush;
    report_ += paragraph;
  }

  void finish() {
    json_["target"] = options_.target;
    fs::create_directories(options_.out);
    host::write_file(options_.out / "report.txt", report_);
    host::write_file(options_.out / "report.json", json_.dump(2) + "\n");
    std::cout << "This report: " << fs::absolute(options_.out / "report.txt").lexically_normal().string()
              << " (every figure: report.json beside it)\n";
  }

  const Options& options_;
  fs::path seed_;
  bool has_seed_ = false;
  size_t seed_glyph_ = 0;
  std::vector<Picture> glyphs_, test_;
  std::optional<uint64_t> image_bytes_;
  std::string report_;
  nlohmann::ordered_json json_ = {{"target", ""}, {"models", nlohmann::ordered_json::array()}};
};

}  // namespace
}  // namespace wick::demo

int main(int argc, char** argv) {
  wick::demo::Options options;
  CLI::App app("MNIST digits through FP32 and INT8 programs on an emulated microcontroller", "mnist_demo");
  app.add_option("--models", options.models, "Folder with mlp/, mnist_cnn/ and mnist/")->required()->type_name("DIR");
  app.add_option("--glyphs", options.glyphs, "Folder with 0.txt to 9.txt")->required()->type_name("DIR");
  app.add_option("--goldens", options.goldens, "Folder with external/seed-mlp, shown when it is there")
      ->type_name("DIR");
  app.add_option("--target", options.target, "host or an emulated core")->capture_default_str()->type_name("TARGET");
  app.add_option("--out", options.out, "Where the report goes")->capture_default_str()->type_name("DIR");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    return wick::demo::Demo(options)();
  } catch (const std::exception& error) {
    std::cerr << "mnist_demo: " << error.what() << "\n";
    return 1;
  }
}
