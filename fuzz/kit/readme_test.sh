#!/bin/bash
# Tests that the examples of README.md compile, run, and find their bugs.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

kit=$PWD/$1
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cp "$kit"/gguf_mutator.{h,cc} "$kit"/gguf_fuzz.h "$work"
cd "$work"

# A block that begins with ```LANGUAGE NAME is the file NAME.
awk '/^```/ { name = name == "" ? $2 : ""; next } name != "" { print > name }' "$kit/README.md"

readonly flags=(-g -O1 -Wall -Wextra -Werror "-fsanitize=address,undefined" -fno-sanitize-recover=all)
g++ -std=c++17 "${flags[@]}" -c gguf_mutator.cc
printf 'GGUF\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >seed.gguf
export ASAN_OPTIONS=abort_on_error=1 UBSAN_OPTIONS=abort_on_error=1:halt_on_error=1

# finds TARGET WHAT OBJECT...: the target finds its reader's bug, and finds it
# again in the file that it writes.
finds() {
  local target=$1 what=$2
  shift 2
  g++ -std=c++17 "${flags[@]}" -DGGUF_FUZZ_MAIN "$target.cc" gguf_mutator.o "$@" -o "$target"
  if ./"$target" --mutants 3000 --last last.gguf seed.gguf 2>log; then
    echo "$target found nothing"
    exit 1
  fi
  if ./"$target" last.gguf 2>again || ! grep -q "$what" again; then
    echo "$target does not reproduce the crash"
    cat log again
    exit 1
  fi
}

gcc "${flags[@]}" -c my_reader.c
finds my_target AddressSanitizer my_reader.o
finds my_class_target runtime.error

# A program: it is not instrumented, and calls abort() itself.
cat >my_program.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  FILE* file = fopen(argv[argc - 1], "rb");
  int c = 0;
  for (int i = 0; i < 9; ++i) c = fgetc(file);
  if (c == 2) {
    fputs("two tensors\n", stderr);
    abort();
  }
  return 1;
}
END
gcc -O1 my_program.c -o my-program
finds my_program_target "two tensors"
