#!/bin/bash
# No command overwrites its input, under any name, and files are replaced
# completely or not at all.
#
# SPDX-License-Identifier: Apache-2.0
set -u

here=$PWD
ggufcheck=$PWD/$1
good=$PWD/$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# shellcheck source=cli/expect.sh
. "$here/cli/expect.sh"

check() { "$ggufcheck" check "$@"; }

# refuse FILE COMMAND...: expects exit code 2, both names in the message, and
# FILE unchanged.
refuse() {
  local file=$1
  shift
  cp "$file" before
  expect 2 "cannot write .*$output.*: it would overwrite \"$file\", " "$@"
  cmp -s before "$file" || fail "$file is not what it was after $*"
  cp before "$file"
}

cp "$good" model.gguf
cp "$good" base.gguf
for i in 1 2; do cp "$good" "split-0000$i-of-00002.gguf"; done
"$ggufcheck" digest model.gguf >digest.json
echo model.gguf >list
printf 'model.gguf\0' >list0
echo 'profile = "spec"' >own.toml
check --write-baseline known.jsonl --baseline-reason r --baseline-safety model.gguf >/dev/null

# Reports, under each name of the file.
for output in model.gguf ./model.gguf hard.gguf link.gguf; do
  case $output in
    hard.gguf) ln model.gguf hard.gguf ;;
    link.gguf) ln -s model.gguf link.gguf ;;
  esac
  refuse model.gguf check --report "json=$output" model.gguf
done
over() {
  output=$1
  refuse "$output" check --report "json=$output" "${@:2}" model.gguf
}
over base.gguf --base base.gguf
over split-00002-of-00002.gguf --base split-00001-of-00002.gguf
over digest.json --digest digest.json
over list --files-from list
over list0 --files-from0 list0
over own.toml --config own.toml
over known.jsonl --baseline known.jsonl
over known.jsonl --write-baseline known.jsonl
output=split-00002-of-00002.gguf
refuse $output check --report "json=$output" split-00001-of-00002.gguf
check --format json model.gguf >one.json
output=one.json
refuse one.json "$ggufcheck" merge-reports --report html=one.json one.json

# Baselines.
output=own.toml
refuse own.toml check --config own.toml --write-baseline own.toml model.gguf
output=list
refuse list check --files-from list --write-baseline list

# Arrays and cases.
ln -s model.gguf model.bin
output=model.bin
cp model.gguf before
expect 2 'cannot write "model.bin": it would overwrite "model.gguf", the model' "$ggufcheck" dequantize model.gguf '#0' --output model.bin
cmp -s before model.gguf || fail 'dequantize destroyed its model'
cp before model.gguf
output=a.gguft
"$ggufcheck" corpus disassemble model.gguf -o a.gguft
refuse a.gguft "$ggufcheck" corpus assemble a.gguft -o a.gguft

# A failure leaves the old file, and no temporary file.
mkdir kept
echo old >kept/x.bin
echo old >kept/x.gguf
echo old >kept/x.jsonl
(ulimit -f 0 && exec "$ggufcheck" dequantize model.gguf '#0' --output kept/x.bin) 2>/dev/null
(ulimit -f 0 && exec "$ggufcheck" corpus assemble a.gguft -o kept/x.gguf) 2>/dev/null
[[ $(cat kept/*) == $'old\nold\nold' ]] || fail 'a file that could not be written replaced the old one'
[[ $(ls kept | wc -l) -eq 3 ]] || fail "something is left: $(ls kept)"

# A report does not get the place of a closed standard stream.
for stream in '>&-' '2>&-' '<&- >&- 2>&-'; do
  rm -f r.json
  eval "check --report json=r.json model.gguf $stream" 2>/dev/null
  python3 -m json.tool r.json >/dev/null || fail "no JSON with $stream"
done

# It is not an error when the reader of standard output closes the pipe.
for command in 'rules' 'corpus disassemble model.gguf' 'dump model.gguf' 'check --format json model.gguf' 'dequantize model.gguf #0 --output -'; do
  # shellcheck disable=SC2086 # Words.
  { sleep 0.2; "$ggufcheck" $command 2>error; } | :
  [[ ! -s error ]] || fail "$command | : says $(<error)"
done

# Mistyped words and wrong values.
expect 2 '^ggufcheck: unknown command "chek"; did you mean check\?$' "$ggufcheck" chek
expect 2 '^ggufcheck: unknown command "lst"; did you mean list\?$' "$ggufcheck" corpus lst
expect 2 '^ggufcheck: unknown flag "--weigths"; did you mean --weights\?$' check --weigths
expect 2 '^ggufcheck: unknown flag "--frobnicate"; see ggufcheck check --help$' check --frobnicate x
expect 2 'invalid value "jsn": expected one of .*; did you mean json\?$' check --format jsn model.gguf
expect 2 'invalid value "eror": .*; did you mean error\?$' check --fail-on eror model.gguf
expect 2 'invalid value "allways": .*; did you mean always\?$' check --color allways model.gguf
expect 2 'invalid value "yaml": .*; see ggufcheck check --help$' check --format yaml model.gguf

if ((failures > 0)); then
  echo "$failures failed"
  exit 1
fi
echo 'all passed'
