#include "files/samples.h"

#include <doctest.h>
#include <zip.h>

#include <cstring>
#include <filesystem>

#include "files/failure.h"
#include "files/files.h"
#include "files/npy.h"

using namespace wick;
using namespace wick::files;

namespace {

namespace fs = std::filesystem;

Array floats(std::vector<int32_t> sizes, std::vector<float> values) {
  Array array{DType::kFloat32, std::move(sizes), std::vector<uint8_t>(values.size() * sizeof(float))};
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

// A folder of its own that goes away again.
struct Folder {
  Folder() : path(fs::temp_directory_path() / ("wick_samples_" + std::to_string(reinterpret_cast<uintptr_t>(this)))) {
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

void write_npz(const fs::path& path, const std::vector<std::pair<std::string, Array>>& arrays) {
  int code = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  REQUIRE(archive != nullptr);
  std::vector<Bytes> held;
  for (const auto& [name, array] : arrays) held.push_back(format_npy(array));
  for (size_t i = 0; i < arrays.size(); ++i) {
    zip_source_t* source = zip_source_buffer(archive, held[i].data(), held[i].size(), 0);
    REQUIRE(zip_file_add(archive, (arrays[i].first + ".npy").c_str(), source, 0) >= 0);
  }
  REQUIRE(zip_close(archive) == 0);
}

std::string failure_of(const fs::path& path, const std::vector<InputType>& inputs) {
  try {
    read_samples(path, inputs);
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "";
}

const InputType kX{"x", DType::kFloat32, {1, 2}};
const InputType kY{"y", DType::kFloat32, {1}};

}  // namespace

TEST_CASE("Samples come from an .npz with arrays by sample and input, in the order of their numbers") {
  Folder folder;
  const fs::path path = folder.path / "calib.npz";
  write_npz(path, {{"10_0", floats({1, 2}, {5, 6})},
                   {"10_1", floats({1}, {7})},
                   {"2_1", floats({1}, {3})},
                   {"2_0", floats({1, 2}, {1, 2})}});
  const auto samples = read_samples(path, std::vector{kX, kY});
  REQUIRE(samples.size() == 2);
  CHECK(element(samples[0][0], 1) == 2);
  CHECK(element(samples[0][1], 0) == 3);
  CHECK(element(samples[1][0], 0) == 5);
  CHECK(read_samples(path, std::vector{kX, kY}, 1).size() == 1);
  CHECK(failure_of(path, {kX}).find("array 10_1 is for input 1, but the model has 1") != std::string::npos);
}

TEST_CASE("Samples come from an .npz with one array per input, by name where names are known") {
  Folder folder;
  const fs::path path = folder.path / "calib.npz";
  write_npz(path, {{"y", floats({3, 1}, {7, 8, 9})}, {"x", floats({3, 2}, {1, 2, 3, 4, 5, 6})}});
  const auto samples = read_samples(path, std::vector{kX, kY});
  REQUIRE(samples.size() == 3);
  CHECK(samples[2][0].sizes == kX.sizes);
  CHECK(element(samples[2][0], 1) == 6);
  CHECK(element(samples[2][1], 0) == 9);
}

TEST_CASE("Samples come from a folder of .npy files in the order in which people count") {
  Folder folder;
  write_npy(folder.path / "s10.npy", floats({2}, {10, 0}));
  write_npy(folder.path / "s9.npy", floats({1, 1, 2}, {9, 0}));
  const auto samples = read_samples(folder.path, std::vector{kX});
  REQUIRE(samples.size() == 2);
  CHECK(element(samples[0][0], 0) == 9);
  CHECK(element(samples[1][0], 0) == 10);
  CHECK(failure_of(folder.path, {kX, kY}).find("SAMPLE_INPUT.npy") != std::string::npos);
}

TEST_CASE("Samples come from IDX pictures scaled to 0..1 and flattened as the model takes them") {
  Folder folder;
  const uint8_t idx[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 255, 51, 0};
  write_file(folder.path / "images", idx, sizeof(idx));
  const auto samples = read_samples(folder.path / "images", std::vector{kX});
  REQUIRE(samples.size() == 2);
  CHECK(element(samples[0][0], 1) == 1.0);
  CHECK(element(samples[1][0], 0) == doctest::Approx(0.2));
}

TEST_CASE("Samples of another size, type or number are refused with what was expected and found") {
  Folder folder;
  write_npy(folder.path / "x.npy", floats({4, 3}, std::vector<float>(12)));
  CHECK(failure_of(folder.path / "x.npy", {kX}).find("float32 [4, 3], expected a leading sample axis") !=
        std::string::npos);
  write_npz(folder.path / "gap.npz", {{"0_0", floats({1, 2}, {1, 2})}});
  CHECK(failure_of(folder.path / "gap.npz", {kX, kY}).find("sample 0 has no array 0_1") != std::string::npos);
  const InputType whole{"x", DType::kInt64, {1, 2}};
  CHECK(failure_of(folder.path / "gap.npz", {whole}).find("holds float32, but input x takes int64") !=
        std::string::npos);
  write_file(folder.path / "bad.npz", "PK nothing of a zip");
  CHECK(failure_of(folder.path / "bad.npz", {kX}).find("is not a zip archive") != std::string::npos);
}

TEST_CASE("Labels are read from text, .npy and IDX") {
  Folder folder;
  write_file(folder.path / "labels.txt", "3\n1\n2\n");
  CHECK(read_labels(folder.path / "labels.txt") == std::vector<int64_t>{3, 1, 2});
  const uint8_t idx[] = {0, 0, 8, 1, 0, 0, 0, 2, 7, 9};
  write_file(folder.path / "labels", idx, sizeof(idx));
  CHECK(read_labels(folder.path / "labels") == std::vector<int64_t>{7, 9});
  write_npy(folder.path / "f.npy", floats({2}, {1, 2}));
  CHECK_THROWS_AS(read_labels(folder.path / "f.npy"), Failure);
}
