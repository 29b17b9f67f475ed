#!/bin/bash
# `compare` with a base, with shards, and with a Hugging Face folder.
#
# SPDX-License-Identifier: Apache-2.0
set -u

here=$PWD
ggufcheck=$PWD/$1
good=$PWD/$2
broken=$PWD/$3
cases=$PWD/corpus/cases
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# shellcheck source=cli/expect.sh
. "$here/cli/expect.sh"

compare() { "$ggufcheck" compare "$@"; }
cp "$good" base.gguf
cp "$good" same.gguf
cp "$broken" broken.gguf

# The same file passes; a table shows the tensors.
expect 0 '^PASS  same.gguf' compare base.gguf same.gguf
expect 0 '  compared: 11 tensors: 11 pass' compare base.gguf same.gguf
expect 0 '^compared with: base.gguf' compare base.gguf same.gguf
expect 0 '"compared_with": "base.gguf"' compare --format json base.gguf same.gguf
expect 0 '"base_type": "F32"' compare --format json base.gguf same.gguf
expect 0 '"result":"pass","type":"F32"' compare --format ndjson base.gguf same.gguf
expect 0 '^2 files: 2 pass' compare base.gguf same.gguf base.gguf
expect 0 '^PASS' compare --jobs 2 base.gguf - <same.gguf

# Another value of a key, and another weight.
"$ggufcheck" corpus disassemble base.gguf >base.gguft
sed 's/^kv "llama.block_count" .*/kv "llama.block_count" u32 7/' base.gguft >key.gguft
"$ggufcheck" corpus assemble key.gguft -o key.gguf
expect 1 'kv\[llama.block_count\].value is 7, but 1 in the base  \[compare-hparams-equal\]' compare base.gguf key.gguf
expect 0 '^PASS' compare --ignore 'compare-hparams-equal' base.gguf key.gguf

# Reports on comparisons with different bases are not merged.
cp base.gguf other-base.gguf
compare --format json base.gguf same.gguf >one.json
compare --format json other-base.gguf same.gguf >two.json
expect 0 'compared with: base.gguf' "$ggufcheck" merge-reports one.json one.json
expect 3 'has other settings .*BASE of compare' "$ggufcheck" merge-reports one.json two.json

# What cannot be compared is never a pass.
expect 3 'the base "missing.gguf"' compare missing.gguf same.gguf
expect 3 'the base "/dev/null": is empty' compare /dev/null same.gguf
head -c 20 same.gguf >cut.gguf
expect 3 'cannot be read as a GGUF file' compare cut.gguf same.gguf
expect 3 'is a directory; .* --source' compare . same.gguf
expect 3 'INCOMPLETE  missing.gguf' compare base.gguf missing.gguf
expect 3 'weights are not read from URLs' compare hf://ORG/REPO/model.gguf same.gguf
expect 3 'only its beginning is read' compare base.gguf https://localhost:1/model.gguf
expect 2 'compare needs BASE and FILE' compare base.gguf
expect 2 'compare needs BASE and FILE' compare
expect 2 'or --source DIR and FILE' compare --source .
expect 2 'base.gguf' compare --report json=base.gguf base.gguf same.gguf
head -c 3000 same.gguf >cut.gguf
expect 1 '^FAIL  cut.gguf' compare base.gguf cut.gguf
head -c -100 same.gguf >short.gguf
expect 3 'past the end of the file, which is truncated' compare short.gguf base.gguf
expect 1 'but its data is not in the file' compare base.gguf short.gguf
"$ggufcheck" corpus assemble "$cases/legacy/valid-ggjt-1.gguft" -o old.bin
expect 3 'only GGUF files are compared' compare base.gguf old.bin

# Shards, on either side.
for i in 1:first 2:second 3:third; do
  "$ggufcheck" corpus assemble "$cases/shards/valid-${i#*:}.gguft" -o "Tiny-1K-v1.0-F32-0000${i%:*}-of-00003.gguf"
done
mkdir set other
cp Tiny-* set && mv Tiny-* other
expect 0 '^3 files: 3 pass' compare set/Tiny-1K-v1.0-F32-00001-of-00003.gguf other
expect 0 '^3 files: 3 pass' compare set/Tiny-1K-v1.0-F32-00003-of-00003.gguf other
rm set/Tiny-1K-v1.0-F32-00002-of-00003.gguf
expect 3 'other shards|in the base' compare set/Tiny-1K-v1.0-F32-00001-of-00003.gguf other
cp other/Tiny-1K-v1.0-F32-00002-of-00003.gguf set
rm other/Tiny-1K-v1.0-F32-00003-of-00003.gguf
expect 3 'other shards of the file, with the rest of its tensors, are missing' compare set/Tiny-1K-v1.0-F32-00001-of-00003.gguf other

# A Hugging Face folder.
expect 3 'source "nowhere": no such folder' compare --source nowhere same.gguf
expect 3 'source "same.gguf": is not a folder' compare --source same.gguf same.gguf
mkdir -p source other/config.json
expect 3 '"other/config.json": is a directory' compare --source other same.gguf
expect 3 'there is no config.json' compare --source source same.gguf
echo '{"architectures": ["LlamaForCausalLM"], "num_hidden_layers": 1}' >source/config.json
expect 0 'compare-tensors-present.*the source has no "model.safetensors"' compare --source source same.gguf
expect 0 '^PASS  same.gguf' compare --source source same.gguf
expect 0 '^compared with: source' compare --source source same.gguf
echo '{"architectures": ["Qwen2ForCausalLM"], "num_hidden_layers": 9}' >source/config.json
expect 1 'is "llama", but "qwen2" in the source \(config.json: architectures\)' compare --source source same.gguf
echo '{"architectures": ["LlamaForCausalLM"], "num_hidden_layers": 9}' >source/config.json
expect 1 'is 1, but 9 in the source \(config.json: num_hidden_layers\)' compare --source source same.gguf
echo '{' >source/config.json
expect 3 'config.json is not valid JSON' compare --source source same.gguf

if ((failures > 0)); then
  echo "$failures failed"
  exit 1
fi
echo 'all passed'
