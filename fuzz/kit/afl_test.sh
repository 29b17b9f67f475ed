#!/bin/bash
# afl_test.sh KIT: AFL++ with the kit's mutator finds a bug of the toy reader
# within a minute, without a seed that triggers it.  The commands are those of
# README.md.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

kit=$(readlink -f -- "$1")
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cd "$work"

# Bug 7: arrays in arrays are read by recursion without bound.
export TOY_BUG=7
afl-clang-fast -g -O1 -c "$kit/toy_reader.c"
g++ -std=c++17 -O2 -c "$kit/gguf_mutator.cc"
afl-clang-fast++ -std=c++17 -g -O1 -DGGUF_FUZZ_MAIN "$kit/toy_reader_target.cc" ./*.o -o toy
g++ -std=c++17 -O2 -shared -fPIC "$kit/gguf_mutator.cc" -o gguf_mutator.so
mkdir seeds
printf 'GGUF\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >seeds/empty.gguf

AFL_CUSTOM_MUTATOR_LIBRARY=$PWD/gguf_mutator.so AFL_CUSTOM_MUTATOR_ONLY=1 \
  AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 \
  AFL_NO_AFFINITY=1 AFL_BENCH_UNTIL_CRASH=1 \
  afl-fuzz -V 60 -i seeds -o findings -- ./toy @@ >log 2>&1 || true

stats=findings/default/fuzzer_stats
[[ -s $stats ]] || { cat log; echo "afl-fuzz did not run"; exit 1; }
grep -E '^(execs_done|execs_per_sec|saved_crashes)' "$stats"
crash=$(find findings/default/crashes -name 'id:*' | head -n 1)
[[ -n $crash ]] || { echo "found nothing within a minute"; exit 1; }
if ./toy "$crash"; then
  echo "the crash cannot be reproduced"
  exit 1
fi
TOY_BUG=0 ./toy "$crash" || { echo "it also crashes without the bug"; exit 1; }
echo "AFL++ found the bug"
