#!/bin/bash -eu
# Builds the target; OSS-Fuzz and ClusterFuzzLite say with what.  The kit is in
# fuzz/gguf/, the target in fuzz/my_target.cc, seeds in fuzz/gguf/seeds.zip.
cd "$SRC/my-reader"

# Your reader, by its own build system or file by file.
read -ra flags <<<"$CXXFLAGS"
$CXX "${flags[@]}" -std=c++17 -c my_reader.cc -o "$WORK/my_reader.o"

# shellcheck disable=SC2086  # The engine may be several words.
$CXX "${flags[@]}" -std=c++17 -Ifuzz/gguf fuzz/my_target.cc fuzz/gguf/gguf_mutator.cc \
  "$WORK/my_reader.o" $LIB_FUZZING_ENGINE -o "$OUT/gguf_fuzzer"

# Found by these names.
cp fuzz/gguf/gguf.dict "$OUT/gguf_fuzzer.dict"
if [ -f fuzz/gguf/seeds.zip ]; then
  cp fuzz/gguf/seeds.zip "$OUT/gguf_fuzzer_seed_corpus.zip"
fi
