#!/bin/sh
# The example of a project of its own, against an installed kit, built and run on an emulated Cortex-M33.
# Usage: own_cmake_test.sh WICK SOURCE_DIR KIT_BUILD_DIR WORK_DIR
set -eu
wick=$1 source=$2 build=$3 work=$4
rm -rf "$work"
cmake --install "$build" --prefix "$work/kit" --component kit > /dev/null
cmake -S "$source/examples/use-from-your-own-cmake" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/kit" \
  -DCMAKE_TOOLCHAIN_FILE="$work/kit/lib/cmake/wick/toolchain-arm.cmake" -DWICK_TARGET=cortex-m33 \
  -DMODEL="$source/models/mlp/int8.pte" -DWICK_TOOL="$wick" > "$work/log"
cmake --build "$work/build" >> "$work/log" || { cat "$work/log"; exit 1; }
said=$(qemu-system-arm -M mps2-an505 -nographic -monitor none -serial null \
  -semihosting-config enable=on,target=native -kernel "$work/build/my_app.elf" 2>&1) || { echo "$said"; exit 1; }
echo "$said"
case $said in
  *"the largest of 10 outputs is number "*) ;;
  *) exit 1 ;;
esac
# A table of just its operators: convolutions are not in the image.
if arm-none-eabi-nm -C "$work/build/my_app.elf" | grep -q 'conv2d'; then
  echo "operators that the model does not call are in the image"
  exit 1
fi
