#!/bin/sh
# Code and constants of all operators in the runner image of an emulated core, as linked: kernels, what reads the
# operators' arguments, the table and the names in it. Fails above the budget.
#   scripts/operator_sizes.sh [TARGET]      default cortex-m33, built before: cmake --build --preset cortex-m33
set -eu
cd "$(dirname "$0")/.."
target=${1:-cortex-m33}
budget=184320
image=build/$target/boards/wick_runner.elf
if [ ! -f "$image" ]; then
  echo "operator_sizes: $image is not built: cmake --preset $target && cmake --build --preset $target" >&2
  exit 1
fi
names=$(sed -n 's/^WICK_OP("\([^"]*\)".*/\1/p' src/runtime/ops/ops.inc | wc -c)
arm-none-eabi-nm -S -C -td "$image" | awk -v names="$names" -v budget=$budget -v target="$target" '
  NF >= 4 && $3 ~ /[tTrRwW]/ && /wick::kernels|wick::ops|wick_dsp_|wick_mve_|kSorted|kAllOps/ {
    if (/wick::ops|kSorted|kAllOps/) arguments += $2; else kernels += $2
  }
  END {
    sum = kernels + arguments + names
    printf "kernels %d, arguments and table %d, names %d\n", kernels, arguments, names
    printf "%d bytes of operators on %s, at most %d\n", sum, target, budget
    exit sum > budget
  }'
