#!/bin/sh
# Who may include whom (docs/DESIGN.md), and what device code may not use at all. Prints each offence; exit code 1.
cd "$(dirname "$0")/.." || exit 1
offences=0

# allow FOLDER "may include these" : every project include in FOLDER must start with one of the words.
allow() {
  folder=$1
  pattern=$2
  found=$(grep -rnE '^#include "' "$folder" --include='*.h' --include='*.cc' --include='*.S' |
    grep -vE "#include \"($pattern)/")
  if [ -n "$found" ]; then
    printf '%s may include only %s:\n%s\n' "$folder" "$pattern" "$found"
    offences=1
  fi
}
allow src/core 'core'
allow src/format 'core|format'
allow src/kernels 'core|kernels'
allow src/runtime 'core|format|kernels|runtime'
allow src/files 'core|kernels|files'
allow src/compiler 'core|format|runtime|files|compiler'
allow src/host 'core|format|kernels|runtime|files|compiler|host|boards|sim'
allow src/sim 'sim'

device='src/core src/format src/kernels src/runtime'
# forbid "pattern" "why"
forbid() {
  # shellcheck disable=SC2086
  found=$(grep -rnE "$1" $device --include='*.h' --include='*.cc' | grep -v '^[^:]*:[0-9]*: *//')
  if [ -n "$found" ]; then
    printf '%s:\n%s\n' "$2" "$found"
    offences=1
  fi
}
forbid '#include <(vector|string|map|set|list|deque|memory|functional|iostream|sstream|fstream|cstdio|stdio.h|cstdlib|stdlib.h|mutex|thread|chrono|random|exception|stdexcept|algorithm)>' \
  'device code uses no heap, streams, threads or libc'
forbid '(^|[^_[:alnum:]])(malloc|calloc|realloc|free|printf|throw|try|dynamic_cast|typeid)[ (]' \
  'device code uses no heap, printf, exceptions or RTTI'
forbid '(^|[^_[:alnum:]])(new|delete) [A-Za-z_:]+[({\[]' 'device code has no heap'
# The instruction set is asked for in one place.
found=$(grep -rnE '__ARM_FEATURE|__ARM_ARCH|__ARM_FP' src --include='*.h' --include='*.cc' | grep -v '^src/kernels/isa.h:')
if [ -n "$found" ]; then
  printf 'only src/kernels/isa.h asks for the instruction set:\n%s\n' "$found"
  offences=1
fi
[ $offences -eq 0 ] && echo "layers: no offence"
exit $offences
