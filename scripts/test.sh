#!/bin/bash
# Every test: installs what is missing, builds, runs the host's tests (plain and under the sanitizers) and the same
# kernel and runtime tests on emulated cores. Ends with one line: N passed, N failed, N skipped.
#   scripts/test.sh            all
#   scripts/test.sh host       some of: checks host asan targets golden fuzz
set -u
cd "$(dirname "$0")/.." || exit 1
source scripts/lib.sh
parts=${*:-checks host asan targets golden fuzz}
targets='cortex-m33 cortex-m55 cortex-m4 cortex-m0plus'
mutations=20000
fuzz_seconds=60
passed=0 failed=0 skipped=0
logs=build/test-logs
mkdir -p $logs

wants() { case " $parts " in *" $1 "*) return 0 ;; esac; return 1; }

# A check that is one test: its command's exit code.
one() {
  local name=$1
  shift
  if "$@" > "$logs/$name.log" 2>&1; then
    passed=$((passed + 1))
    echo "$name: ok ($(tail -n 1 "$logs/$name.log"))"
  else
    failed=$((failed + 1))
    echo "$name: FAILED"
    tail -n 40 "$logs/$name.log"
  fi
}

# A run of ctest: counts the cases that the programs inside report, and a program that died as one failure.
suite() {
  local name=$1 directory=$2
  shift 2
  ctest --test-dir "$directory" -V "$@" > "$logs/$name.log" 2>&1
  local status=$?
  local counts
  counts=$(awk '
    /\[doctest\] test cases:/ { gsub(/[^0-9|]/, ""); split($0, n, "|"); p += n[2]; f += n[3]; s += n[4] }
    / passed, [0-9]+ failed/ { for (i = 2; i <= NF; i++) { if ($i ~ /^passed/) p += $(i-1); if ($i ~ /^failed/) f += $(i-1); if ($i ~ /^skipped/) s += $(i-1) } }
    END { print p + 0, f + 0, s + 0 }' "$logs/$name.log")
  read -r p f s <<< "$counts"
  if [ $status -ne 0 ] && [ "$f" -eq 0 ]; then f=1; fi
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  echo "$name: $p passed, $f failed, $s skipped"
  if [ "$f" -ne 0 ]; then grep -E 'ERROR|FAILED|error:|Failed|\*\*\*|AddressSanitizer' "$logs/$name.log" | head -n 40; fi
}

build() { wick_build "$1" "$logs/build-$1.log" "${@:2}" || { failed=$((failed + 1)); return 1; }; }

scripts/setup.sh --with-test-tools || exit 1

if wants checks; then
  one layers scripts/check_layers.sh
  one format scripts/check_format.sh
fi
if wants host && build host; then suite host build/host -E '^golden'; fi
if wants asan && build asan; then
  suite asan build/asan -E '^golden'
  one mutations build/asan/tests/wick_mutation_test $mutations 1 $(scripts/golden_programs.sh)
fi
if wants targets; then
  for target in $targets; do
    if build "$target"; then suite "$target" "build/$target"; fi
    if [ "$target" = cortex-m33 ]; then one operator-sizes scripts/operator_sizes.sh; fi
  done
fi
if wants golden && build host; then suite golden build/host -R '^golden'; fi
if wants fuzz && build fuzz wick_program_fuzzer; then
  mkdir -p build/fuzz/corpus
  for program in $(scripts/golden_programs.sh); do cp "$program" "build/fuzz/corpus/${program//\//_}"; done
  one fuzz build/fuzz/tests/wick_program_fuzzer -max_total_time=$fuzz_seconds -timeout=20 -rss_limit_mb=3000 \
    -max_len=65536 -print_final_stats=1 build/fuzz/corpus
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
