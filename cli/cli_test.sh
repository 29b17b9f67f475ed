#!/bin/bash
# End to end: exit codes and the important lines of output, for every command.
#
# SPDX-License-Identifier: Apache-2.0
set -u

here=$PWD
ggufcheck=$PWD/$1
good=$PWD/$2
broken=$PWD/$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

. "$here/cli/expect.sh"

check() { "$ggufcheck" check "$@"; }
json() { "$ggufcheck" check --format json "$@"; }
piped() { cat "$1" | check -; }
redirected() { check - <"$1"; }
redirected_show() { "$ggufcheck" show "$@" - <good.gguf; }

cp "$good" good.gguf
cp "$broken" broken.gguf
head -c 40 good.gguf >cut.gguf
: >empty.gguf
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\n' >lfs.gguf
printf '<!DOCTYPE html><title>404</title>' >page.gguf
printf 'tjgg\3\0\0\0rest' >old.bin
printf 'nothing known' >other.bin
# A llama without tokens: seven hyper-parameters and the tensor w of 1 and 2.
{
  printf 'fmgg\1\0\0\0'
  printf '\0\0\0\0\4\0\0\0\4\0\0\0\2\0\0\0\1\0\0\0\2\0\0\0\0\0\0\0'
  printf '\1\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0w\0\0\200\077\0\0\0\100'
} >legacy.bin
mkdir -p models/deep none
cp good.gguf models/deep/b.gguf
cp broken.gguf models/a.gguf
cp old.bin other.bin models/
cp good.gguf sparse.gguf
truncate -s 5G sparse.gguf

# Verdicts.
expect 0 '^PASS  good.gguf  \(GGUF v3, little endian, 11 tensors, 17 keys' check good.gguf
expect 1 '^FAIL  broken.gguf' check broken.gguf
expect 1 '0x409  tensor\[output_norm.weight\].offset is 7, not a multiple of 32  \[tensor-offset-aligned\]' check broken.gguf
expect 1 '^  error: The file is truncated: it ends after 40 bytes, in the metadata ' check cut.gguf
expect 1 '^    1 finding follows from this; --verbose lists it$' check cut.gguf
expect 1 'header-counts-fit' check -v cut.gguf
expect 1 'the file ends after 0' check empty.gguf
expect 1 'HTML page' check page.gguf
expect 1 '^FAIL  old.bin  \(GGJT v3, ' check old.bin
expect 1 'Still read by: KoboldCpp' check old.bin
expect 1 'reading stopped at byte 0xc' "$ggufcheck" dump old.bin
expect 3 'git lfs pull' check lfs.gguf
expect 3 'cannot open: No such file' check missing.gguf
expect 3 'no model files' check none
expect 3 '^INCOMPLETE' check broken.gguf missing.gguf
expect 1 '^2 files: 1 pass, 1 fail, 0 incomplete' check good.gguf broken.gguf

# Five sparse gigabytes: checked quickly, with only a warning.
expect 0 'no-trailing-data' timeout 5 "$ggufcheck" check sparse.gguf

# Weights: a NaN scale in the last block of the last tensor of 5 GB.
big_model() {
  # One F32 tensor of 5 GiB of zeros, one Q8_0 tensor of 32 weights.
  printf 'GGUF\3\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >"$1"
  printf '\1\0\0\0\0\0\0\0a\1\0\0\0\0\0\0\120\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >>"$1"
  printf '\1\0\0\0\0\0\0\0z\1\0\0\0\40\0\0\0\0\0\0\0\10\0\0\0\0\0\0\100\1\0\0\0' >>"$1"
  truncate -s $((96 + (5 << 30) + 64)) "$1"
  printf '\0\176' | dd of="$1" bs=1 seek=$((96 + (5 << 30))) conv=notrunc status=none
}
big_model big.gguf
expect 0 '^not checked: the weights of tensors; use --weights$' check --ignore architecture-present big.gguf
expect 1 '0x140000060  tensor\[z\].data has 1 block whose scale is NaN .* the first is block 0, of element 0  \[weights-scale-finite\]' check --weights big.gguf
expect 1 'tensor\[a\].data has 1342177280 weights, all of the same value  \[weights-not-constant\]' check --weights big.gguf
expect 3 'the limit of 0.001 seconds' check --weights --limit-seconds 0.001 big.gguf
expect 0 '^token_embd.weight +F32 +\[8, 4\]' check --stats good.gguf
expect 0 '"subnormals": 0' json --stats good.gguf
expect 0 '^output_norm.weight +F32 +\[8\]' "$ggufcheck" stats good.gguf
expect 1 'not all tensors could be read' "$ggufcheck" stats broken.gguf
expect 1 'not all tensors could be read' "$ggufcheck" stats cut.gguf
expect 3 'No such file' "$ggufcheck" stats missing.gguf

# Arrays: 4 rows of 8 floats after a header of 128 bytes.
dequantize() { "$ggufcheck" dequantize "$@"; }
expect 0 '' dequantize good.gguf token_embd.weight --output a.npy
expect 0 "'descr': '<f4', 'fortran_order': False, 'shape': \(4, 8, \)" cat a.npy
expect 0 '^256$' stat -c %s a.npy
expect 0 '' dequantize good.gguf '#0' --rows 1:3 --output b.bin
expect 0 '^64$' stat -c %s b.bin
expect 0 '' cmp b.bin <(tail -c +161 a.npy | head -c 64)
expect 0 "'shape': \(1, 8, \)" dequantize good.gguf '#0' --rows 0:1 --output -
expect 2 '<= 4, the number of rows' dequantize good.gguf '#0' --rows 0:5 --output c.bin
expect 2 'no tensor "none"' dequantize good.gguf none --output c.bin
expect 2 'output' dequantize good.gguf '#0'
expect 2 'ends in .npy or .bin' dequantize good.gguf '#0' --output c.txt
expect 1 'cannot be read: its offset is not aligned' dequantize broken.gguf '#1' --output c.bin
expect 1 'its type or shape is invalid' dequantize broken.gguf '#3' --output c.bin
expect 3 'cannot write' dequantize good.gguf '#0' --output no/such/folder/c.bin

# Legacy (pre-GGUF) formats.
expect 0 '"family":"llama"' "$ggufcheck" dump legacy.bin
expect 0 '^w +F32 +\[2\] +1 +2 ' "$ggufcheck" stats legacy.bin
{ cat legacy.bin && printf 'cut off'; } >cut.bin
expect 1 '^w +F32 +\[2\] +1 +2 ' "$ggufcheck" stats cut.bin
expect 1 'not all tensors could be read' "$ggufcheck" stats cut.bin
expect 0 '' dequantize legacy.bin w --output w.bin
expect 3 'no selected rule applies' check --select 'key-*' legacy.bin
expect 0 '' cmp w.bin <(printf '\0\0\200\077\0\0\0\100')

# A directory: models by name or magic, in order.
expect 1 '^3 files: 1 pass, 2 fail' check models
expect 1 '^FAIL  models/a.gguf' check models
expect 1 '^FAIL  models/old.bin' check models
expect 1 '^PASS  models/deep/b.gguf' check models

# Streams.
expect 0 '^PASS  -  ' piped good.gguf
expect 1 '^FAIL  -  ' piped broken.gguf
expect 0 '^PASS  -  ' redirected good.gguf
expect 1 'unknown format' piped page.gguf

# Adapters: a file for the tensor blk.0.attn_q.weight of [8, 8].
adapter() {  # NAME A B: the dimensions of its two matrices.
  {
    echo 'gguf 3'
    echo 'kv "general.type" str "adapter"'
    echo 'kv "general.architecture" str "llama"'
    echo 'kv "adapter.type" str "lora"'
    echo 'kv "adapter.lora.alpha" f32 1'
    echo "tensor \"blk.0.attn_q.weight.lora_a\" F32 [$2]"
    echo "tensor \"blk.0.attn_q.weight.lora_b\" F32 [$3]"
  } >"$1.gguft"
  "$ggufcheck" corpus assemble "$1.gguft" --output "$1" || exit 1
}
adapter fits.gguf '8 2' '2 8'
adapter other.gguf '5 2' '2 8'
expect 0 '^PASS  fits.gguf  \(GGUF v3, little endian, a LoRA adapter, .*, without its base, needs llama.cpp' check fits.gguf
expect 0 '^PASS  other.gguf' check other.gguf
expect 0 '"rule": "lora-shape-of-base",$' json other.gguf
expect 0 '"kind": "lora"' json other.gguf
expect 0 '"kind": "language-model"' json good.gguf
expect 0 '^PASS  fits.gguf  \(GGUF v3, little endian, a LoRA adapter, .*, needs llama.cpp of August 2023 or newer \(b1087\) for GGUF version 3\)' check --base good.gguf fits.gguf
expect 1 'lora_a\].dims are for a dimension of 5, but "blk.0.attn_q.weight" has 8 in the base  \[lora-shape-of-base\]' check --base good.gguf other.gguf
expect 1 '^3 files: 2 pass, 1 fail' check --base good.gguf good.gguf fits.gguf other.gguf
expect 0 '^PASS  fits.gguf' sh -c "cat good.gguf | '$ggufcheck' check --base - fits.gguf"
expect 3 '--base "missing.gguf": cannot open: No such file' check --base missing.gguf fits.gguf
expect 3 '--base "cut.gguf": cannot be read as a GGUF file: ' check --base cut.gguf fits.gguf
expect 3 '--base "old.bin": is not a GGUF file' check --base old.bin fits.gguf
expect 3 '--base "none": .*directory' check --base none fits.gguf
expect 3 '--base "other.gguf": is a LoRA adapter, not a model' check --base other.gguf fits.gguf
expect 0 '^PASS  good.gguf' check --base good.gguf good.gguf
printf 'gguf 3\nkv "general.architecture" str "flux"\ntensor "img_in.weight" F32 [4]\n' >image.gguft
"$ggufcheck" corpus assemble image.gguft >image.gguf
expect 3 'INCOMPLETE +no file was compared with the base: a base applies only to ' check --base good.gguf image.gguf
expect 0 'not checked: .*\(all: a base applies only to LoRA adapters, control vectors' check --base good.gguf image.gguf fits.gguf
expect 3 'INCOMPLETE +no file was compared with the base: a base applies only to ' check --base good.gguf legacy.bin
expect 3 'INCOMPLETE +no file was compared with the base: a base applies only to ' check --base good.gguf legacy.bin image.gguf
# A projector whose width is unknown cannot be compared.
{
  echo 'gguf 3'
  echo 'kv "general.type" str "mmproj"'
  echo 'kv "general.architecture" str "clip"'
  echo 'kv "clip.projector_type" str "deepseek4v"'
  echo 'kv "clip.has_vision_encoder" bool 1'
  echo 'tensor "v.patch_embd.weight" F32 [4]'
} >projector.gguft
"$ggufcheck" corpus assemble projector.gguft >projector.gguf
width='INCOMPLETE +no file was compared with the base: the tensor that shows the projector.s width is unknown'
expect 3 "$width" check --base good.gguf projector.gguf
expect 3 "$width" check --base good.gguf projector.gguf legacy.bin
expect 1 '^2 files: 1 pass, 1 fail, 0 incomplete' check --base good.gguf projector.gguf fits.gguf
expect 1 '^FAIL  broken.gguf' check --base good.gguf broken.gguf
expect 3 'compared with the base: the profile turns off the rules that' check --profile spec --base good.gguf other.gguf
# Parts of a run are judged together.
for part in 1 2; do
  expect 0 '"with_base"' check --format ndjson --shard "$part/2" --base good.gguf fits.gguf image.gguf
  "$ggufcheck" check --format ndjson --shard "$part/2" --base good.gguf fits.gguf image.gguf >"part$part.ndjson"
  expect 0 '"with_base"' check --format ndjson --shard "$part/2" --base good.gguf image.gguf image.gguf
  "$ggufcheck" check --format ndjson --shard "$part/2" --base good.gguf image.gguf image.gguf >"none$part.ndjson"
done
expect 0 '^2 files: 2 pass' "$ggufcheck" merge-reports part1.ndjson part2.ndjson
expect 3 'INCOMPLETE +no file was compared with the base' "$ggufcheck" merge-reports none1.ndjson none2.ndjson
expect 0 '^    accepts +llama.cpp$' check --readers --base good.gguf good.gguf
# --sha256: a digest, a list, a Git LFS pointer, the name of a blob.
sum=$(sha256sum good.gguf | cut -c1-64)
wrong=$(printf '0%.0s' {1..64})
sha256sum good.gguf image.gguf >SHA256SUMS
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %s\n' "$sum" "$(stat -c %s good.gguf)" >pointer
cp good.gguf "sha256-$sum"
expect 0 '^PASS' check --sha256 "$sum" good.gguf
expect 0 '^PASS' check --sha256 "sha256:$sum" --weights good.gguf
expect 1 "has SHA-256 $sum, but $wrong is stated  \[digest-sha256-equal\]" check --sha256 "$wrong" good.gguf
expect 0 '^2 files: 2 pass' check --sha256 SHA256SUMS good.gguf image.gguf
expect 1 'has no stated SHA-256  \[digest-sha256-stated\]' check --sha256 SHA256SUMS fits.gguf
expect 0 '^PASS' check --sha256 pointer good.gguf
expect 1 'has [0-9]+ bytes, but [0-9]+ are stated' check --sha256 pointer image.gguf
expect 0 '^PASS' check --sha256 names "sha256-$sum"
expect 1 'has no stated SHA-256' check --sha256 names good.gguf
expect 2 '--sha256 "good.gguf": ' check --sha256 good.gguf good.gguf
expect 2 '--header-only conflicts' check --sha256 "$sum" --header-only good.gguf
expect 2 'base' check fits.gguf --base
expect 2 'only once' check --base - -

# Profiles, selection, severities.
expect 1 'architecture-known' check --profile llama.cpp --select architecture-known <(sed 's/llama/trala/' good.gguf)
expect 0 'header-version-current|^PASS' check --fail-on warning good.gguf
expect 1 'file-name-convention' check --profile spec --fail-on warning good.gguf
expect 0 '^PASS' check --ignore 'key-*,tensor-*,bool-zero-or-one' broken.gguf
expect 1 'tensor-offset-aligned' check --select tensor-offset-aligned broken.gguf
expect 2 'did you mean tensor-offset-aligned' check --select tensor-offset-alinged good.gguf
expect 2 'unknown flag "--colour"' check --colour good.gguf
expect 2 'unknown flag "--colour"' check --colour
expect 2 'profile' check --profile nonsense good.gguf
expect 2 'PATH' check
expect 2 'subcommand' "$ggufcheck"
expect 2 'unknown command "frobnicate"' "$ggufcheck" frobnicate

# Readers: also considers rules that the profile has off; the verdict stays.
expect 0 '^    accepts   candle$' check --readers good.gguf
expect 0 '^    accepts   llama.cpp$' check --readers good.gguf
expect 1 '^    rejects   ggml: kv\[general.name\].key is a duplicate .* \[key-unique\], ' check --readers broken.gguf
expect 0 '^    rejects   ggml: kv\[general.name\].key is a duplicate .* \[key-unique\], ' check --readers --ignore 'key-*,tensor-*,bool-zero-or-one' broken.gguf
expect 3 '^    unknown   gguf-py: cannot open' check --readers missing.gguf
expect 0 '^    rejects   llama.cpp b2760: needs llama.cpp of April 2024 or newer \(b2761\) for pre-tok' check --readers llama.cpp@b2760 good.gguf
expect 0 '^    accepts   llama.cpp b2761$' check good.gguf --readers=llama.cpp@b2761
expect 0 '"version": "v0.5.0"' json --readers llama.cpp@v0.5.0 good.gguf
expect 0 '"llama.cpp": "b2761"' json good.gguf
expect 0 '"version": "v0.5.0"' json --readers llama.cpp@0.5.0 good.gguf
expect 2 '--readers: invalid value .*: expected a version of llama.cpp' check --readers llama.cpp@9000 good.gguf
expect 2 'none newer than the tables of this ggufcheck: llama.cpp@[bv]' check --readers llama.cpp@v99.0.0 good.gguf
expect 2 '--readers: invalid value .*: expected a version of llama.cpp' check --readers=ollama@b9000 good.gguf
expect 2 '--weights: invalid value "maybe": expected true or false' check --weights=maybe good.gguf
expect 0 '^not checked: the weights of tensors' check --weights=false good.gguf
expect 1 '"verdict": "crashes"|"verdict": "rejects"' json --readers broken.gguf
expect 0 '^  candle +.*\(source read, ' "$ggufcheck" profiles

# Limits.
expect 3 'the limit of 2 keys' check --limit-keys 2 good.gguf
expect 3 'the limit of 50 bytes of metadata' check --limit-metadata-bytes 50 good.gguf
expect 3 'the stream exceeds the limit of 100 bytes' sh -c "cat good.gguf | '$ggufcheck' check --limit-stream-bytes 100 -"

# Reports.
expect 0 '"result": "pass"' json good.gguf
expect 1 '"rule": "key-unique"' json broken.gguf
expect 3 '"path": "missing.gguf"' json missing.gguf
expect 0 '^PASS' check --report json=out.json good.gguf
expect 0 '"schema": "ggufcheck/report/1"' cat out.json
expect 2 'FORMAT=PATH' check --report nonsense=x good.gguf
expect 2 'FORMAT=PATH' check --report json good.gguf
expect 2 'would overwrite "good.gguf"' check --report json=good.gguf good.gguf
expect 2 '--format selects' check --report json=- good.gguf
expect 2 'only once' check - -
expect 2 'expected a 64-bit integer, optionally with K, M or G' check --limit-keys -5 good.gguf
expect 2 'expected a 64-bit integer, optionally with K, M or G' check --limit-keys 99999999999999999999 good.gguf
expect 0 '^PASS' check --limit-metadata-bytes 2K good.gguf
expect 3 'cannot write the report' check --report json=no/such/folder/x good.gguf
expect 3 'cannot write to standard output' sh -c "'$ggufcheck' check good.gguf >/dev/full"

# The other commands.
expect 0 '"key":"general.architecture","type":"str","value":"llama"' "$ggufcheck" dump good.gguf
expect 1 '"incomplete":true' "$ggufcheck" dump cut.gguf
expect 3 'No such file' "$ggufcheck" dump missing.gguf
expect 3 'is a directory' "$ggufcheck" dump models
expect 0 '^tensor-offset-aligned +error' "$ggufcheck" rules
expect 0 '^  repair   1. Lay the data out again, with each tensor padded to the alignment.$' "$ggufcheck" explain tensor-offset-aligned
expect 0 '^  example  tensor.* not a multiple of 32' "$ggufcheck" explain tensor-offset-aligned
expect 0 'shall be a multiple of the alignment' "$ggufcheck" explain tensor-offset-aligned
expect 0 'status   off in every profile; turned on where a file is compared' "$ggufcheck" explain digest-sha256-equal
expect 2 'did you mean key-unique' "$ggufcheck" explain key-uniqe
expect 0 '^The file is in a format before GGUF$' "$ggufcheck" explain legacy
expect 0 '^It never stops$' "$ggufcheck" explain never stops
expect 0 '^  ggufcheck fix FILE --output NEW --set-token' "$ggufcheck" explain never stops
expect 0 '^  end-tokens-end-text: The tokens that end' "$ggufcheck" explain never stops
expect 0 '"id": "tensor-data-in-file"' "$ggufcheck" explain truncated --format json
expect 2 'there is nothing about "never xyzzy"; use fewer words' "$ggufcheck" explain never xyzzy
expect 2 'these have that prefix: .*key-unique' check --select key good.gguf
expect 0 'upload +Should a gate let the file in' "$ggufcheck" profiles
expect 0 'limit-metadata-bytes +1073741824' "$ggufcheck" profiles
expect 0 '^ggufcheck [0-9]+\.[0-9]+' "$ggufcheck" --version
expect 0 '^Examples?:' "$ggufcheck" --help
expect 0 '^Examples?:' "$ggufcheck" corpus list --help

# A path in place of a command is checked; `help` is --help.
expect 0 '^PASS  good.gguf' "$ggufcheck" good.gguf
expect 1 '^2 files: 1 pass, 1 fail' "$ggufcheck" good.gguf broken.gguf
expect 1 '"result": "fail"' "$ggufcheck" broken.gguf --format json
expect 3 'cannot open' "$ggufcheck" none/missing
expect 0 '^PASS  -' "$ggufcheck" - <good.gguf
expect 2 'unknown command "nonesuch"' "$ggufcheck" nonesuch
expect 0 'ggufcheck readers run \[OPTIONS\]' "$ggufcheck" help readers run
expect 2 'unknown command "chek"; did you mean check' "$ggufcheck" help chek
for title in 'Check files' 'Look into a file' 'Mend a file' 'Test a reader' 'Learn the rules'; do
  expect 0 "^$title:" "$ggufcheck" help
done
lines=$("$ggufcheck" --help | wc -l)
columns=$("$ggufcheck" --help | wc -L)
((lines <= 40 && columns <= 80)) || fail "--help has $lines lines of $columns columns"

# What a file is: side by side, in JSON, as far as it could be read, with escapes.
show() { "$ggufcheck" show "$@"; }
expect 0 '^  tokenizer ' show good.gguf
expect 0 '^  parameters ' show good.gguf
expect 0 '"schema": "ggufcheck/show/1"' show --format json good.gguf
expect 0 '^ {15}good.gguf +b.gguf$' show good.gguf models/deep/b.gguf
expect 1 '^\* file ' show good.gguf cut.gguf
expect 1 '^  read         in part: ' show cut.gguf
expect 3 'missing.gguf: cannot open' show missing.gguf
expect 0 '^  header       n_vocab 0' show legacy.bin
expect 0 '^       1  [0-9]+  "' show --tokens good.gguf
tokens=$(show --tokens --format json good.gguf | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["files"][0]["tokens"]))')
[[ $tokens -eq $(show --tokens good.gguf | wc -l) ]] || fail "--tokens lists $tokens tokens in JSON"
expect 0 '"tokens"' redirected_show --tokens --format json

# The corpus: a valid case, and one with a base and an edit.
corpus() { "$ggufcheck" corpus "$@"; }
in_corpus() { (cd tree/corpus/cases/header && corpus "$@"); }
expect 3 'no corpus/cases in the working directory or its parents; use --cases DIR' corpus list
mkdir -p tree/corpus/cases/header
printf 'Flag\tMeaning\nA\tmeans a\n' >tree/corpus/flags.tsv
printf '# For readers\n\n## A case\n' >tree/corpus/README.md
printf '{}\n' >tree/corpus/manifest.schema.json
cat >tree/corpus/cases/header/valid-a.gguft <<'END'
title "sound"
gguf 3
kv "a.b" u8 7
=== expect
upload none
=== dump
{}
END
cat >tree/corpus/cases/header/either-b.gguft <<'END'
title "has the other order"
flags A
base "header/valid-a"
edit gguf order big
=== expect
upload none
END
expect 0 '^header/valid-a   sound$' corpus list --cases tree/corpus/cases
expect 0 '^header/either-b  has the other order$' in_corpus list '*/e?ther*' --flag A --level must --verdict either
expect 3 'no case matches' in_corpus list --verdict invalid
expect 2 'unknown flag B; known flags: A' in_corpus list --flag B
expect 2 'verdict' in_corpus list --verdict good
expect 3 'no such folder: nowhere' corpus list --cases nowhere
expect 1 'cannot read .*manifest.json: .*; run ggufcheck corpus lint --update' in_corpus lint
expect 0 '^nothing found$' in_corpus lint --update
expect 0 '^nothing found$' corpus lint --cases tree/corpus/cases
expect 0 'exported; see golden/manifest.json' corpus export golden --cases tree/corpus/cases
expect 0 '' cmp golden/manifest.json tree/corpus/manifest.json
expect 2 'is neither empty nor an export' corpus export models --cases tree/corpus/cases
expect 2 'is the corpus itself' corpus export tree/corpus --cases tree/corpus/cases
expect 2 'DIR is empty' corpus export '' --cases tree/corpus/cases
mkdir tree/corpus/cases/header/valid-d.gguft
mkfifo tree/corpus/cases/header/valid-f.gguft
expect 1 'cases/header/valid-d.gguft: not a regular file' timeout 5 "$ggufcheck" corpus list --cases tree/corpus/cases
expect 1 'cases/header/valid-f.gguft: not a regular file' timeout 5 "$ggufcheck" corpus lint --cases tree/corpus/cases
rmdir tree/corpus/cases/header/valid-d.gguft
rm tree/corpus/cases/header/valid-f.gguft

expect 0 '' in_corpus assemble valid-a.gguft -o "$work/a.gguf"
expect 0 '' cmp a.gguf golden/header/valid-a.gguf
expect 0 '' corpus assemble tree/corpus/cases/header/either-b.gguft -o b.gguf
expect 0 '' cmp b.gguf golden/header/either-b.gguf
expect 0 '' cmp a.gguf <(corpus assemble - <tree/corpus/cases/header/valid-a.gguft)
expect 0 '^kv "a.b" u8 7$' corpus disassemble a.gguf
expect 0 'text' corpus disassemble - <<<'any text, however long'
expect 0 '' cmp broken.gguf <(corpus disassemble broken.gguf | corpus assemble -)
expect 0 '' cmp empty.gguf <(corpus disassemble empty.gguf | corpus assemble -)
expect 1 'other.bin: line 1, column 1: expected a statement' corpus assemble other.bin -o c.gguf
expect 1 'no corpus/cases in the working directory' corpus assemble - <<<'base "header/valid-a"'
expect 2 'would overwrite "a.gguf", the input' corpus disassemble a.gguf -o ./a.gguf
expect 3 'missing: cannot open: No such file' corpus assemble missing
expect 3 'models: is a directory' corpus disassemble models
expect 3 'cannot write no/such/file: No such file' corpus disassemble a.gguf -o no/such/file
expect 3 'cannot write to standard output' sh -c "'$ggufcheck' corpus disassemble a.gguf >/dev/full"
expect 2 'unknown command "frobnicate"' corpus frobnicate
expect 2 'unknown flag "--big"' corpus lint --big
expect 2 'subcommand.*; see ggufcheck corpus --help' corpus
expect 2 'see ggufcheck corpus list --help' corpus list --level x
expect 1 'valid escapes are \\n \\t \\r \\" \\\\ \\xHH' corpus assemble - <<<'"\q"'
expect 1 "'\\\\x01' has no meaning" corpus assemble - <<<$'\1'

# An open pipe ends at the time limit, and at the first signal.
for list in '--files-from -' '-'; do
  # shellcheck disable=SC2086 # Words.
  expect 3 'the limit of 0\.2 seconds' timeout 5 "$ggufcheck" check --limit-seconds 0.2 $list < <(exec sleep 20)
done
mkfifo unopened
expect 3 'the limit of 0\.2 seconds' timeout 5 "$ggufcheck" check --limit-seconds 0.2 unopened
for signal in INT TERM; do
  expect 3 'interrupted' timeout --foreground --preserve-status --signal="$signal" --kill-after=5 0.5 "$ggufcheck" check --files-from - < <(exec sleep 20)
done

# An interruption is reported.
mkfifo slow
"$ggufcheck" check --jobs 1 slow good.gguf >interrupted.txt 2>&1 &
pid=$!
exec 9>slow
kill -INT $pid
exec 9>&-
wait $pid
expect 3 '' sh -c "exit $?"
expect 0 '^INCOMPLETE  interrupted: 1 of 2 files not checked' cat interrupted.txt

if [[ $failures -ne 0 ]]; then
  echo "$failures failed"
  exit 1
fi
