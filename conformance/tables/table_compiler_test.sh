#!/bin/bash
# Invalid tables, and the errors of the compiler: file, line, column.
#
# SPDX-License-Identifier: Apache-2.0
set -u
export LC_ALL=C

compiler=$1
architectures=$2
symbols=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failures=0

# expect CODE LINE COMMAND...: checks its exit code and a line of its output.
expect() {
  local wanted=$1 line=$2 output code=0
  shift 2
  output=$("$@" 2>&1) || code=$?
  if [[ $code -ne $wanted ]] || ! grep -qF -- "$line" <<<"$output"; then
    printf 'FAILED: wanted %s and "%s", got %s:\n%s\n' "$wanted" "$line" \
      "$code" "$(head -5 <<<"$output")"
    failures=$((failures + 1))
  fi
}

# table ROWS...: compiles a table of these rows.
table() {
  {
    echo '# a comment'
    printf 'name!:text\tarchs:architectures\tsize:dims[i]\twhen:bool\tkind:Kind(one|two)\n'
    printf '%b\n' "$1"
  } >"$dir/t.tsv"
  "$compiler" table "$architectures" "$symbols" "$dir/t.tsv" t.h Row kTable
}

expect 0 'Row kRows[] = {' table 'a\tllama,qwen2\t[n_embd, any, min(n_ff[i], 2)]\tn_ff > 0\tone'
expect 0 '{"a", {kDims + 0, 1, false}, {nullptr, 0, ""}, Kind::kTwo}' \
  table 'a\t@loader,-llama\t[7]\t\ttwo'
expect 0 '{"a", {kDims + 0, 2, true}, {nullptr, 0, ""}, Kind::kTwo}' \
  table 'a\tllama\telements [7, n_embd]\t\ttwo'
expect 0 'Row kRows' table 'a\tllama\t[1]\t\tone\na\tqwen2\t[1]\t\tone'

expect 1 't.tsv:3:3: unknown architecture '"'lama'" table 'a\tlama\t[1]\t\tone'
expect 1 't.tsv:3:9: unknown architecture '"'lama'" table 'a\tllama,lama\t[1]\t\tone'
expect 1 't.tsv:3:3: unknown group all' table 'a\t@all\t[1]\t\tone'
expect 1 "t.tsv:3:9: '-qwen2' changes nothing" table 'a\tllama,-qwen2\t[1]\t\tone'
expect 1 't.tsv:3:18: unknown symbol n_bed' table 'a\tllama\t[n_embd, n_bed]\t\tone'
expect 1 't.tsv:3:13: a block index is not available here' table 'a\tllama\t[1]\ti > 0\tone'
expect 1 't.tsv:3:13: a truth value is wanted, not a number' table 'a\tllama\t[1]\tn_ff\tone'
expect 1 't.tsv:3:10: a number is wanted, not a truth value' table 'a\tllama\t[n_ff > 0]\t\tone'
expect 1 't.tsv:3:9: [dimension, ...] is expected' table 'a\tllama\tn_ff\t\tone'
expect 1 't.tsv:3:9: [dimension, ...] is expected' table 'a\tllama\telements n_ff\t\tone'
expect 1 't.tsv:3:19: unknown symbol n_bed' table 'a\tllama\telements [n_bed]\t\tone'
expect 1 't.tsv:3:9: a tensor has 4 dimensions at most' table 'a\tllama\t[1, 2, 3, 4, 5]\t\tone'
expect 1 "t.tsv:3:14: 'three' is none of one, two" table 'a\tllama\t[1]\t\tthree'
expect 1 't.tsv:4:1: duplicate row' table 'a\t*\t[1]\t\tone\na\tllama\t[2]\t\ttwo'
expect 1 't.tsv:3:3: the row has 2 cells, the header 5' table 'a\tllama'

printf 'first:build\nb7990\nv0.5.0\n-\n' >"$dir/b.tsv"
expect 0 '{7990},' "$compiler" table "$architectures" "$symbols" "$dir/b.tsv" t.h Row kTable
printf 'first:build\n7990\n' >"$dir/b.tsv"
expect 1 'b.tsv:2:1: a build (b1234), a release (v1.2.3) or - is expected' \
  "$compiler" table "$architectures" "$symbols" "$dir/b.tsv" t.h Row kTable
printf 'architecture\tgroups\tfirst\nllama\tknown\tlate\n' >"$dir/a.tsv"
expect 1 'a.tsv:2:13: a build, a release or - is expected' "$compiler" ids "$dir/a.tsv" "$symbols"

printf 'name:words\na\n' >"$dir/u.tsv"
expect 1 "u.tsv:1:1: unknown column type 'words'" "$compiler" table "$architectures" "$symbols" "$dir/u.tsv" t.h Row kTable

# Enums, sets, and cells without expressions.
cells() {
  printf '%b\n' "$1" "$2" >"$dir/c.tsv"
  "$compiler" "${3-table}" "$architectures" "$symbols" "$dir/c.tsv" c.h Row kTable
}
expect 0 '  kLlamaServer,' cells 'name:names(Id)' 'a\nllama-server' header
expect 0 '      "llama-server",' cells 'name:names(Id)' 'a\nllama-server' header
expect 0 '  EnumSet<Kind> kinds;' cells 'kinds:set(Kind(one|gpt-2))' 'one' header
expect 0 '{{Kind::kOne, Kind::kGpt2}, Other::kX},' cells 'kinds:set(Kind(one|gpt-2))\to:Other' 'one,gpt-2\tx'
expect 1 "c.tsv:2:1: 'two' is none of one, gpt-2" cells 'kinds:set(Kind(one|gpt-2))' 'two'
expect 1 "c.tsv:2:5: 'two' is none of one" cells 'a:Kind(one)\tb:Kind' 'one\ttwo'
expect 0 '{true, {kTexts + 0, 2}, -7},' cells 'f:flag\tt:texts\tn:number' 'yes\ta,b\t-7'
expect 1 'c.tsv:2:1: yes or no is expected' cells 'f:flag' 'maybe'
expect 1 'c.tsv:2:1: not a number' cells 'n:number' 'x'
expect 1 'c.tsv:3:1: 1 is expected' cells 'i:index\ta:text' '0\tx\n2\ty'
expect 0 '{262160u, 3u},' cells 'v:value_types\tt:tensor_types' 'u32,arr[u16]\tF32,F16'
expect 1 "c.tsv:2:1: unknown type 'u33'" cells 'v:value_types' 'u33'
expect 1 'c.tsv:2:1: an array needs an element type, such as arr[u32]' cells 'v:value_types' 'arr'
expect 1 "c.tsv:2:1: unknown tensor type 'Q9'" cells 't:tensor_types' 'Q9'
expect 1 'c.tsv:3:1: duplicate row' cells 'a!:text' 'x\nx'

# A symbol that depends on itself.
{
  printf 'symbol\tarchitectures\ttype\tkey\totherwise\n'
  printf 'n_a\t*\tint\t\tn_b + 1\nn_b\t*\tint\t{arch}.b\tn_a\n'
} >"$dir/s.tsv"
expect 1 's.tsv:3:20: the symbol is defined by itself' "$compiler" symbols "$architectures" "$dir/s.tsv"
printf 'symbol\tarchitectures\ttype\tkey\totherwise\nn_a\tllama\tint\t\t1\n' >"$dir/s.tsv"
expect 1 's.tsv:2:5: the first row of a symbol is for *' "$compiler" symbols "$architectures" "$dir/s.tsv"

((failures == 0)) || { echo "$failures failed"; exit 1; }
