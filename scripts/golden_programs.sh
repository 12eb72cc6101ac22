#!/bin/sh
# Small real programs of every kind, one path a line: what the hostile-file tests spoil.
cd "$(dirname "$0")/.." || exit 1
find tests/data models -name '*.pte' -size -60k | sort
