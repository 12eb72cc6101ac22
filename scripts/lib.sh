# What the scripts share. Sourced.

# wick_build PRESET LOG [TARGET...]: configures and builds; quiet unless it fails.
wick_build() {
  local preset=$1 log=$2
  shift 2
  printf 'building %s ...' "$preset"
  local start=$SECONDS
  mkdir -p "$(dirname "$log")"
  if cmake --preset "$preset" > "$log" 2>&1 && cmake --build --preset "$preset" ${1:+--target "$@"} >> "$log" 2>&1; then
    printf ' %d s\n' $((SECONDS - start))
    return 0
  fi
  printf ' FAILED\n'
  tail -n 40 "$log"
  return 1
}
