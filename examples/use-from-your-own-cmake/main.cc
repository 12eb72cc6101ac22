// Loads the program that CMake has put into the image, runs it once, and says which output is the largest.
#include "console.h"
#include "model.h"
#include "runtime/method.h"
#include "runtime/program.h"

alignas(16) static unsigned char arena_memory[64 * 1024];
static char text[256];

int main(int, char**) {
  wick::ErrorText error(text, sizeof(text));
  wick::Program program;
  wick::Method method;
  wick::Arena arena(arena_memory, sizeof(arena_memory));
  static float input[784];  // whatever your sensor says
  input[400] = 1.0f;
  if (!program.load(model_program, model_bytes, error).ok() ||
      !method.prepare(program, "forward", wick::kAllOps, arena, error).ok() ||
      !method.set_input(0, input, sizeof(input), error).ok() || !method.execute(error).ok()) {
    wick::board::say(error.c_str());
    wick::board::finish(false);
  }
  const wick::Tensor& scores = method.output(0).tensor;
  unsigned best = 0;
  for (unsigned i = 1; i < scores.numel(); ++i) best = scores.as<float>()[i] > scores.as<float>()[best] ? i : best;
  wick::ErrorText line(text, sizeof(text));
  line.add("the largest of ", scores.numel(), " outputs is number ", best, "\n");
  wick::board::say(text);
  wick::board::finish(true);
}
