// Reads a TensorFlow Lite model into a graph. Inputs and outputs keep the model's own shapes (images are NHWC). Float
// operators become ATen's, with images in ATen's order between them; INT8 operators become cortex_m:: ones on NHWC
// images at once, with TensorFlow Lite's own arithmetic, so that every byte comes out the same.
#pragma once

#include <filesystem>

#include "compiler/graph.h"
#include "compiler/import_options.h"

namespace wick::compiler {

// Scratch memory is sized for cores with DSP instructions (compiler/lower_cortex_m/size_scratch.h changes that).
// Weights that are float16, or int8 below float activations ("dynamic range"), become float32. Throws Failure that
// names the file and all operators at fault, with their shapes and what to do.
Graph import_tflite(const std::filesystem::path& path, const ImportOptions& options = {});

}  // namespace wick::compiler
