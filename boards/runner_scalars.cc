// Scalar inputs for the runner. Apart from it, as their comparison with what the program was exported for needs double
// arithmetic, which few programs do: an image links this file when its programs ask for it.
#include "runtime/method.h"

extern "C" wick::Status wick_set_scalar_input(wick::Method& method, uint32_t index, const wick::Scalar& value,
                                              wick::ErrorText& error) {
  return method.set_input(index, value, error);
}
