#!/bin/bash
# Tests that the kit finds each of the twelve bugs of the toy reader, and
# nothing without a bug; with only g++, from a file without keys or tensors.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

kit=$PWD/$1
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cd "$work"

readonly flags=(-g -O1 "-fsanitize=address,undefined" -fno-sanitize-recover=all)
gcc "${flags[@]}" -c "$kit/toy_reader.c"
g++ -std=c++17 -O2 -c "$kit/gguf_mutator.cc"
g++ -std=c++17 "${flags[@]}" -DGGUF_FUZZ_MAIN "$kit/toy_reader_target.cc" ./*.o -o toy
printf 'GGUF\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >seed.gguf

TOY_BUG=0 ./toy --mutants 20000 seed.gguf || { echo "found a bug in the correct reader"; exit 1; }
for bug in {1..12}; do
  begin=$SECONDS
  if TOY_BUG=$bug ./toy --mutants 200000 seed.gguf 2>log; then
    echo "bug $bug was not found"
    exit 1
  fi
  grep -qE 'Sanitizer|runtime error' log || { cat log; exit 1; }
  echo "bug $bug: $((SECONDS - begin)) s"
done
