#!/bin/bash
# Tests that oss-fuzz/build.sh builds a target with only the inputs of OSS-Fuzz.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

kit=$PWD/$1
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# A repository in the layout that the templates expect.
readonly repository=$work/src/my-reader
mkdir -p "$repository/fuzz/gguf" "$work/out" "$work/work"
cp "$kit"/gguf_mutator.{h,cc} "$kit/gguf_fuzz.h" "$kit/gguf.dict" "$repository/fuzz/gguf"
printf 'PK' >"$repository/fuzz/gguf/seeds.zip"
cat >"$repository/my_reader.cc" <<'END'
#include <cstddef>
#include <cstdint>
int MyRead(const uint8_t* data, size_t size) { return size > 3 && data[0] == 'G' ? 0 : 1; }
END
cat >"$repository/fuzz/my_target.cc" <<'END'
#define GGUF_FUZZ_IMPL
#include "gguf_fuzz.h"
int MyRead(const uint8_t* data, size_t size);
extern "C" int gguf_fuzz_read(const uint8_t* data, size_t size) { return MyRead(data, size); }
END

# The engine is an object or an archive that has main.
printf '#define GGUF_FUZZ_MAIN\n#include "gguf_fuzz.h"\n' |
  g++ -std=c++17 -I"$kit" -x c++ -c - -o "$work/engine.o"

env -i PATH="$PATH" SRC="$work/src" OUT="$work/out" WORK="$work/work" \
  CXX=g++ CXXFLAGS="-O1 -g -fsanitize=address" LIB_FUZZING_ENGINE="$work/engine.o" \
  "$kit/oss-fuzz/build.sh"

cd "$work/out"
printf 'GGUF\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >seed.gguf
./gguf_fuzzer --mutants 100 seed.gguf
cmp gguf_fuzzer.dict "$kit/gguf.dict"
test -s gguf_fuzzer_seed_corpus.zip

# Every YAML file of the templates has the required fields.
grep -q '^language: c++$' "$kit/oss-fuzz/project.yaml"
grep -q '^language: c++$' "$kit/clusterfuzzlite/project.yaml"
