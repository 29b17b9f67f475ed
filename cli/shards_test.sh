#!/bin/bash
# `check` on the shards of a model: a complete set, and faults of its files.
#
# SPDX-License-Identifier: Apache-2.0
set -u

here=$PWD
ggufcheck=$PWD/$1
cases=$PWD/corpus/cases
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# shellcheck source=cli/expect.sh
. "$here/cli/expect.sh"

name() { echo "Tiny-1K-v1.0-F32-0000$1-of-0000$2.gguf"; }
first=$(name 1 3) second=$(name 2 3) third=$(name 3 3)

# fresh: creates a folder "set" with the three shards of a model.
fresh() {
  rm -rf set && mkdir set
  cp "$first" "$second" "$third" set/
}

check() { "$ggufcheck" check "$@"; }
assemble() { "$ggufcheck" corpus assemble "$cases/$1.gguft" -o "$2"; }
assemble shards/valid-first "$first"
assemble shards/valid-second "$second"
assemble shards/valid-third "$third"
assemble model/valid-tiny-gpt2 gpt2.gguf

# Any shard, or the folder, includes the whole set; each shard has one entry.
fresh
for path in set "set/$first" "set/$third" "set/$third set/$first"; do
  # shellcheck disable=SC2086  # Two arguments.
  expect 0 '^3 files: 3 pass, 0 fail, 0 incomplete; 0 errors, 0 warnings' check $path
  # shellcheck disable=SC2086
  expect 0 "^PASS  set/$second  \(GGUF v3, little endian, shard 2 of 3, 4 tensors" check $path
done
cd set || exit 1
expect 0 '^3 files: 3 pass' check "$second"
cd ..
expect 0 '"number": 2,' check --format json "set/$first"
expect 0 '^3 files: 3 pass' check --weights --jobs 2 --profile llama.cpp set
expect 0 '^4 files: 4 pass' check --jobs 3 set gpt2.gguf

# `show` takes them for one model.
for path in set "set/$first" "set/$third"; do
  expect 0 '^  file         GGUF v3, .* in 3 of 3 shards$' "$ggufcheck" show "$path"
  expect 0 '^  parameters   [0-9]+ .* in 11 tensors$' "$ggufcheck" show "$path"
done

# One damaged: each shard has its own result, and the first also that of all.
truncate -s -1 "set/$third"
expect 1 '^FAIL  set/Tiny-1K-v1.0-F32  \(a model of 3 shards\)$' check set
expect 1 "^PASS  set/$first .*shard 1 of 3, [0-9]" check set
expect 1 '^FAIL  set/Tiny-1K-v1.0-F32  \(a model of 3 shards\)$' check --quiet "set/$third"
expect 1 "^PASS  set/$second .*shard 2 of 3, [0-9]" check set
expect 1 '^ *"result": "fail"$' check --format json "set/$first"
expect 1 'rejects +llama.cpp: tensor.*\[tensor-data-in-file\], in shard 3' check --readers "set/$first"
fresh

# One removed.
rm "set/$second"
expect 1 "^FAIL  set/$first" check set
expect 1 "    file.shards are incomplete: shard 2 of 3 is missing, \"$second\"  \[shard-set-complete\]" check -v "set/$third"
expect 1 '^2 files: 1 pass, 1 fail' check "set/$third"
expect 0 ' in 2 of 3 shards$' "$ggufcheck" show "set/$third"
rm "set/$first"
expect 1 "^FAIL  set/$third" check set
expect 0 ' in 1 of 3 shards$' "$ggufcheck" show "set/$third"

# One renamed.
fresh
mv "set/$second" set/renamed.gguf
expect 1 "shard 2 of 3 is missing, \"$second\"" check -v set
expect 1 '^PASS  set/renamed.gguf' check set
fresh
mv "set/$second" set/swap && mv "set/$third" "set/$second" && mv set/swap "set/$third"
expect 1 "kv\[split.no\].value is 2, so this is shard 3, but the file is named as shard 2; rename it to \"$third\"  \[shard-set-number\]" check -v set
fresh
mv "set/$third" "set/$(name 3 4)"
expect 1 "shard 3 of 3 is missing, \"$third\"" check -v set
expect 1 "file.shards are incomplete: shards 1 to 2 of 4 are missing, \"$(name 1 4)\" to \"$(name 2 4)\"" check -v set
expect 1 "file.shards are incomplete: shard 4 of 4 is missing, \"$(name 4 4)\"" check -v set

# One duplicated: instead of another one, and in addition to all.
fresh
cp "set/$second" "set/$third"
expect 1 'shard-set-number' check -v set
expect 1 "tensor\[blk.0.ffn_norm.weight\].name is also the name of a tensor in \"$second\"" check set
fresh
cp "set/$second" "set/$(name 4 3)"
expect 1 "^FAIL  set/$(name 4 3) .*shard 4 of 3" check set
expect 1 "kv\[split.no\].value is 1, so this is shard 2, but the file is named as shard 4; rename it to \"$second\"" check -v set
expect 1 '^4 files: 3 pass, 1 fail' check set

# One of another model.
fresh
cp gpt2.gguf "set/$second"
expect 1 '"gpt2", but .* has "llama".*shard-set-architecture' check set
expect 1 'the shards. numbers differ from those in their names' check set
for case in invalid-architecture invalid-count-of-later invalid-tensors-of-later; do
  assemble "shards/$case" "set/$second"
  expect 1 "^FAIL  set/$second" check "set/$first"
  expect 1 '^3 files: 2 pass, 1 fail' check "set/$first"
done

# A base that is a shard: the tensors of its other shards are included.
adapter() {  # FILE TENSOR: an adapter of a tensor of [8, 8].
  {
    echo 'gguf 3'
    echo 'kv "general.type" str "adapter"'
    echo 'kv "general.architecture" str "llama"'
    echo 'kv "adapter.type" str "lora"'
    echo 'kv "adapter.lora.alpha" f32 1'
    echo "tensor \"$2.lora_a\" F32 [8 2]"
    echo "tensor \"$2.lora_b\" F32 [2 8]"
  } >text.gguft
  "$ggufcheck" corpus assemble text.gguft -o "$1" || exit 1
}
adapter lora.gguf blk.0.attn_k.weight
adapter elsewhere.gguf blk.0.none.weight
fresh
for base in "$first" "$second" "$third"; do
  expect 0 '^PASS  lora.gguf' check --base "set/$base" lora.gguf
  expect 1 'blk.0.none.weight", which the base does not have  \[lora-tensor-in-base\]' check --base "set/$base" elsewhere.gguf
done
rm "set/$second"
expect 0 'not checked: lora-tensor-in-base \(in the base, a shard is missing\)' check --base "set/$first" lora.gguf
expect 3 "--base \"set/$second\": cannot open" check --base "set/$second" lora.gguf
ln -s nowhere "set/$second"
expect 0 'in the base, a shard could not be opened' check --base "set/$first" lora.gguf

# A file that cannot be opened is not a finding.
fresh
rm "set/$second" && ln -s nowhere "set/$second"
expect 3 "^INCOMPLETE  set/$second" check "set/$first"
expect 3 '^3 files: 2 pass, 0 fail, 1 incomplete' check "set/$first"
expect 3 'could not finish: cannot open' check "set/$first"
rm "set/$second" && mkfifo "set/$second"
expect 3 'is not a regular file' check "set/$first"
rm "set/$second"
expect 3 "^INCOMPLETE  set/$second" check "set/$second"

# The fault of an unreadable shard is in its own entry.
fresh
head -c 100 "$second" >"set/$second"
expect 1 '^3 files: 2 pass, 1 fail' check set
expect 1 'not all tensors of all shards could be read' check set

# A pipe has no name, so it has no set.
fresh
expect 0 'the other shards were not looked for' check - <"set/$first"

if ((failures > 0)); then
  echo "$failures failed"
  exit 1
fi
echo 'all passed'
