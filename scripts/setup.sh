#!/bin/sh
# Installs the Debian packages that building, running and testing wick need, those that are missing only.
# As root, or through sudo. Nothing outside Debian's own packages is needed.
set -eu

# build: compiler, CMake; FlatBuffers reads .pte files; CLI11 and nlohmann-json are the tool's; zlib reads MNIST, libzip reads .npz and .pt2; Chart.js draws;
# libonnx-dev has ONNX's schema, protobuf reads what it describes
packages="g++ cmake ninja-build flatbuffers-compiler libflatbuffers-dev libcli11-dev nlohmann-json3-dev zlib1g-dev libzip-dev pkg-config libjs-chart.js libonnx-dev protobuf-compiler libprotobuf-dev doctest-dev"
# emulated microcontrollers: cross compiler and QEMU
packages="$packages gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib qemu-system-arm"
# simulated Pico 2
packages="$packages pkg-config libunicorn-dev"
# tests: fuzzing and formatting
if [ "${1:-}" = "--with-test-tools" ]; then
  packages="$packages clang clang-format libclang-rt-14-dev git"
fi

missing=""
for package in $packages; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = "installed" ] || missing="$missing $package"
done
if [ -z "$missing" ]; then
  exit 0
fi

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo > /dev/null; then
    echo "setup: as root, run: apt-get install$missing" >&2
    exit 1
  fi
  as_root="sudo"
fi
echo "setup: installing$missing" >&2
$as_root apt-get update -q
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
