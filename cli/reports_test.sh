#!/bin/bash
# `check` writes reports of every format completely or not at all: several at
# once, to full disks and closed pipes, and when it is interrupted.
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
IFS=', ' read -ra formats < <(check --format none 2>&1 | sed -n 's/.*: expected one of \(.*\);.*/\1/p')

# For each format, a line that it contains and its end.  Markdown has no end, so
# its description of the run is expected instead.
declare -A line=(
  [text]='^FAIL  broken.gguf' [json]='"path": "broken.gguf",'
  [ndjson]='^\{"record":"file","index":1,"path":"broken.gguf"'
  [sarif]='"ruleId": "tensor-offset-aligned",'
  [junit]='<testsuite name="broken.gguf" ' [markdown]='^### ` broken.gguf `: fail'
  [html]='<code>broken.gguf</code>' [github]='^::error file=broken.gguf,title='
)
declare -A end=(
  [text]='^(2 files: |INCOMPLETE  |not checked: the weights )' [json]='^\}$' [ndjson]='^\{"record":"end",' [sarif]='^\}$'
  [junit]='^</testsuites>$' [markdown]='' [html]='^</html>$' [github]='^::'
)

[[ ${#formats[@]} -gt 1 ]] || fail "the formats of the program are: ${formats[*]}"
for format in "${formats[@]}"; do
  [[ -v line[$format] && -v end[$format] ]] || fail "this test has no line and end of $format"
done
[[ $(sed -n '/^| format /,/^$/s/^| `\([a-z]*\)` .*/\1/p' "$document") == $(printf '%s\n' "${formats[@]}") ]] ||
  fail "the table of docs/reports.md does not list the formats in their order: ${formats[*]}"

# expect_whole FORMAT FILE: expects a complete report.
expect_whole() {
  tail -n 1 "$2" | grep -Eq -- "${end[$1]}" || fail "$2 is cut short ($1)"
}

cp "$good" good.gguf
cp "$broken" broken.gguf

# Each format, on standard output, and all at once.
reports=()
for format in "${formats[@]}"; do
  expect 1 "${line[$format]}" check --format "$format" good.gguf broken.gguf
  reports+=(--report "$format=all/$format")
done
mkdir all
# what_is_found FILE: prints a report without its time and command.
what_is_found() {
  sed -E 's/ (time|timestamp)="[^"]*"//g; /^<p class="command">/d' "$1"
}
expect 1 '^FAIL' check "${reports[@]}" good.gguf broken.gguf
for format in "${formats[@]}"; do
  check --format "$format" good.gguf broken.gguf >expected
  cmp -s <(what_is_found expected) <(what_is_found "all/$format") || fail "the $format report of a file differs"
  expect_whole "$format" "all/$format"
done
[[ $(ls all | wc -l) -eq ${#formats[@]} ]] || fail "something is left: $(ls all)"

# The command of a report has no secrets.
expect 3 'could not finish' check --report html=secrets --header 'Token: hunter1' 'http://u:hunter2@127.0.0.1:1/m.gguf?token=hunter3'
grep -q 'ggufcheck check .*127.0.0.1:1/m.gguf' secrets || fail 'the command is missing'
! grep hunter secrets || fail 'a report shows a secret'
rm secrets

# Reports that cannot be written.
expect 2 'two reports have the same path "x"' check --report json=x --report sarif=x good.gguf
expect 2 'invalid value "xml=x" for --report: expected FORMAT=PATH with FORMAT one of text, json, ' check --report xml=x good.gguf
expect 2 'invalid value "xml": expected one of text, ' check --format xml good.gguf
for format in "${formats[@]}"; do
  expect 3 'cannot write the report "/dev/full": .*No space left on device' check --report "$format=/dev/full" good.gguf
  expect 3 'cannot write to standard output: .*No space left on device' sh -c "'$ggufcheck' check --format $format good.gguf >/dev/full"
done
expect 3 'cannot write the report "/proc/no/x": No such file' check --report json=/proc/no/x good.gguf
expect 3 'cannot write the report "all": ' check --report json=all good.gguf
expect 0 '^PASS' sh -c "'$ggufcheck' check --report json=/dev/stdout --format text good.gguf"

# A closed pipe: the other report is complete.
closed() { { check --report json=beside.json "$@" 2>error; echo $? >code; } | :; }
for format in text json html; do
  closed --format "$format" good.gguf broken.gguf
  # Nothing is lost if everything fitted into the pipe before it was closed.
  if [[ $(<code) -ne 1 ]]; then
    [[ $(<code) -eq 3 ]] || fail "a closed pipe gave exit $(<code)"
    [[ ! -s error ]] || fail "a closed pipe is an error: $(<error)"
  fi
  expect_whole json beside.json
done
for ((i = 0; i < 200; ++i)); do echo broken.gguf; done >list
{ check --format json --files-from list 2>error; echo $? >code; } | head -n 1 >first
[[ $(<code) -eq 3 && $(<first) == '{' ]] || fail "a pipe that is closed early gave exit $(<code)"
[[ ! -s error ]] || fail "a closed pipe is an error: $(<error)"

# A report replaces an old file, through links, and only when it is complete.
echo old >real.json
chmod 640 real.json
ln -s real.json link.json
expect 0 '^PASS' check --report json=link.json good.gguf
[[ -L link.json ]] || fail "the link was replaced"
expect_whole json real.json

# slowly SIGNAL ARGUMENT...: runs check and ends it by a signal while it reads a
# pipe.
slowly() {
  local signal=$1 pid
  shift
  rm -f slow && mkfifo slow
  "$ggufcheck" check --jobs 1 "$@" broken.gguf slow good.gguf >stdout 2>stderr &
  pid=$!
  exec 9>slow
  kill "-$signal" $pid
  exec 9>&-
  wait $pid 2>/dev/null
  code=$?
}
for signal in INT TERM; do
  for format in "${formats[@]}"; do
    slowly $signal --format "$format" --report "$format=report"
    [[ $code -eq 3 ]] || fail "$signal gave exit $code with $format"
    cmp -s stdout report || fail "$signal: the $format reports differ"
    expect_whole "$format" report
    grep -q 'interrupted: 1 of 3 files not checked' report || fail "$signal: not said in $format"
    rm report
  done
done
slowly TERM --format sarif
grep -q '"executionSuccessful": false' stdout || fail "SARIF: the execution is successful"
slowly INT --format json
grep -q '"complete": false' stdout || fail "JSON: the run is complete"

# Killed: the old file stays.
echo old >kept.json
slowly KILL --report json=kept.json
[[ $(<kept.json) == old ]] || fail "a killed run replaced a report"

if ((failures > 0)); then
  echo "$failures failed"
  exit 1
fi
echo 'all passed'
