#!/bin/sh
# Small real programs of every kind, one path a line: what the hostile-file tests spoil.
cd "$(dirname "$0")/.." || exit 1
# Not those that a program alone cannot run: one needs a backend, one a data file.
find tests/data models -name '*.pte' -size -60k ! -path '*xnnpack*' ! -path '*external_weights*' | sort
