// The demo on a board: four digits, drawn, through every program of the image, with scores and times; then the programs
// side by side. Knows pictures of 28x28 and ten scores; refuses to know where the programs come from.
#include "apps/support/model.h"
#include "apps/support/print.h"
#include "frames.h"
#include "platform.h"
#include "stopwatch.h"

// glyphs.S: for each digit 28 lines of 28 characters and a newline.
extern "C" const char wick_glyphs[];

namespace wick::apps {
namespace {

constexpr uint32_t kSide = 28, kPixels = kSide * kSide, kGlyphBytes = kSide * (kSide + 1), kClasses = 10;
constexpr uint32_t kDigits[] = {0, 1, 4, 7};
constexpr uint32_t kGlyphs = 4, kMaxModels = 4;

struct Tally {
  uint32_t right = 0;
  Duration least = {0xFFFFFFFF, 0xFFFFFFFF}, sum = {}, most = {};
  uint32_t says[kGlyphs] = {};
};

Model models[kMaxModels];
Tally tallies[kMaxModels];
float pixels[kPixels];
char drawing[kGlyphBytes + 1];

// Draws a glyph and reads its pixels. Returns how many are set.
uint32_t show(uint32_t glyph) {
  const char* text = wick_glyphs + glyph * kGlyphBytes;
  uint32_t set = 0;
  for (uint32_t y = 0; y < kSide; ++y) {
    for (uint32_t x = 0; x < kSide; ++x) {
      const bool ink = text[y * (kSide + 1) + x] == '#';
      pixels[y * kSide + x] = ink ? 1.0f : 0.0f;
      set += ink ? 1 : 0;
    }
  }
  for (uint32_t i = 0; i < kGlyphBytes; ++i) drawing[i] = text[i];
  print("\nDigit ", kDigits[glyph], ", ", set, " of ", kPixels, " pixels set\n");
  board::say(drawing);
  return set;
}

void judge(uint32_t index, uint32_t glyph) {
  Model& model = models[index];
  Tally& tally = tallies[index];
  model.set_input(0, pixels, sizeof(pixels));
  const Duration time = model.run();
  const float* scores = model.method().output(0).tensor.as<float>();
  uint32_t best = 0;
  for (uint32_t i = 1; i < kClasses; ++i) best = scores[i] > scores[best] ? i : best;

  print("  ", model.embedded().kind, " scores");
  for (uint32_t i = 0; i < kClasses; ++i) print(" ", i, ":", Fixed{scores[i], 3});
  print("\n  ", model.embedded().kind, " says ", best, best == kDigits[glyph] ? " (right)" : " (wrong)", ", ",
        time.microseconds, " us, ", time.cycles, " cycles, CRC-32 of the scores ",
        Hex{frames::crc32(0, scores, kClasses * sizeof(float))}, "\n");

  tally.says[glyph] = best;
  tally.right += best == kDigits[glyph] ? 1 : 0;
  tally.sum = {tally.sum.microseconds + time.microseconds, tally.sum.cycles + time.cycles};
  if (time.cycles < tally.least.cycles) tally.least = time;
  if (time.cycles >= tally.most.cycles) tally.most = time;
}

void check_signature(Model& model) {
  const Value in = model.method().input(0), out = model.method().output(0);
  const bool fits = model.method().input_count() == 1 && model.method().output_count() == 1 &&
                    in.kind == Value::Kind::kTensor && out.kind == Value::Kind::kTensor &&
                    in.tensor.dtype == DType::kFloat32 && in.tensor.numel() == kPixels &&
                    out.tensor.dtype == DType::kFloat32 && out.tensor.numel() == kClasses;
  if (!fits) give_up(model.embedded().name, "does not take 784 float32 pixels and give ten float32 scores");
}

void print_summary(const runner::Pool& pool) {
  print("\nSummary (", platform::kTimeNote, ")\n");
  print("        right  says        us least/mean/most     cycles least/mean/most    load us  program  arena\n");
  for (uint32_t i = 0; i < board::embedded_count; ++i) {
    const Tally& t = tallies[i];
    const Model& model = models[i];
    print("  ", Left{model.embedded().kind, 6}, t.right, " of ", kGlyphs);
    print("  ", t.says[0], " ", t.says[1], " ", t.says[2], " ", t.says[3], "  ");
    print(Right{t.least.microseconds, 8}, Right{t.sum.microseconds / kGlyphs, 8}, Right{t.most.microseconds, 8});
    print(Right{t.least.cycles, 9}, Right{t.sum.cycles / kGlyphs, 9}, Right{t.most.cycles, 9});
    print(Right{model.load_time().microseconds, 8}, Right{model.embedded().bytes, 9},
          Right{static_cast<uint32_t>(model.memory().arena_bytes()), 7}, "\n");
  }
  if (board::embedded_count >= 2 && tallies[1].sum.cycles > 0) {
    print("  ", models[1].embedded().kind, " takes ",
          Fixed{static_cast<float>(tallies[1].sum.cycles) / static_cast<float>(tallies[0].sum.cycles) * 100.0f, 1},
          " % of the time of ", models[0].embedded().kind, "\n");
  }
  print_memory(pool);
}

}  // namespace
}  // namespace wick::apps

int main(int, char**) {
  using namespace wick;
  using namespace wick::apps;
  board::open_console();
  print_header("MNIST on wick");
  if (board::embedded_count > kMaxModels) give_up("image", "holds more programs than the demo can show");
  runner::Pool pool(platform::bulk_memory());
  for (uint32_t i = 0; i < board::embedded_count; ++i) {
    models[i].load(board::embedded[i], pool);
    check_signature(models[i]);
  }
  for (uint32_t glyph = 0; glyph < kGlyphs; ++glyph) {
    show(glyph);
    for (uint32_t i = 0; i < board::embedded_count; ++i) judge(i, glyph);
  }
  print_summary(pool);
  print("done\n");
  board::finish(true);
}
