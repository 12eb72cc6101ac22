#!/bin/sh
# Is every C++ file as clang-format leaves it? Prints those that are not; exit code 1. `--fix` formats them.
cd "$(dirname "$0")/.." || exit 1
mode='--dry-run -Werror'
[ "${1:-}" = --fix ] && mode=-i
# shellcheck disable=SC2086
git ls-files '*.h' '*.cc' '*.c' | xargs clang-format $mode || exit 1
echo "format: no difference"
