#include "golden/golden_case.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "files/failure.h"
#include "files/npy.h"
#include "host/bundled_program.h"

namespace wick::golden {

namespace {

namespace fs = std::filesystem;
using host::Array;
using host::text;
using Json = nlohmann::json;

struct Walk {
  const Selection& selection;
  void (*use)(const GoldenCase&, void*);
  void* context;

  bool wants(const GoldenCase& c) const {
    return text(c.folder, "/", c.name, " ", c.kind).find(selection.filter) != std::string::npos;
  }
  bool full(size_t calls) const { return selection.max_samples != 0 && calls >= selection.max_samples; }
};

Json read_json(const fs::path& path) {
  const host::Bytes bytes = host::read_file(path);
  return Json::parse(bytes.begin(), bytes.end());
}

double number_of(const Json& j, const char* key) {
  return j.contains(key) && j[key].is_number() ? j[key].get<double>() : 0;
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// prefix_I_0.npy, prefix_I_1.npy, ... as long as there are any.
std::vector<Array> arrays(const fs::path& folder, const std::string& prefix, size_t sample) {
  std::vector<Array> out;
  for (size_t k = 0;; ++k) {
    const fs::path path = folder / text(prefix, "_", sample, "_", k, ".npy");
    if (!fs::exists(path)) return out;
    out.push_back(host::read_npy(path));
  }
}

// One program of an exported case. Inputs lie with the case of the same name in `inputs_folder`.
void exported_program(const Walk& walk, const fs::path& folder, const fs::path& inputs_folder, const std::string& file,
                      const std::string& truth, const fs::path& truth_folder, GoldenCase c, size_t samples) {
  if (!fs::exists(folder / file) || !walk.wants(c)) return;
  c.program = host::read_file(folder / file);
  for (size_t i = 0; i < samples && !walk.full(i); ++i) {
    GoldenCall call;
    call.inputs = arrays(inputs_folder, "in", i);
    call.outputs = arrays(truth_folder, truth, i);
    if (call.outputs.empty()) break;
    c.calls.push_back(std::move(call));
  }
  // Where ExecuTorch cannot run its own program there is no truth to compare with.
  if (!c.calls.empty()) walk.use(c, walk.context);
}

// et-1.3.1, et-1.4.1, et-1.5.1 and seed-mlp. `inputs` is the release whose case of that name has inputs and float
// outputs.
void exported_case(const Walk& walk, const fs::path& folder, const fs::path& inputs, const std::string& release) {
  const Json j = read_json(folder / "case.json");
  GoldenCase c;
  c.folder = release;
  c.name = folder.filename();
  const std::string group = j.value("group", "model");
  const size_t samples = j.value("samples", size_t{1});

  c.kind = group + " float";
  c.nearness = {1e-5, std::max(number_of(j, "float_pte_max_abs_error"),
                               fs::exists(inputs / "case.json")
                                   ? number_of(read_json(inputs / "case.json"), "float_pte_max_abs_error")
                                   : 0)};
  exported_program(walk, folder, inputs, "float.pte", "float", inputs, c, samples);
  // Where ExecuTorch is wrong, the truth is PyTorch's simulation in floating point, which int8_atol (half a step) holds
  // operators to. After several layers integers may round to the next step, as ExecuTorch's do in models where it is
  // right (int8_steps_from_quantized_model).
  const double steps = group == "model" ? 2.0 : 1.0;
  c.nearness = j.value("executorch_wrong", false) ? Nearness{0, steps * number_of(j, "int8_atol")} : Nearness{1e-6, 0};
  c.kind = group + " int8";
  // ExecuTorch 1.3.1 loses the bias of its own linear layers (it lies in kernel_sum, which its kernel did not read
  // there). The programs are the same as 1.4.1's, whose outputs are right.
  const Json operators = j.value("files", Json::object()).value("int8.pte", Json::object());
  const bool loses_bias =
      release == "et-1.3.1" && operators.is_object() && operators.contains("cortex_m::quantized_linear.out");
  exported_program(walk, folder, inputs, "int8.pte", "int8", loses_bias ? inputs : folder, c, samples);
  c.kind = group + " int8_nhwc";
  exported_program(walk, folder, inputs, "int8_nhwc.pte", "int8", folder, c, samples);
}

void recipe_case(const Walk& walk, const fs::path& folder) {
  GoldenCase c;
  c.folder = "et-1.5.1-recipes";
  c.name = folder.filename();
  c.kind = "recipe float";
  c.nearness = {1e-5, 0};
  exported_program(walk, folder, folder, "float.pte", "float", folder, c, 1);
  c.kind = "recipe int8";
  c.nearness = {1e-6, 0};
  exported_program(walk, folder, folder, "int8.pte", "int8", folder, c, 1);
}

void special_case(const Walk& walk, const fs::path& folder) {
  GoldenCase c;
  c.folder = "special";
  c.kind = "special";
  c.name = folder.filename();
  if (!walk.wants(c)) return;
  const Json j = read_json(folder / "case.json");
  // A half-precision result may be the neighbour of ExecuTorch's.
  c.nearness = {c.name == "float16" ? 1e-3 : 1e-5, 0};
  if (c.name == "xnnpack_delegate") c.error_contains = "XnnpackBackend";
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".ptd") c.data = host::read_file(entry.path());
    if (entry.path().stem() == "program") c.program = host::read_file(entry.path());
  }
  if (host::is_bundled_program(c.program)) c.program = host::read_bundled_program(c.program, c.name).program;
  const Json calls = j.value("calls", Json::array());
  const size_t count = calls.empty() ? (fs::exists(folder / "in_1_0.npy") ? 2 : 1) : calls.size();
  for (size_t i = 0; i < count; ++i) {
    GoldenCall call;
    if (!calls.empty()) call.method = calls[i].value("method", "forward");
    call.inputs = arrays(folder, "in", i);
    call.outputs = arrays(folder, "out", i);
    c.calls.push_back(std::move(call));
  }
  walk.use(c, walk.context);
  if (c.name == "dynamic_batch") {
    // One row more than the upper bound of 8.
    c.kind = "special, refused";
    c.error_contains = "upper bound";
    c.calls.resize(1);
    c.calls[0].inputs = {Array{DType::kFloat32, {9, 5}, std::vector<uint8_t>(9 * 5 * 4)}};
    walk.use(c, walk.context);
  }
}

Array floats(std::vector<int32_t> sizes, const std::vector<float>& values) {
  Array array{DType::kFloat32, std::move(sizes), std::vector<uint8_t>(values.size() * sizeof(float))};
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

// ExecuTorch's keyword spotting program: quantized outputs for ten spoken words.
struct Word {
  const char* name;
  int8_t scores[12];
};
constexpr Word kWords[] = {
    {"yes", {-38, -47, 81, 9, -32, -19, 18, -37, -73, 20, -12, -23}},
    {"no", {-29, -32, 6, 54, -13, 22, -9, -26, -22, -19, 4, 9}},
    {"up", {-23, -26, -26, -12, 53, 1, -8, -5, 16, 22, -2, 24}},
    {"down", {-34, -40, -18, -6, -11, 86, -34, -20, 5, -39, 21, 10}},
    {"left", {-27, -33, 2, 30, -17, -38, 74, 22, -25, 5, -9, -45}},
    {"right", {-24, -28, -38, -8, 5, 7, 3, 71, 52, -12, -10, -36}},
    {"on", {-37, -42, -68, -16, -3, 25, -43, 12, 101, 23, -14, -25}},
    {"off", {-29, -36, -18, -32, 34, -29, -15, -35, 30, 75, 9, 1}},
    {"stop", {-35, -40, -21, -23, -5, -8, -17, -28, -14, 11, 79, -22}},
    {"go", {-39, -43, -42, 25, -5, 17, -44, -23, -20, -13, -8, 85}},
};

void keyword_case(const Walk& walk, const fs::path& folder) {
  GoldenCase c{.folder = "executorch-kws",
               .kind = "ten words",
               .name = "kws_int8",
               .program = {},
               .data = {},
               .calls = {},
               .nearness = {1e-6, 0},
               .error_contains = ""};
  if (!walk.wants(c)) return;
  c.program = host::read_file(folder / "kws_int8.pte");
  for (const Word& word : kWords) {
    if (walk.full(c.calls.size())) break;
    GoldenCall call;
    const fs::path path = folder / text(word.name, ".f32");
    call.inputs = {host::read_array(path, DType::kFloat32, {1, 1, 49, 10})};
    std::vector<float> scores;
    for (const int8_t q : word.scores) scores.push_back(static_cast<float>(q - 23) * 0.154293164611f);
    call.outputs = {floats({1, 12}, scores)};
    c.calls.push_back(std::move(call));
  }
  walk.use(c, walk.context);
}

// Bundled programs hold their own truth.
void bundled_case(const Walk& walk, const fs::path& path, const std::string& folder) {
  GoldenCase c;
  c.folder = folder;
  c.kind = "own test cases";
  c.name = path.stem();
  if (!walk.wants(c)) return;
  const host::BundledProgram bundle = host::read_bundled_program(host::read_file(path), path.string());
  c.program = bundle.program;
  c.nearness = {1e-5, 0};
  for (const host::BundledCase& test : bundle.cases) {
    GoldenCall call;
    call.method = test.method;
    for (const auto& v : test.inputs) call.inputs.push_back(to_logical_order(std::get<Array>(v.value), v.dim_order));
    for (const auto& v : test.expected) call.outputs.push_back(to_logical_order(std::get<Array>(v.value), v.dim_order));
    c.calls.push_back(std::move(call));
  }
  walk.use(c, walk.context);
}

// Programs whose names say what they compute; of inline_constants only that it runs is known.
void small_cases(const Walk& walk, const fs::path& folder) {
  const auto use = [&](const char* name, std::vector<Array> inputs, std::vector<Array> outputs) {
    GoldenCase c;
    c.folder = "executorch-small";
    c.kind = "by name";
    c.name = name;
    if (!walk.wants(c)) return;
    c.program = host::read_file(folder / (c.name + ".pte"));
    GoldenCall& call = c.calls.emplace_back();
    call.inputs = std::move(inputs);
    call.outputs = std::move(outputs);
    walk.use(c, walk.context);
  };
  use("add_one", {floats({3}, {1, -2, 3.5})}, {floats({3}, {2, -1, 4.5})});
  use("add_two_inputs", {floats({1}, {2.25}), floats({1}, {-5})}, {floats({1}, {-2.75})});
  use("inline_constants", {floats({2, 2}, {1, 2, 3, 4})}, {});
  bundled_case(walk, folder / "bundled_program.bpte", "executorch-small");
}

}  // namespace

std::vector<std::string> for_each_case(const fs::path& root, const Selection& selection,
                                       void (*use)(const GoldenCase&, void*), void* context) {
  const Walk walk{selection, use, context};
  std::vector<std::string> absent;
  const auto present = [&](const fs::path& path) {
    if (fs::exists(path)) return true;
    absent.push_back(path.filename());
    return false;
  };
  const fs::path generated = root / "generated", external = root / "external";
  for (const char* release : {"et-1.4.1", "et-1.5.1", "et-1.3.1"}) {
    if (!present(generated / release)) continue;
    for (const fs::path& folder : folders_in(generated / release)) {
      exported_case(walk, folder, generated / "et-1.4.1" / folder.filename(), release);
    }
  }
  if (present(generated / "special")) {
    for (const fs::path& folder : folders_in(generated / "special")) special_case(walk, folder);
    if (const fs::path bundle = generated / "special/bundled_program/program.bpte"; fs::exists(bundle)) {
      bundled_case(walk, bundle, "special");
    }
  }
  if (present(generated / "et-1.5.1-recipes")) {
    for (const fs::path& folder : folders_in(generated / "et-1.5.1-recipes")) recipe_case(walk, folder);
  }
  if (present(external / "seed-mlp")) exported_case(walk, external / "seed-mlp", external / "seed-mlp", "seed-mlp");
  if (present(external / "executorch-kws")) keyword_case(walk, external / "executorch-kws");
  if (present(external / "executorch-small")) small_cases(walk, external / "executorch-small");
  return absent;
}

}  // namespace wick::golden
