#!/bin/bash
# Runs the scripts of the integrations as their hosts run them.
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

# The workflow for a reader's repository ----------------------------------------

# step NAME: runs the script of a step of the workflow, as GitHub does.
# shellcheck disable=SC2317  # Called by expect.
step() {
  awk -v name="- name: $1" '
    index($0, name) { found = 1; next }
    found && /^ *run: [^|]/ { sub(/^ *run: /, ""); print; exit }
    found && /^ *run: [|]/ { script = 1; next }
    script && (/^$/ || /^      - /) { exit }
    script { sub(/^          /, ""); print }' "$here/github/reader.yml" >step.sh
  [[ -s step.sh ]] || return 99
  GITHUB_STEP_SUMMARY=comments bash -e step.sh
}
# A toy with a bug, and without it.
mkdir -p reader/testing corpus/cases/header
cp "$here/../conformance/readers/adapters/gguf_testee.py" reader
cp "$here/../conformance/readers/adapters/testing/toy_reader.py" reader/testing/good.py
sed 's/if self.version > 3:/if False:/' reader/testing/good.py >reader/testing/bad.py
cp "$cases"/header/valid-one-key.gguft "$cases"/header/invalid-version-4.gguft corpus/cases/header
export ADAPTER="python3 reader/testing/good.py"
expect "the reader's adapter" 0 'conforms to the protocol' step "Check the adapter"
expect "the reader on the main branch" 0 'toy-python' step "Run the reader"
export FINDINGS=none FUZZ_TIME=3s
expect "a reader without findings" 0 '' step "Read earlier findings again"
expect "a reader that is fuzzed" 0 'toy-python 1: [0-9]+ executions' step "Fuzz the reader"
sed 's/raise Reject("an unknown version")/raise KeyError(self.version)/' reader/testing/good.py >reader/testing/dies.py
ADAPTER="python3 reader/testing/dies.py"
FUZZ_TIME=20s
expect "a reader that dies" 1 'exception  KeyError' step "Fuzz the reader"
FINDINGS=findings
expect "a reader that still dies" 1 'exception  KeyError' step "Read earlier findings again"
rm -r findings
FINDINGS=none
ADAPTER="python3 reader/testing/good.py"
expect "its first comparison" 0 '' step "Compare with the main branch"
grep -q 'Nothing changed' comments || fail "no summary of the first comparison"
expect "the log of the main branch" 0 '' step "Prepare the log for later runs"
ADAPTER="python3 reader/testing/bad.py"
expect "the reader of a pull request" 0 'false-accept' step "Run the reader"
expect "the comparison of a pull request" 1 '' step "Compare with the main branch"
# shellcheck disable=SC2016  # Markdown.
grep -q '` header/invalid-version-4 `: ` pass ` → ` false-accept `' changes.md || fail "the comment: $(cat changes.md)"
grep -q '<title>Readers of GGUF' report.html || fail "the page of the reader"

# The GitHub action ------------------------------------------------------------

# shellcheck disable=SC2317  # Called by expect.
action() {
  rm -f output sarif.json
  env GITHUB_STEP_SUMMARY=summary GITHUB_OUTPUT=output GGUFCHECK_SARIF=sarif.json "$@" \
    "$here/github/check.sh"
}
expect "a good model" 0 '' action GGUFCHECK_PATHS="$good"
grep -q '^exit-code=0$' output || fail "the output exit-code"
[[ -s summary ]] || fail "a summary of the job"
grep -q '"version": *"2.1.0"' sarif.json || fail "a SARIF report"
echo "# of a step before" >summary
expect "a broken model" 1 '^::error .*tensor-offset-aligned' action GGUFCHECK_PATHS=$'\n'"$bad"$'\n'
grep -q '^exit-code=1$' output || fail "the output exit-code of a broken model"
[[ $(head -n 1 summary) == '# of a step before' && $(wc -l <summary) -gt 5 ]] ||
  fail "the summary is not appended"
expect "several paths and arguments" 1 '' \
  action GGUFCHECK_PATHS="$good"$'\n'"$bad" GGUFCHECK_ARGUMENTS=$'--weights\n--jobs\n1'
variables() { grep -o 'GGUFCHECK_[A-Z][A-Z_]*' "$here/github/$1" | sort -u; }
diff <(variables action.yml) <(variables check.sh) || fail "the action has other inputs than its script"
# Inputs are neither code nor flags.
# shellcheck disable=SC2016
grep -q '^ *run:.*\${{' "$here/github/action.yml" && fail "an input is put into a script"
# shellcheck disable=SC2016
expect "a path like a command" 3 'No such file' action GGUFCHECK_PATHS='$(touch pwned)'
expect "a path like a flag" 3 'No such file' action GGUFCHECK_PATHS='--help'
[[ ! -e pwned ]] || fail "an input was run"
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n' >pointer.gguf
expect "a pointer" 3 '^::warning .*lfs: true' action GGUFCHECK_PATHS=pointer.gguf
expect "no program" 3 '^::error .*no program' action GGUFCHECK_PROGRAM=nowhere/ggufcheck
echo 'ignore = ["*"' >broken.toml
expect "a broken configuration" 2 '' action GGUFCHECK_PATHS="$good" GGUFCHECK_CONFIG=broken.toml

# A release, from a folder in place of a server.
releases=$work/releases/v9.9.9
mkdir -p "$releases" "ggufcheck-9.9.9/bin" temp
cp -L "$ggufcheck" ggufcheck-9.9.9/bin/ggufcheck
archive=$releases/ggufcheck-9.9.9-linux-$(uname -m).tar.gz
tar -czf "$archive" ggufcheck-9.9.9 && rm -r ggufcheck-9.9.9
sum=$(sha256sum <"$archive")
release=(GGUFCHECK_RELEASES="file://$work/releases" GGUFCHECK_PROGRAM=nowhere
  RUNNER_TEMP="$work/temp" GGUFCHECK_PATHS="$good")
expect "a release" 0 '' action "${release[@]}" GGUFCHECK_VERSION=9.9.9 GGUFCHECK_SHA256="${sum%% *}"
expect "another sum" 3 "expected 00" action "${release[@]}" GGUFCHECK_VERSION=9.9.9 GGUFCHECK_SHA256=00
expect "no release" 3 'cannot download' action "${release[@]}" GGUFCHECK_VERSION=9.9.8 GGUFCHECK_SHA256=00

# The pre-commit hook ----------------------------------------------------------

hook=$here/pre-commit/ggufcheck-hook
expect "the hook on a good model" 0 PASS "$hook" "$good"
expect "the hook on a broken model" 1 FAIL "$hook" "$bad"
expect "the hook with flags" 3 'the limit of 2 keys' "$hook" --profile spec --limit-keys 2 -- "$good"
cp -- "$bad" '--ignore=*.gguf'
expect "a file like a flag" 1 FAIL "$hook" '--ignore=*.gguf' "$good"
expect "the hook without a program" 3 'no ggufcheck' env GGUFCHECK=nowhere/ggufcheck "$hook" "$good"
git init -q repository
cd repository || exit 1
expect "nothing to commit" 0 '' "$hook"
cp "$bad" ' -bad.gguf' && git add .
expect "what is to be committed" 1 FAIL "$hook"
cd .. || exit 1

# The upload server ------------------------------------------------------------

uploads=$here/upload-server/ggufcheck-uploads
export GGUFCHECK_CONFIG=$here/upload-server/ggufcheck.toml
mkdir -p models/incoming
# is_in FOLDER NAME...: each upload is in FOLDER, with a report, and nowhere else.
is_in() {
  local name
  for name in "${@:2}"; do
    [[ -s models/$1/$name && -s models/$1/$name.json ]] || fail "$name is not in $1"
    [[ ! -e models/waiting/$name && ! -e models/incoming/$name ]] || fail "$name is still there"
  done
}
cp "$good" models/incoming/good.gguf
cp "$bad" models/incoming/bad.gguf
cp pointer.gguf models/incoming/
"$ggufcheck" corpus assemble "$cases/legacy/valid-ggjt-3.gguft" -o models/incoming/old.bin || fail "no legacy model"
mkfifo models/incoming/pipe.gguf
expect "uploads" 3 '' timeout 60 "$uploads" models
is_in accepted good.gguf
is_in rejected bad.gguf old.bin
is_in unchecked pointer.gguf
[[ -z $(ls -A models/incoming) ]] || fail "systemd would start it again and again"

# A model of three shards waits for the second, and is checked as one.
shard() { "$ggufcheck" corpus assemble "$cases/shards/$1.gguft" -o "models/incoming/$2"; }
shard valid-first model-00001-of-00003.gguf
shard valid-third model-00003-of-00003.gguf
expect "shards without their second" 0 '' "$uploads" models
[[ -e models/waiting/model-00001-of-00003.gguf ]] || fail "a shard does not wait for its model"
shard valid-second model-00002-of-00003.gguf
expect "the second shard" 0 '' "$uploads" models
is_in accepted model-0000{1,2,3}-of-00003.gguf
# A shard that does not fit makes its model fail.
shard valid-first other-00001-of-00003.gguf
shard invalid-architecture other-00002-of-00003.gguf
shard valid-third other-00003-of-00003.gguf
expect "a shard that does not fit" 0 '' "$uploads" models
is_in rejected other-0000{1,2,3}-of-00003.gguf
expect "no uploads" 0 '' "$uploads" models
[[ $(ls -A models/unchecked) == pointer.gguf$'\n'pointer.gguf.json ]] ||
  fail "something is left: $(ls -A models/unchecked)"

# The Pods of Kubernetes ---------------------------------------------------------

# Runs the script in the manifest with folders of this test, as Pod INDEX of 3.
# shellcheck disable=SC2317  # Called by expect.
pod() {
  awk '$1 == "env:" { exit } script { print } $1 == "-" && $2 == "|" { script = 1 }' \
    "$here/kubernetes/job.yaml" | sed 's#"/reports/#"reports/#; s# /models$# pods#' >pod.sh
  env JOB_COMPLETION_INDEX="$1" JOB_COMPLETIONS=3 sh pod.sh
}
mkdir reports pods
cp "$good" pods/a.gguf
cp "$bad" pods/b.gguf
cp pointer.gguf pods/c.gguf
expect "a Pod that finds nothing" 0 PASS pod 0
expect "a Pod that finds something" 0 FAIL pod 1
expect "a Pod that cannot check" 3 INCOMPLETE pod 2
"$ggufcheck" check --format json pods >whole.json
expect "their reports" 3 '' "$ggufcheck" merge-reports --report json=merged.json reports/{0,1,2}.ndjson
cmp whole.json merged.json || fail "the reports of the Pods are not those of one run"

exit "$((failures > 0))"
