#!/bin/bash
# End to end: ggufcheck readers report, its exit codes and output.
#
# SPDX-License-Identifier: Apache-2.0
set -u

here=$PWD
ggufcheck=$PWD/$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$here/cli/expect.sh"

report() { "$ggufcheck" readers report "$@"; }

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

# Each format, of a complete run; no warnings.
for format in terminal json markdown html junit badge; do
  expect 0 'one 1' report one.ndjson --format "$format"
  report one.ndjson --format "$format" 2>err >/dev/null
  expect 1 '' test -s err
done
expect 0 '<svg' report one.ndjson --format badge
expect 0 '^  all cases +100 %, 2/2$' report one.ndjson

# Shards are combined, in any order, next to another reader.
expect 0 '^  all cases +100 %, 2/2  100 %, 2/2$' report two-2.ndjson one.ndjson two-1.ndjson

# An incomplete run is shown, and the exit code is 3.
expect 3 'NOT COMPLETE' report two-1.ndjson
expect 3 'incomplete: two 1: shard 2 of 2 is missing\.' report two-1.ndjson
expect 3 'two-1.ndjson duplicates shard 1 of 2, which is two-1.ndjson; ignored' \
  report two-1.ndjson two-2.ndjson two-1.ndjson
expect 3 '"complete": false' report cut.ndjson --format json
expect 3 'cut.ndjson is truncated after 1 cases: the run was killed or is still running' report cut.ndjson

# A pipe is a log, too.
expect 0 '100 %, 2/2' report - <one.ndjson

# Input that is not a log.
{ header one 0 1; echo '{"case":"a/x"}'; footer 1; } >bad.ndjson
printf 'GGUF\3' >model.gguf
expect 3 'bad.ndjson: not a log of ggufcheck readers run: line 2: section is missing' report bad.ndjson
expect 3 'line 1: is not a JSON object' report model.gguf
expect 3 'none.ndjson' report none.ndjson
expect 3 '' sh -c "'$ggufcheck' readers report one.ndjson >/dev/full"

# Wrong usage.
expect 2 'LOG' report
expect 2 'pdf' report one.ndjson --format pdf
expect 2 'a badge shows one reader' report one.ndjson cut.ndjson --format badge

exit $((failures > 0))
