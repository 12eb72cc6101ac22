#include "mnist/digits.h"

#include <cstring>

#include "files/failure.h"
#include "files/files.h"
#include "files/idx.h"
#include "files/npy.h"

namespace wick::demo {

namespace fs = std::filesystem;
using files::fail;
using files::text;

int Picture::ink() const {
  int count = 0;
  for (const float p : pixels) count += p > 0.5f ? 1 : 0;
  return count;
}

std::vector<std::string> Picture::lines() const {
  std::vector<std::string> out;
  for (int y = 0; y < kSide; ++y) {
    std::string line;
    for (int x = 0; x < kSide; ++x) line += pixels[static_cast<size_t>(y * kSide + x)] > 0.5f ? '#' : '.';
    out.push_back(line);
  }
  return out;
}

std::vector<Picture> read_glyphs(const fs::path& folder, const std::string& set) {
  std::vector<Picture> out;
  for (int digit = 0; digit < 10; ++digit) {
    const fs::path path = folder / text(digit, ".txt");
    if (!fs::exists(path)) continue;
    Picture& picture = out.emplace_back(Picture{set, digit, {}});
    int column = 0, lines = 0;
    for (const uint8_t c : files::read_file(path)) {
      if (c == '\r') continue;
      if (c != '\n') {
        picture.pixels.push_back(c == '#' ? 1.0f : 0.0f);
        ++column;
        continue;
      }
      ++lines;
      if (column != kSide) fail(path.string(), ": line ", lines, " has ", column, " characters, expected ", kSide);
      column = 0;
    }
    if (lines != kSide || column != 0) fail(path.string(), ": has ", lines, " lines, expected ", kSide);
  }
  if (out.empty()) fail(folder.string(), ": has no glyphs (0.txt to 9.txt)");
  return out;
}

std::vector<Picture> read_seed_glyphs(const fs::path& folder, const std::string& set) {
  constexpr int kDigits[] = {0, 1, 4, 7};
  std::vector<Picture> out;
  for (int i = 0; i < 4; ++i) {
    const fs::path path = folder / text("in_", i, "_0.npy");
    const files::Array array = files::read_npy(path);
    if (array.dtype != DType::kFloat32 || array.bytes.size() != kPixels * sizeof(float)) {
      fail(path.string(), ": is not a picture of 28x28 float32");
    }
    Picture& picture = out.emplace_back(Picture{set, kDigits[i], std::vector<float>(kPixels)});
    std::memcpy(picture.pixels.data(), array.bytes.data(), array.bytes.size());
  }
  return out;
}

std::vector<Picture> read_mnist(const fs::path& images, const fs::path& labels) {
  const files::Array pixels = files::read_idx(images), digits = files::read_idx(labels);
  if (pixels.sizes.size() != 3 || pixels.sizes[1] != kSide || pixels.sizes[2] != kSide || digits.sizes.size() != 1 ||
      digits.sizes[0] != pixels.sizes[0]) {
    fail(images.string(), ": does not hold 28x28 pictures, or not as many as ", labels.string(), " has labels");
  }
  std::vector<Picture> out(digits.bytes.size());
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].digit = digits.bytes[i];
    out[i].pixels.resize(kPixels);
    for (size_t p = 0; p < kPixels; ++p) out[i].pixels[p] = static_cast<float>(pixels.bytes[i * kPixels + p]) / 255.0f;
  }
  return out;
}

}  // namespace wick::demo
