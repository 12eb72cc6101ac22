#!/bin/bash
# Runs the README's commands as they stand there: every line of its ```sh blocks but the two that .ci/run has run.
set -e
cd "$(dirname "$0")/.."
count=0
while IFS= read -r line; do
  case $line in '' | '#'* | scripts/test.sh* | scripts/demo.sh*) continue ;; esac
  echo "README: $line"
  bash -ec "$line" > build/readme.log 2>&1 < /dev/null || { cat build/readme.log; echo "README: failed: $line"; exit 1; }
  count=$((count + 1))
done < <(awk '/^```/ { inside = ($0 == "```sh"); next } inside' README.md)
[ $count -gt 0 ] || { echo "README: no commands found"; exit 1; }
echo "README: $count commands ran"
