#include "files/samples.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <optional>
#include <sstream>

#include "files/failure.h"
#include "files/idx.h"
#include "files/npy.h"
#include "files/zip.h"

namespace wick::files {

namespace {

namespace fs = std::filesystem;
using Samples = std::vector<std::vector<Array>>;

struct Named {
  std::string name;  // without ".npy"
  Array array;
};

// "12_3" as sample 12, input 3.
std::optional<std::pair<size_t, size_t>> sample_input(const std::string& name) {
  const size_t line = name.find('_');
  const auto number = [](const std::string& digits) {
    return !digits.empty() && digits.size() < 9 &&
           std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  };
  if (line == std::string::npos || !number(name.substr(0, line)) || !number(name.substr(line + 1))) return std::nullopt;
  return std::pair{std::stoul(name.substr(0, line)), std::stoul(name.substr(line + 1))};
}

// File names as people count: 2 before 10.
bool natural_less(const std::string& a, const std::string& b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (std::isdigit(static_cast<unsigned char>(a[i])) && std::isdigit(static_cast<unsigned char>(b[j]))) {
      size_t i_end = i, j_end = j;
      while (i_end < a.size() && std::isdigit(static_cast<unsigned char>(a[i_end]))) ++i_end;
      while (j_end < b.size() && std::isdigit(static_cast<unsigned char>(b[j_end]))) ++j_end;
      while (i < i_end - 1 && a[i] == '0') ++i;
      while (j < j_end - 1 && b[j] == '0') ++j;
      if (i_end - i != j_end - j) return i_end - i < j_end - j;
      const int order = a.compare(i, i_end - i, b, j, j_end - j);
      if (order != 0) return order < 0;
      i = i_end;
      j = j_end;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i, ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

// Sizes without the ones: [1, 28, 28] and [28, 28] hold the same sample.
std::vector<int32_t> squeezed(std::span<const int32_t> sizes) {
  std::vector<int32_t> out;
  std::copy_if(sizes.begin(), sizes.end(), std::back_inserter(out), [](int32_t size) { return size != 1; });
  return out;
}

class Reader {
 public:
  Reader(const fs::path& path, std::span<const InputType> inputs, size_t limit)
      : name_(path.string()), inputs_(inputs), limit_(limit) {}

  Samples from(std::vector<Named> arrays, bool whole_samples) {
    if (arrays.empty()) fail(name_, ": holds no arrays");
    const bool numbered = std::all_of(arrays.begin(), arrays.end(),
                                      [](const Named& named) { return sample_input(named.name).has_value(); });
    if (numbered) return from_numbered(std::move(arrays));
    if (whole_samples) return from_whole(std::move(arrays));
    return from_stacked(std::move(arrays));
  }

  // Slices along the first axis.
  std::vector<Array> slices(const Named& named, size_t input) const {
    const InputType& type = inputs_[input];
    const std::vector<int32_t>& sizes = named.array.sizes;
    if (sizes.empty() || squeezed({sizes.begin() + 1, sizes.end()}) != squeezed(type.sizes)) {
      fail(name_, ": array ", named.name, " is ", describe(named.array), ", expected a leading sample axis and then ",
           describe(type.dtype, type.sizes), " for input ", type.name);
    }
    const size_t count = static_cast<size_t>(sizes[0]);
    const size_t bytes = count == 0 ? 0 : named.array.bytes.size() / count;
    std::vector<Array> out;
    for (size_t i = 0; i < count && (limit_ == 0 || i < limit_); ++i) {
      const auto begin = named.array.bytes.begin() + static_cast<std::ptrdiff_t>(i * bytes);
      Array slice{named.array.dtype, type.sizes, {begin, begin + static_cast<std::ptrdiff_t>(bytes)}};
      out.push_back(fitted(std::move(slice), input, named.name));
    }
    return out;
  }

  bool fits_whole(const Array& array, size_t input) const {
    return squeezed(array.sizes) == squeezed(inputs_[input].sizes);
  }

 private:
  // The sample as the input's dtype and sizes.
  Array fitted(Array array, size_t input, const std::string& array_name) const {
    const InputType& type = inputs_[input];
    if (!fits_whole(array, input)) {
      fail(name_, ": array ", array_name, " is ", describe(array), ", expected ", describe(type.dtype, type.sizes),
           " for input ", type.name);
    }
    array.sizes = type.sizes;
    if (array.dtype == DType::kFloat64 && type.dtype == DType::kFloat32) {
      Array narrow{DType::kFloat32, type.sizes, std::vector<uint8_t>(element_count(array) * sizeof(float))};
      for (uint64_t i = 0; i < element_count(array); ++i) {
        const float value = static_cast<float>(element(array, i));
        std::memcpy(narrow.bytes.data() + i * sizeof(float), &value, sizeof(float));
      }
      return narrow;
    }
    if (array.dtype != type.dtype) {
      fail(name_, ": array ", array_name, " holds ", dtype_name(array.dtype), ", but input ", type.name, " takes ",
           dtype_name(type.dtype));
    }
    return array;
  }

  Samples from_numbered(std::vector<Named> arrays) const {
    std::map<size_t, std::vector<Array>> samples;
    std::map<size_t, std::vector<bool>> given;
    for (Named& named : arrays) {
      const auto [sample, input] = *sample_input(named.name);
      if (input >= inputs_.size()) {
        fail(name_, ": array ", named.name, " is for input ", input, ", but the model has ", inputs_.size());
      }
      samples[sample].resize(inputs_.size());
      given[sample].resize(inputs_.size());
      samples[sample][input] = fitted(std::move(named.array), input, named.name);
      given[sample][input] = true;
    }
    Samples out;
    for (auto& [sample, values] : samples) {
      const auto missing = std::find(given[sample].begin(), given[sample].end(), false);
      if (missing != given[sample].end()) {
        fail(name_, ": sample ", sample, " has no array ", sample, "_", missing - given[sample].begin());
      }
      if (limit_ == 0 || out.size() < limit_) out.push_back(std::move(values));
    }
    return out;
  }

  Samples from_whole(std::vector<Named> arrays) const {
    if (inputs_.size() != 1) {
      fail(name_, ": the model has ", inputs_.size(), " inputs, so the files must be named SAMPLE_INPUT.npy (0_0.npy)");
    }
    Samples out;
    for (Named& named : arrays) {
      if (limit_ != 0 && out.size() == limit_) break;
      out.push_back({fitted(std::move(named.array), 0, named.name)});
    }
    return out;
  }

  Samples from_stacked(std::vector<Named> arrays) const {
    if (arrays.size() != inputs_.size()) {
      fail(name_, ": holds ", arrays.size(), " arrays; expected one per input with a leading sample axis (",
           inputs_.size(), "), or arrays named SAMPLE_INPUT (0_0)");
    }
    Samples out;
    for (size_t input = 0; input < inputs_.size(); ++input) {
      const auto same = std::find_if(arrays.begin(), arrays.end(),
                                     [&](const Named& named) { return named.name == inputs_[input].name; });
      const Named& named = same == arrays.end() ? arrays[input] : *same;
      std::vector<Array> column = slices(named, input);
      if (input == 0) out.resize(column.size());
      if (column.size() != out.size()) {
        fail(name_, ": array ", named.name, " has ", column.size(), " samples, the first one ", out.size());
      }
      for (size_t i = 0; i < column.size(); ++i) out[i].push_back(std::move(column[i]));
    }
    return out;
  }

  std::string name_;
  std::span<const InputType> inputs_;
  size_t limit_;
};

std::string without_npy(const std::string& name) {
  return name.ends_with(".npy") ? name.substr(0, name.size() - 4) : name;
}

std::vector<Named> read_npz(const fs::path& path) {
  const ZipReader zip(path);
  std::vector<Named> arrays;
  for (const std::string& entry : zip.entries()) {
    arrays.push_back({without_npy(entry), parse_npy(zip.read(entry), path.string() + ", " + entry)});
  }
  return arrays;
}

std::vector<Named> read_folder(const fs::path& path) {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(path)) {
    if (file.path().extension() == ".npy") files.push_back(file.path());
  }
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return natural_less(a.filename().string(), b.filename().string());
  });
  if (files.empty()) fail(path.string(), ": holds no .npy files");
  std::vector<Named> arrays;
  for (const fs::path& file : files) arrays.push_back({file.stem().string(), read_npy(file)});
  return arrays;
}

// Bytes as numbers from 0 to 1.
Array scaled(const Array& bytes) {
  Array out{DType::kFloat32, bytes.sizes, std::vector<uint8_t>(bytes.bytes.size() * sizeof(float))};
  for (size_t i = 0; i < bytes.bytes.size(); ++i) {
    const float value = static_cast<float>(bytes.bytes[i]) / 255.0f;
    std::memcpy(out.bytes.data() + i * sizeof(float), &value, sizeof(float));
  }
  return out;
}

bool starts_like(const fs::path& path, std::string_view magic) {
  const Bytes bytes = read_file(path);
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

}  // namespace

std::vector<std::vector<Array>> read_samples(const fs::path& path, std::span<const InputType> inputs, size_t limit) {
  Reader reader(path, inputs, limit);
  if (fs::is_directory(path)) return reader.from(read_folder(path), true);
  if (starts_like(path, "PK")) return reader.from(read_npz(path), false);
  if (inputs.size() != 1) {
    fail(path.string(), ": holds one array, but the model has ", inputs.size(),
         " inputs: use an .npz file or a folder");
  }
  Named named{path.filename().string(), {}};
  if (starts_like(path, "\x93NUMPY")) {
    named.array = read_npy(path);
    if (reader.fits_whole(named.array, 0)) return reader.from({{"0_0", std::move(named.array)}}, true);
  } else {
    named.array = read_idx(path);
    if (inputs[0].dtype == DType::kFloat32) {
      // Scaling all of a large set to keep a few is waste.
      if (limit != 0 && !named.array.sizes.empty() && static_cast<size_t>(named.array.sizes[0]) > limit) {
        named.array.bytes.resize(named.array.bytes.size() / static_cast<size_t>(named.array.sizes[0]) * limit);
        named.array.sizes[0] = static_cast<int32_t>(limit);
      }
      named.array = scaled(named.array);
    }
    // Pictures come as [samples, height, width]; a model may take them flat.
    const InputType& type = inputs[0];
    const std::optional<uint64_t> bytes = array_bytes(type.dtype, type.sizes);
    const bool flat = !named.array.sizes.empty() && named.array.sizes[0] > 0 && bytes &&
                      named.array.bytes.size() == *bytes * static_cast<uint64_t>(named.array.sizes[0]);
    if (flat) {
      named.array.sizes.resize(1);
      named.array.sizes.insert(named.array.sizes.end(), type.sizes.begin(), type.sizes.end());
    }
  }
  std::vector<std::vector<Array>> samples;
  for (Array& slice : reader.slices(named, 0)) samples.push_back({std::move(slice)});
  return samples;
}

std::vector<int64_t> read_labels(const fs::path& path) {
  const Bytes bytes = read_file(path);
  std::vector<int64_t> labels;
  const bool text_file =
      std::all_of(bytes.begin(), bytes.end(), [](uint8_t c) { return std::isspace(c) || std::isdigit(c); });
  if (text_file) {
    std::istringstream in(std::string(bytes.begin(), bytes.end()));
    for (int64_t label = 0; in >> label;) labels.push_back(label);
    if (labels.empty()) fail(path.string(), ": holds no labels");
    return labels;
  }
  const Array array = is_npy(bytes) ? parse_npy(bytes, path.string()) : read_idx(path);
  if (squeezed(array.sizes).size() > 1 || array.dtype == DType::kFloat32 || array.dtype == DType::kFloat64) {
    fail(path.string(), ": holds ", describe(array), ", expected one whole number a sample");
  }
  for (uint64_t i = 0; i < element_count(array); ++i) labels.push_back(static_cast<int64_t>(element(array, i)));
  return labels;
}

}  // namespace wick::files
