#!/bin/bash
# Builds an image for a board from ExecuTorch programs: sets up what is missing, builds wick, and calls `wick firmware`.
# Runs on bash 3 and later.
set -eu
from=$PWD
cd "$(dirname "$0")/.."
root=$PWD

usage() {
  cat << 'HELP'
usage: scripts/build_firmware.sh --model FILE.pte [--model FILE2.pte ...] [options]

  --model FILE.pte          a program for the image; repeatable (FP32 first, then INT8, for the comparison)
  --board pico2             the board (also qemu-m0plus, qemu-m4, qemu-m33, qemu-m55)
  --app mnist|run|bench     what the image does; default mnist
  --weights flash|sram      where programs are read from; default flash
  --operators selected|all  default: only those that the programs call
  --kernels wick|cmsis-nn   whose INT8 kernels; cmsis-nn needs --cmsis-nn DIR, your own copy of it
  --kernel-code flash|sram  where the kernels' code runs from; default flash
  --cores 1|2               cores that compute; default 1
  --errors brief|full       brief leaves out the texts of errors but names missing operators; default: brief for run
  --stack BYTES             stack; default 16384
  --output FILE             .uf2, .elf or .bin; default build/firmware/BOARD-APP.uf2 (.elf for emulated boards)
  --clean                   build the image from scratch
  --jobs N                  compilers at a time; default: one for each processor
  --no-setup                do not install packages

Examples:
  scripts/build_firmware.sh --model models/mlp/float.pte --model models/mlp/int8.pte
  scripts/build_firmware.sh --model my.pte --app bench --weights sram
  scripts/build_firmware.sh --model my.pte --app run --output my.uf2

The Arm compiler is looked for in PATH, in the usual places, and where ARM_TOOLCHAIN_PATH says.
HELP
}

wrong() {
  echo "build_firmware: $1 (--help tells what there is)" >&2
  exit 2
}

# The caller's paths, as the script works in the project's folder.
absolute() {
  case $1 in
    /*) echo "$1" ;;
    *) echo "$from/$1" ;;
  esac
}

# One for each processor, on Linux, macOS and the BSDs.
jobs=$(getconf _NPROCESSORS_ONLN 2> /dev/null || sysctl -n hw.ncpu 2> /dev/null || echo 2)
board=pico2
app=mnist
output=
setup=1
models=()
options=()
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h)
      usage
      exit 0
      ;;
    --clean) options+=(--clean) ;;
    --no-setup) setup=0 ;;
    --model | --board | --app | --weights | --operators | --kernels | --cmsis-nn | --kernel-code | --errors | --cores | --stack | \
      --output | --jobs)
      [ $# -ge 2 ] || wrong "$1 needs a value"
      case $1 in
        --model) models+=("$(absolute "$2")") ;;
        --board) board=$2 ;;
        --app) app=$2 ;;
        --output) output=$(absolute "$2") ;;
        --jobs) jobs=$2 ;;
        --cmsis-nn) options+=("$1" "$(absolute "$2")") ;;
        *) options+=("$1" "$2") ;;
      esac
      shift
      ;;
    *) wrong "unknown option $1" ;;
  esac
  shift
done
[ ${#models[@]} -gt 0 ] || wrong "no --model is given"
if [ -z "$output" ]; then
  case $board in
    qemu-*) output=build/firmware/$board-$app.elf ;;
    *) output=build/firmware/$board-$app.uf2 ;;
  esac
fi

[ $setup -eq 0 ] || [ ! -f /etc/debian_version ] || scripts/setup.sh
[ -f build/host/build.ninja ] || cmake --preset host --log-level=WARNING > /dev/null
cmake --build --preset host --parallel "$jobs" --target wick -- --quiet
exec build/host/wick firmware "${models[@]}" --board "$board" --app "$app" --jobs "$jobs" --output "$output" \
  --build-dir "$root/build/firmware" ${options[@]+"${options[@]}"}
