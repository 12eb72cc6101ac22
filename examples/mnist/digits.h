// The pictures that the demo shows: glyphs drawn as text, glyphs that came with another demo, and MNIST's test digits.
// Knows their files; refuses to know models.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace wick::demo {

inline constexpr int kSide = 28;
inline constexpr int kPixels = kSide * kSide;

struct Picture {
  std::string set;  // where it comes from
  int digit = 0;    // what it shows
  std::vector<float> pixels;
  int ink() const;
  // 28 lines of '#' and '.'.
  std::vector<std::string> lines() const;
};

// Every N.txt of a folder, by digit.
std::vector<Picture> read_glyphs(const std::filesystem::path& folder, const std::string& set);
// in_I_0.npy of the hand-weighted demo model: 0, 1, 4, 7.
std::vector<Picture> read_seed_glyphs(const std::filesystem::path& folder, const std::string& set);
std::vector<Picture> read_mnist(const std::filesystem::path& images, const std::filesystem::path& labels);

}  // namespace wick::demo
