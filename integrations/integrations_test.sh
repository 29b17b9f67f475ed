#!/bin/bash
# The scripts of the integrations, run as their hosts run them.
#
# SPDX-License-Identifier: Apache-2.0
set -u

ggufcheck=$PWD/$1
here=$PWD/integrations
cases=$PWD/corpus/cases
examples=$PWD/corpus/examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir bin && ln -s "$ggufcheck" bin/ggufcheck
export PATH=$work/bin:$PATH

failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# expect WHAT CODE PATTERN COMMAND...
expect() {
  local what=$1 code=$2 pattern=$3 output got
  shift 3
  output=$("$@" 2>&1)
  got=$?
  [[ $got -eq $code ]] || fail "$what: exit $got, wanted $code: $output"
  grep -Eq -- "$pattern" <<<"$output" || fail "$what: no line like $pattern in: $output"
}

good=$examples/Example-1K-v1.0-F32.gguf
bad=$examples/broken.gguf

# The GitHub action ------------------------------------------------------------

action() {
  rm -f summary output sarif.json
  env GITHUB_STEP_SUMMARY=summary GITHUB_OUTPUT=output GGUFCHECK_SARIF=sarif.json "$@" \
    "$here/github/check.sh"
}
expect "a good model" 0 '' action GGUFCHECK_PATHS="$good"
grep -q '^exit-code=0$' output || fail "the output exit-code"
[[ -s summary ]] || fail "a summary of the job"
grep -q '"version": *"2.1.0"' sarif.json || fail "a SARIF report"
echo "# before" >summary
expect "a broken model" 1 '^::error .*tensor-offset-aligned' action GGUFCHECK_PATHS=$'\n'"$bad"$'\n'
grep -q '^exit-code=1$' output || fail "the output exit-code of a broken model"
expect "several paths and arguments" 1 '' \
  action GGUFCHECK_PATHS="$good"$'\n'"$bad" GGUFCHECK_ARGUMENTS=$'--weights\n--jobs\n1'
# Inputs are no code, and no flags.
expect "a path like a command" 3 'No such file' action GGUFCHECK_PATHS='$(touch pwned)'
expect "a path like a flag" 3 'No such file' action GGUFCHECK_PATHS='--help'
[[ ! -e pwned ]] || fail "an input was run"
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n' >pointer.gguf
expect "a pointer" 3 '^::warning .*lfs: true' action GGUFCHECK_PATHS=pointer.gguf
expect "no program" 3 '^::error .*no program' action GGUFCHECK_PROGRAM=nowhere/ggufcheck
echo 'ignore = ["*"' >broken.toml
expect "a broken configuration" 2 '' action GGUFCHECK_PATHS="$good" GGUFCHECK_CONFIG=broken.toml

# The pre-commit hook ----------------------------------------------------------

hook=$here/pre-commit/ggufcheck-hook
expect "the hook on a good model" 0 PASS "$hook" "$good"
expect "the hook on a broken model" 1 FAIL "$hook" "$bad"
expect "the hook with a flag" 1 FAIL env GGUFCHECK_FLAGS="--profile spec" "$hook" "$bad"
expect "the hook without a program" 3 'no ggufcheck' env GGUFCHECK=nowhere/ggufcheck "$hook" "$good"
if command -v git >/dev/null; then
  git init -q repository
  cd repository || exit 1
  expect "nothing to commit" 0 '' "$hook"
  cp "$bad" ' -bad.gguf' && git add .
  expect "what is to be committed" 1 FAIL "$hook"
  cd ..
fi

# The upload server ------------------------------------------------------------

uploads=$here/upload-server/ggufcheck-uploads
mkdir -p models/incoming
cp "$good" models/incoming/good.gguf
cp "$bad" models/incoming/bad.gguf
printf 'version https://git-lfs.github.com/spec/v1\n' >models/incoming/pointer.gguf
shard() { "$ggufcheck" corpus assemble "$cases/shards/$1.gguft" -o "models/incoming/$2"; }
expect "uploads" 3 '' "$uploads" models
[[ -e models/accepted/good.gguf && -s models/accepted/good.gguf.json ]] || fail "a good upload"
[[ -e models/rejected/bad.gguf && -s models/rejected/bad.gguf.json ]] || fail "a bad upload"
[[ -e models/unchecked/pointer.gguf ]] || fail "an upload that could not be checked"

exit "$((failures > 0))"
