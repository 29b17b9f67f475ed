#!/bin/bash -eu
# Builds the target with the compiler and flags of OSS-Fuzz or ClusterFuzzLite.
# The kit is in fuzz/gguf/, the target in fuzz/my_target.cc, seeds in
# fuzz/gguf/seeds.zip.
cd "$SRC/my-reader"

# Builds your reader: use its build system, or compile file by file.
read -ra flags <<<"$CXXFLAGS"
$CXX "${flags[@]}" -std=c++17 -c my_reader.cc -o "$WORK/my_reader.o"

# shellcheck disable=SC2086  # The engine may be several words.
$CXX "${flags[@]}" -std=c++17 -Ifuzz/gguf fuzz/my_target.cc fuzz/gguf/gguf_mutator.cc \
  "$WORK/my_reader.o" $LIB_FUZZING_ENGINE -o "$OUT/gguf_fuzzer"

# The fuzzer finds both by name.
cp fuzz/gguf/gguf.dict "$OUT/gguf_fuzzer.dict"
if [ -f fuzz/gguf/seeds.zip ]; then
  cp fuzz/gguf/seeds.zip "$OUT/gguf_fuzzer_seed_corpus.zip"
fi
