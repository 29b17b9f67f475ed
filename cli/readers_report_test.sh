#!/bin/bash
# End to end: ggufcheck readers report, its exit codes and what it says.
#
# SPDX-License-Identifier: Apache-2.0
set -u

ggufcheck=$PWD/$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

# run CODE ARGUMENT...: `ggufcheck readers report`, which shall end so.
run() {
  local want=$1 code=0
  shift
  "$ggufcheck" readers report "$@" >out 2>err || code=$?
  if ((code != want)); then
    echo "FAILED: report $*: exit code $code, not $want"
    head -n 3 err
    ((++failures))
  fi
}

# has FILE TEXT
has() {
  if ! grep -qF -- "$2" "$1"; then
    echo "FAILED: $1 does not have: $2; it has:"
    head -n 20 "$1"
    ((++failures))
  fi
}

# header READER INDEX COUNT
header() {
  printf '{"schema":"ggufcheck/run/1","tool":{"name":"ggufcheck","version":"0.1.0"},'
  printf '"date":"2026-11-21T20:00:00Z","reader":{"name":"%s","version":"1","command":["x"],' "$1"
  printf '"caps":[],"quirks":[],"mode":"protocol","sanitizer":"none"},"corpus":{"cases":2,'
  printf '"sha256":"","version":"0.1.0"},"level":"may","selectors":[],"shard":{"index":%d,"count":%d}}\n' "$2" "$3"
}

# pass NAME
pass() {
  printf '{"case":"a/%s","section":"a","title":"t","verdict":"valid","level":"must",' "$1"
  printf '"importance":"major","flags":[],"outcome":"accept","result":"pass","levels":{"L0":"pass",'
  printf '"L1":"pass","L2":"not-tested","L3":"not-tested","L4":"not-tested","L5":"not-tested"},'
  printf '"difference":null,"reject":null,"stderr":"","seconds":0.1,"peak_kib":1,"expected":"e","known":null}\n'
}

# footer CASES
footer() { printf '{"complete":true,"cases":%d,"seconds":1,"why":""}\n' "$1"; }

{ header one 0 1; pass x; pass y; footer 2; } >one.ndjson
{ header two 0 2; pass x; footer 1; } >two-1.ndjson
{ header two 1 2; pass y; footer 1; } >two-2.ndjson
{ header cut 0 1; pass x; } >cut.ndjson

# Each format, of a whole run.
for format in terminal json markdown html junit badge; do
  run 0 one.ndjson --format "$format"
  has out 'one 1'
  [[ ! -s err ]] || { echo "FAILED: $format complains"; cat err; ((++failures)); }
done
has out '<svg'
run 0 one.ndjson
has out '  all cases         100 %, 2/2'

# Shards are put together, in any order; beside another reader.
run 0 two-2.ndjson one.ndjson two-1.ndjson
has out '  all cases         100 %, 2/2  100 %, 2/2'

# What is not complete is shown, and exits with 3.
run 3 two-1.ndjson
has out 'NOT COMPLETE'
has err 'not complete: two 1: shard 2 of 2 is missing.'
run 3 two-1.ndjson two-2.ndjson two-1.ndjson
has err 'two-1.ndjson is shard 1 of 2, as is two-1.ndjson; it is left out'
run 3 cut.ndjson --format json
has out '"complete": false'
has err 'cut.ndjson has no last line: the run was cut short after 1 cases'

# A pipe is a log, too.
code=0
"$ggufcheck" readers report - <one.ndjson >out || code=$?
((code == 0)) || { echo "FAILED: a pipe exits with $code"; ((++failures)); }
has out '100 %, 2/2'

# What is no log.
{ header one 0 1; echo '{"case":"a/x"}'; footer 1; } >bad.ndjson
run 3 bad.ndjson
has err 'bad.ndjson is no log of ggufcheck readers run: line 2: section is missing'
printf 'GGUF\3' >model.gguf
run 3 model.gguf
has err 'line 1: is no JSON object'
run 3 none.ndjson
has err 'none.ndjson'
code=0
"$ggufcheck" readers report one.ndjson >/dev/full 2>err || code=$?
((code == 3)) || { echo "FAILED: a full disk exits with $code"; ((++failures)); }

# Wrong usage.
run 2
run 2 one.ndjson --format pdf
has err 'pdf'
run 2 one.ndjson cut.ndjson --format badge
has err 'a badge is for one reader'

((failures == 0)) && echo "all passed"
exit $((failures != 0))
