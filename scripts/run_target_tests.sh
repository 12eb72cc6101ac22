#!/bin/sh
# Builds the kernel and runtime tests for an embedded core and runs them in QEMU.
#   scripts/run_target_tests.sh cortex-m33                        all of them
#   scripts/run_target_tests.sh cortex-m33 kernels -tc=Conv*      one program, with doctest's options
set -e
cd "$(dirname "$0")/.."
target=${1:?cortex-m0plus, cortex-m4, cortex-m33 or cortex-m55}
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset "$target" > "$log" 2>&1 || { cat "$log" >&2; exit 1; }
if [ $# -eq 0 ]; then
  cmake --build --preset "$target"
  exec ctest --test-dir "build/$target" --output-on-failure
fi
room=$1
shift
cmake --build --preset "$target" --target "wick_${room}_test"
case $target in
  cortex-m0plus) machine=mps2-an385 ;;
  cortex-m4) machine=mps2-an386 ;;
  cortex-m33) machine=mps2-an505 ;;
  cortex-m55) machine=mps3-an547 ;;
esac
exec timeout 600 qemu-system-arm -M $machine -nographic -monitor none -serial null \
  -semihosting-config enable=on,target=native -kernel "build/$target/tests/wick_${room}_test" -append "$*"
