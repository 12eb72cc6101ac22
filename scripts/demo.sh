#!/bin/bash
# The demo, from bare Debian 12 to the report: installs what is missing, builds, and runs MNIST in FP32 and INT8 on an
# emulated Cortex-M33, then on a simulated Pico 2. Arguments go to build/host/mnist_demo (--target cortex-m55, --out FOLDER, ...).
set -eu
cd "$(dirname "$0")/.."

target=cortex-m33
previous=""
for argument in "$@"; do
  [ "$previous" = "--target" ] && target=$argument
  previous=$argument
done

scripts/setup.sh
echo "demo: building" >&2
cmake --preset host --log-level=WARNING -DWICK_IMAGES=ON > /dev/null
image=""
[ "$target" = "host" ] || image="wick_counter wick_image_$target"
# The targets' names are words: $image is split on purpose.
cmake --build --preset host --parallel "$(nproc)" --target wick mnist_demo $image

goldens=${WICK_GOLDENS:-../shared/golden}
seed=()
[ -d "$goldens/external/seed-mlp" ] && seed=(--goldens "$goldens")
echo "demo: running" >&2
build/host/mnist_demo --models models --glyphs examples/mnist/glyphs --out build/demo "${seed[@]}" "$@"

# The same programs as an image for a Raspberry Pi Pico 2, run on a simulated one.
echo "demo: building the image for a Pico 2" >&2
build/host/wick firmware models/mlp/float.pte models/mlp/int8.pte --app mnist --board pico2 \
  --output build/demo/pico2-mnist.uf2 --build-dir build/firmware
echo
echo "What that image prints on a simulated Pico 2 (instructions exact, cycles and time estimated):"
build/host/wick simulate build/demo/pico2-mnist.uf2
