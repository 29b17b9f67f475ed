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
expect 1 'file.size is 5792 bytes; your policy allows 5791' check Good-1K-v1.gguf
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
