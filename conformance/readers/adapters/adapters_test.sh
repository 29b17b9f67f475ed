#!/bin/bash
# Tests the helpers for adapters: toy readers in C89 and Python write the same
# lines as ggufcheck.  Also checks that the adapters are short.
#
#   adapters_test.sh GGUFCHECK_ADAPTER TOY_C TOY_PYTHON FILE... -- ADAPTER...
#
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail

ours=$1 toy_c=$2 toy_python=$3
shift 3
failures=0

fail() {
  echo "$*"
  failures=$((failures + 1))
}

# Prints the lines about a file that the toy readers support.
said() { realpath "$1" | "${@:2}" | grep -E '^@(kv|t|accept)'; }

files=0
for file; do
  shift
  [[ $file != -- ]] || break
  files=$((files + 1))
  expected=$(said "$file" "$ours")
  [[ $expected == *@accept ]] || fail "$file is not accepted: $expected"
  diff <(echo "$expected") <(said "$file" "$toy_c") || fail "$toy_c: $file"
  diff <(echo "$expected") <(said "$file" python3 "$toy_python") ||
    fail "$toy_python: $file"
done
((files > 0)) || fail "no files"

# Counts the lines of code in the functions of an adapter, without imports,
# comments, function headers and lone brackets.
lines() {
  sed -E -e 's@^ *(//|#).*@@' -e '/^ *""".*"""$/d' \
    -e '/^ *("""|\/\*)/,/("""|\*\/)$/d' "$1" |
    grep -vE '^(static|int main|import|from|def)' | grep -c '[A-Za-z0-9]'
}
for adapter; do
  count=$(lines "$adapter")
  ((count > 0 && count <= 30)) || fail "$adapter has $count lines, not 1 to 30"
done
(($# > 0)) || fail "no adapters"

((failures == 0))
