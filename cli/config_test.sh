#!/bin/bash
# End to end: ggufcheck.toml and baselines.
#
# SPDX-License-Identifier: Apache-2.0
set -u

here=$PWD
ggufcheck=$PWD/$1
good=$PWD/$2
broken=$PWD/$3
document=$PWD/$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# shellcheck source=cli/expect.sh
. "$here/cli/expect.sh"

check() { "$ggufcheck" check "$@"; }
json() { "$ggufcheck" check --format json "$@"; }
inside() { (cd "$1" && shift && "$@"); }
config() { cat >ggufcheck.toml; }

mkdir -p repository/deep/er repository/archive
cd repository || exit 1
mkdir .git
cp "$good" Good-1K-v1.gguf
cp "$broken" broken.gguf
cp "$good" deep/er/Odd.gguf
cp "$good" archive/old.gguf

# Which file: from the working folder or its nearest parent, not the model's.
config <<<'profile = "pedantic"'
expect 0 '"profile": "pedantic"' json Good-1K-v1.gguf
expect 0 '"config": "ggufcheck.toml"' json Good-1K-v1.gguf
expect 0 '"config": "../../ggufcheck.toml"' inside deep/er json Odd.gguf
expect 0 '^configuration: ggufcheck.toml$' check Good-1K-v1.gguf
expect 0 '"profile": "upload"' json --no-config Good-1K-v1.gguf
expect 0 '"config": null' json --no-config Good-1K-v1.gguf
echo 'profile = "spec"' >deep/ggufcheck.toml
expect 0 '"profile": "spec"' inside deep/er json Odd.gguf
expect 0 '"profile": "pedantic"' json deep/er/Odd.gguf
expect 0 '"profile": "spec"' json --config deep/ggufcheck.toml Good-1K-v1.gguf
expect 2 '^ggufcheck: none.toml: no such file' check --config none.toml Good-1K-v1.gguf
expect 2 'config and --no-config are mutually exclusive' check --no-config --config deep/ggufcheck.toml Good-1K-v1.gguf
rm deep/ggufcheck.toml
# Not above the repository.
mv ggufcheck.toml ..
expect 0 '"profile": "upload"' json Good-1K-v1.gguf
rm ../ggufcheck.toml
ln -s nowhere ggufcheck.toml
expect 2 'ggufcheck.toml: no such file' check Good-1K-v1.gguf
rm ggufcheck.toml

# `init` writes one that changes nothing; `config show` tells where settings are
# from.
expect 0 '^# There is no configuration.$' "$ggufcheck" config show
expect 0 '^wrote ggufcheck.toml$' "$ggufcheck" init
expect 3 'ggufcheck.toml exists in this directory; edit it, or remove it first' "$ggufcheck" init
expect 0 '"config": "ggufcheck.toml"' json Good-1K-v1.gguf
expect 0 '^profile = "upload"  # default$' "$ggufcheck" config show
config <<<'profile = "spec"'
expect 0 '^profile = "spec"  # ../../ggufcheck.toml$' inside deep/er "$ggufcheck" config show
expect 0 '^profile = "spec"  # ggufcheck.toml$' "$ggufcheck" config show --config ggufcheck.toml
config <<<'preview = true'
expect 0 '^preview = true  # ggufcheck.toml$' "$ggufcheck" config show

# `profiles` lists the profiles of the configuration.
config <<'END'
profile = "ours"
[profiles.ours]
extends = "spec"
END
expect 0 '^Profiles \(--profile\), with ggufcheck.toml:$' "$ggufcheck" profiles
expect 0 '^  ours +Does the file obey the written specification\? \(default\)' "$ggufcheck" profiles
echo 'profile = 7' >ggufcheck.toml
expect 2 '^ggufcheck: ggufcheck.toml:1: ' "$ggufcheck" profiles
rm ggufcheck.toml

# The command line takes precedence.
config <<'END'
profile = "spec"
fail-on = "note"
select = ["key-*"]
[limits]
keys = 3
END
expect 3 'the limit of 3 ' check Good-1K-v1.gguf
expect 0 '"profile": "safety"' json --profile safety --limit-keys 100 Good-1K-v1.gguf
expect 0 '"fail_on": "warning"' json --fail-on warning --limit-keys 100 Good-1K-v1.gguf
expect 1 'tensor-offset-aligned' check --select 'tensor-*' --limit-keys 100 broken.gguf
expect 1 '!tensor-offset-aligned' check --limit-keys 100 broken.gguf

# Profiles of some files: the longest glob applies, a flag is for all files.
config <<'END'
profile = "safety"
[per-file-profiles]
"archive/*" = "spec"
"*/old.gguf" = "pedantic"
"Odd.gguf" = "spec"
END
expect 0 '^      "profile": "pedantic",' json archive/old.gguf
expect 0 'file-name-convention' check archive/old.gguf
expect 0 ', profile pedantic,' check archive/old.gguf
expect 0 ', profile spec,' check deep/er/Odd.gguf
expect 0 '!, profile ' check Good-1K-v1.gguf
expect 0 '!, profile ' check --profile safety archive/old.gguf

# Line ends as Windows writes them, and a path with a backslash, which is a letter of a name.
config <<<$'profile = "spec"\r\n[severities]\r\nfile-name-convention = "error"\r'
expect 1 '"profile": "spec"' json archive/old.gguf
cp Good-1K-v1.gguf 'C:\models\m.gguf'
expect 0 '^(PASS|FAIL)  C:\\\\models\\\\m.gguf' "$ggufcheck" 'C:\models\m.gguf' --no-config
rm 'C:\models\m.gguf'

# Mistakes name the line.
config <<<$'\nprofil = "spec"'
expect 2 '^ggufcheck: ggufcheck.toml:2: unknown key "profil"; did you mean profile\?' check Good-1K-v1.gguf
config <<<$'[severities]\nkey-uniqe = "off"'
expect 2 '^ggufcheck: ggufcheck.toml:2: there is no rule "key-uniqe"; did you mean key-unique\?' check Good-1K-v1.gguf
config <<<$'a\x1b[31m = 1'
expect 2 '!'$'\x1b' check Good-1K-v1.gguf
rm ggufcheck.toml
expect 2 'there is no profile "uplaod"; did you mean upload\?' check --profile uplaod Good-1K-v1.gguf

# The example in the documentation works.
sed -n '/^```toml$/,/^```$/p' "$document" | sed '1d;$d' | config
expect 1 'policy-architecture-allowed|policy-key-present' check Good-1K-v1.gguf
expect 1 '"profile": "hub"' json Good-1K-v1.gguf
expect 1 'file-name-convention' check deep/er/Odd.gguf
expect 1 '!file-name-convention' check archive/old.gguf
for rule in file-name file-size architecture tensor-type; do
  expect 0 "policy-$rule-allowed" "$ggufcheck" explain "policy-$rule-allowed"
done

# A policy.
config <<'END'
[policy]
file-name = '[A-Z].*\.gguf'
file-size = 5791
[policy.keys]
"general.license" = ["mit"]
END
expect 1 'file.size is 5792 bytes, but your policy allows 5791' check Good-1K-v1.gguf
expect 1 'kv\[general.license\]' check Good-1K-v1.gguf
expect 1 'file.name "old.gguf" does not match' check archive/old.gguf
expect 0 '!policy-' json --no-config --profile pedantic Good-1K-v1.gguf
expect 1 'not checked: policy-file-name-allowed \(the file has no name\)' bash -c '"$0" check --select "policy-*" - <Good-1K-v1.gguf' "$ggufcheck"
# Under its old name.
config <<<$'ignore = ["house-key-present"]\n[house]\nfile-size = 5791'
expect 1 '^ggufcheck: ggufcheck.toml:2: \[house\] is now \[policy\]' check Good-1K-v1.gguf
expect 0 'ggufcheck.toml:1: house-key-present is now policy-key-present' "$ggufcheck" profiles
expect 1 'file.size is 5792 bytes' check --select 'house-file-size-allowed' Good-1K-v1.gguf
echo '{"file":"Good-1K-v1.gguf","rule":"house-file-size-allowed","subject":"file.size","reason":"r"}' >old.jsonl
expect 0 '^ggufcheck: old.jsonl: house-file-size-allowed is now policy-file-size-allowed' check --baseline old.jsonl Good-1K-v1.gguf
rm ggufcheck.toml

# Types.  The data of the first tensor is 80 bytes: 4 blocks of 32 elements in 20.
cat >own.gguft <<'END'
gguf 3
kv "general.architecture" str "llama"
tensor "w" 4711 [64 2] data { zeros 80 }
tensor "v" F32 [8] offset 96
END
expect 0 '' "$ggufcheck" corpus assemble own.gguft --output own.gguf
sizes() { check --profile llama.cpp --select 'tensor-*,policy-*' "$@"; }
expect 1 'update ggufcheck, or describe the type in \[types\]' sizes own.gguf
expect 0 '"type":"4711","dims":\["64","2"\],"offset":"0","size":null' "$ggufcheck" dump own.gguf
expect 1 'misplaced or of unknown size' "$ggufcheck" digest own.gguf
expect 1 'llama.cpp .*refuses|rejects' check --readers --select 'tensor-*' own.gguf
types() { config <<<$'[policy]\ntensor-types = ["F32", "Q9_X"]\n[types]\n'"$1"; }
for size in 'elements = 32, bytes = 20' 'size = "elements / 32 * 20"'; do
  types "Q9_X = { id = 4711, $size }"
  expect 0 '^PASS' sizes own.gguf
  expect 0 '"type":"Q9_X","dims":\["64","2"\],"offset":"0","size":"80"' "$ggufcheck" dump own.gguf
  expect 0 '"size":null' "$ggufcheck" dump --no-config own.gguf
  expect 0 '"name":"w","size":80' "$ggufcheck" digest own.gguf
  expect 0 '!rejects because of tensor-type-known' check --readers --select 'tensor-*' own.gguf
  expect 0 "^Q9_X = \{ id = 4711, ${size//\*/.} \}  # ggufcheck.toml" "$ggufcheck" config show
  expect 1 'cannot be read: its type' "$ggufcheck" dequantize own.gguf w --output w.npy
  expect 1 'not all tensors could be read' "$ggufcheck" stats own.gguf
done
# Of a type of a fork, too, only the size is known.
sed 's/4711/202/' own.gguft >foreign.gguft
expect 0 '' "$ggufcheck" corpus assemble foreign.gguft --output foreign.gguf
cp foreign.gguf base.gguf
expect 0 '"type":"202","dims":\["64","2"\],"offset":"0","size":"72"' "$ggufcheck" dump foreign.gguf
expect 1 'cannot be read: its type' "$ggufcheck" dequantize foreign.gguf w --output w.npy
expect 1 'not all tensors could be read' "$ggufcheck" stats foreign.gguf
expect 1 'is Q4_0_R8, which cannot be compared with Q4_0_R8' "$ggufcheck" compare base.gguf foreign.gguf
types 'Q9_X = { id = 4711, elements = 32, bytes = 28 }'
expect 1 'tensor\[v\].offset is 96, inside the data of "w" at 0' sizes own.gguf
types 'Q9_X = { id = 4711, elements = 128, bytes = 80 }'
expect 1 'are \[64, 2\], but Q9_X has blocks of 128 elements' sizes own.gguf
types $'Q9_X = { id = 4712, size = "elements" }\nQ9_Y = { id = 4711, elements = 32, bytes = 20 }'
expect 1 'tensor\[w\].type is Q9_Y, not one of "F32, Q9_X"' sizes own.gguf
types 'Q9_X = { id = 4711, size = "elements / " }'
for command in 'check' 'dump' 'digest'; do
  expect 2 '^ggufcheck: ggufcheck.toml:4: "size" must be an expression: expected a number' "$ggufcheck" $command own.gguf
done
rm ggufcheck.toml

# Baselines.
expect 1 'errors? of the profile safety' check --write-baseline known.jsonl broken.gguf
expect 2 'known.jsonl:1: the reason is empty' check --baseline known.jsonl broken.gguf
expect 1 '^FAIL' check --write-baseline known.jsonl --baseline-reason 'as ever' broken.gguf
expect 1 '"warning": 0' json --baseline known.jsonl broken.gguf
expect 0 '^PASS' check --write-baseline all.jsonl --baseline-reason x --baseline-safety broken.gguf
expect 1 'an error of the profile safety' check --baseline all.jsonl broken.gguf
expect 0 '^PASS' check --baseline all.jsonl --baseline-safety broken.gguf
expect 0 'known: 8 findings in the baseline' check --baseline all.jsonl --baseline-safety broken.gguf
expect 0 '"reason": "x"' json --baseline all.jsonl --baseline-safety broken.gguf
expect 0 '^PASS' inside deep check --baseline ../all.jsonl --baseline-safety ../broken.gguf
sort -c all.jsonl || fail 'a baseline is sorted'
# Lines of other files are kept; lines of repaired findings are stale.
expect 0 '!stale' check --baseline all.jsonl Good-1K-v1.gguf
cp broken.gguf was-broken.gguf
cp "$good" broken.gguf
expect 0 'all.jsonl: stale, no longer found: broken.gguf, key-unique, ' check --baseline all.jsonl broken.gguf
expect 0 '"stale": \[' json --baseline all.jsonl broken.gguf
rm broken.gguf
expect 0 'stale' check --baseline all.jsonl Good-1K-v1.gguf
expect 0 '^PASS' check --write-baseline all.jsonl Good-1K-v1.gguf
[[ -e all.jsonl && ! -s all.jsonl ]] || fail 'stale lines are kept'
# Mistakes.
expect 2 'baseline and --write-baseline are mutually exclusive' check --baseline a --write-baseline b Good-1K-v1.gguf
expect 2 'baseline-reason requires' check --baseline-reason r Good-1K-v1.gguf
expect 2 'cannot read none.jsonl' check --baseline none.jsonl Good-1K-v1.gguf
expect 3 'cannot write /none/b' check --write-baseline /none/b Good-1K-v1.gguf
expect 3 'were not kept; raise --limit-findings' check --limit-findings 0 --write-baseline b.jsonl --baseline-safety was-broken.gguf
[[ ! -e b.jsonl ]] || fail 'an incomplete baseline'

exit $((failures > 0))
