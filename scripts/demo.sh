#!/bin/sh
# The demo from bare Debian 12 to the report: installs what is missing, builds, and runs MNIST in FP32 and INT8 on an
# emulated Cortex-M33. Any arguments go to build/host/mnist_demo (--target cortex-m55, ...).
set -eu
cd "$(dirname "$0")/.."

scripts/setup.sh
echo "demo: building" >&2
cmake --preset host --log-level=WARNING
cmake --build --preset host --parallel "$(nproc)" --target mnist_demo wick wick_counter wick_images

goldens="${WICK_GOLDENS:-../shared/golden}"
set -- --models models --glyphs examples/mnist/glyphs --out build/demo "$@"
if [ -d "$goldens/external/seed-mlp" ]; then
  set -- --goldens "$goldens" "$@"
fi
exec build/host/mnist_demo "$@"
