#!/bin/bash
# Many files: lists of paths, shards of the work, and merged reports.
#
# SPDX-License-Identifier: Apache-2.0
set -u

here=$PWD
ggufcheck=$PWD/$1
good=$PWD/$2
broken=$PWD/$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# shellcheck source=cli/expect.sh
. "$here/cli/expect.sh"

check() { "$ggufcheck" check "$@"; }
merge() { "$ggufcheck" merge-reports "$@"; }

# Twelve models: ten of one file, two of three shards.
mkdir models
for i in 0 1 2 3 4 5 6 7 8; do ln "$good" "models/m$i.gguf" 2>/dev/null || cp "$good" "models/m$i.gguf"; done
cp "$broken" models/m9.gguf
for i in 1 2 3; do
  cp "$good" "models/a-0000$i-of-00003.gguf"
  cp "$good" "models/z-0000$i-of-00003.gguf"
done

# Lists.
printf 'models/m0.gguf\n\nmodels/m9.gguf\n' >list
expect 1 '^2 files: 1 pass, 1 fail' check --files-from list
expect 1 '^3 files: 2 pass, 1 fail' check --files-from list models/m1.gguf
expect 1 '^2 files: 1 pass, 1 fail' sh -c "'$ggufcheck' check --files-from - <list"
expect 1 '^16 files: 15 pass, 1 fail' sh -c "find models -name '*.gguf' -print0 | '$ggufcheck' check --files-from0 -"
expect 1 '^16 files: ' check --files-from <(echo models)
expect 3 'No such file' check --files-from no-list
expect 3 'no files to check' check --files-from /dev/null
expect 3 'path 1 has a NUL; did you mean --files-from0' check --files-from <(printf 'models/m0.gguf\0models/m9.gguf\n')
expect 0 '^PASS  models/m0.gguf ' check --files-from <(printf 'models/m0.gguf\r\n\r\n')
expect 3 '^INCOMPLETE  ./-$' check --files-from <(echo -)
expect 2 'only once' check --files-from - -
expect 2 'PATH, --files-from' check --format json
cp "$good" 'a
b.gguf'
expect 0 '^PASS  a\\nb.gguf' check --files-from0 <(printf 'a\nb.gguf\0')

# What a directory check skips is reported, also after merging.
mkdir mixed
cp "$good" mixed/m.gguf
cp "$good" mixed/blob
for name in a b c d; do echo text >"mixed/$name.txt"; done
expect 0 '^not checked: 4 other files \(mixed/a.txt, mixed/b.txt, mixed/c.txt, \.\.\.\); use --all-files or --include GLOB$' check mixed
expect 0 '^2 files: 2 pass' check mixed
expect 1 '^not checked: 3 other files \(mixed/b.txt, mixed/c.txt, mixed/d.txt\);' check --include 'a.*' mixed
expect 1 '^6 files: 2 pass, 4 fail' check --all-files mixed
expect 1 '!other files' check --all-files mixed
check --format json mixed >mixed.json
python3 -c 'import json, sys; sys.exit(json.load(open("mixed.json"))["inputs"]["skipped_paths"] != [f"mixed/{c}.txt" for c in "abcd"])' || fail 'JSON does not list the files that were skipped'
expect 0 '^not checked: 4 other files \(mixed/a.txt,' merge mixed.json
expect 0 '^not checked: 8 other files \(mixed/a.txt,' merge mixed.json <(check --format json mixed)

# Lines of JSON: each file as soon as it is checked, in order, with any number
# of threads.
for jobs in 1 8; do
  check --format ndjson --jobs $jobs models >lines.$jobs
  [[ $(wc -l <lines.$jobs) -eq 18 ]] || fail "$(wc -l <lines.$jobs) lines of 18"
  grep -o '"index":[0-9]*,"path":"[^"]*"' lines.$jobs | sort -c -t: -k2n || fail "the lines are out of order"
done
cmp -s lines.1 lines.8 || fail "the number of threads changes the report"
mkfifo slow
check --format ndjson --jobs 1 models/m0.gguf slow >lines &
pid=$!
exec 9>slow
grep -q '"path":"models/m0.gguf"' lines || fail "a file that is checked is not there at once"
cat "$good" >&9
exec 9>&-
wait $pid || fail "exit $? of a pipe among files"

# Shards: disjoint and complete, without splitting models; their merged report
# equals that of one run.
check --format json models >whole.json
check --format text models >whole.txt
for count in 1 3 5; do
  rm -f part.*
  for ((i = 0; i < count; ++i)); do
    check --format ndjson --shard $((i + 1))/$count models >part.$i
    for set in a z; do
      grep -q "models/$set-00001" part.$i || continue
      [[ $(grep -c "models/$set-0000[123]" part.$i) -eq 3 ]] || fail "a model is torn apart"
    done
  done
  merge --format json --report text=merged.txt part.* >merged.json
  [[ $? -eq 1 ]] || fail "merging gave exit $?"
  cmp -s whole.json merged.json || fail "$count shards differ from one run: $(diff whole.json merged.json | head -n 5)"
  cmp -s whole.txt merged.txt || fail "$count shards differ from one run in text"
done
# JSON and NDJSON merge alike; so do complete runs.
check --format json --shard 1/2 models >half.json
check --format ndjson --shard 2/2 models >half.ndjson
expect 1 '^16 files: 15 pass, 1 fail' merge half.json half.ndjson
expect 1 '^18 files: 16 pass, 2 fail' merge <(check --format json models) <(check --format ndjson models/m0.gguf models/m9.gguf)
expect 1 '"executionSuccessful": true' merge --format sarif whole.json
for flag in --readers --stats; do
  check $flag --format json models/m0.gguf models/m9.gguf >whole.json
  merge --format json whole.json >merged.json
  cmp -s whole.json merged.json || fail "$flag does not survive merging"
done

# So do known findings and stale lines of a baseline, which each shard reports.
expect 0 '^16 files: 16 pass' check --write-baseline known.jsonl --baseline-reason r --baseline-safety models
echo '{"file":"gone.gguf","rule":"key-unique","subject":"x","reason":"r"}' >>known.jsonl
with_baseline() { check --baseline known.jsonl --baseline-safety "$@" models 2>/dev/null; }
with_baseline --format json --report sarif=whole.sarif >whole.json
grep -q '"stale": \[$' whole.json || fail 'no line is stale'
grep -q '"justification": "r"' whole.sarif || fail 'no result is suppressed'
for i in 0 1; do
  with_baseline --format ndjson --shard $((i + 1))/2 >part.$i
done
merge --format json --report sarif=merged.sarif part.0 part.1 >merged.json
cmp -s whole.json merged.json || fail "a baseline does not survive merging: $(diff whole.json merged.json | head -n 5)"
# A fix is found in the file.
without_fixes() {
  python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
for result in report["runs"][0]["results"]:
    result.pop("fixes", None)
print(json.dumps(report))' "$1"
}
[[ $(without_fixes whole.sarif) == "$(without_fixes merged.sarif)" ]] || fail 'suppressions do not survive merging'
check --format ndjson --shard 1/2 models >without
expect 3 'has other settings' merge without part.1
check --format ndjson --digest <("$ggufcheck" digest models/m0.gguf) --select key-unique models/m0.gguf >digest.ndjson
merge --format json digest.ndjson | grep -A1 '"rule": "digest-metadata-equal"' | grep -q '"severity": "error"' || fail 'severities do not survive merging'
rm part.*

# Shards that are missing, duplicate, truncated, or of another run.
share() { check --format ndjson --shard "$(($1 + 1))/3" "${@:2}" models; }
for i in 0 1 2; do share $i >part.$i; done
rm -f part.3 part.4
expect 3 '^INCOMPLETE  missing: 1 shard of 3: 2$' merge part.0 part.2
expect 3 '^INCOMPLETE  missing: 2 shards of 3: 1, 2$' merge part.2
expect 3 '"complete": false' merge --format json part.0 part.2
cp part.1 part.3
expect 3 '^INCOMPLETE  duplicate report for shard 2; "part.3" ignored$' merge part.0 part.1 part.2 part.3
expect 3 '^16 files: 15 pass' merge part.0 part.1 part.2 part.3
grep -v '"record":"end"' part.1 >no-end
expect 3 '"no-end": truncated report: the run was killed or is still running' merge part.0 no-end part.2
head -c -10 part.1 >"cut"
expect 3 '"cut": truncated report' merge part.0 cut part.2
head -c 3000 part.1 >"cut"
expect 3 '"cut": truncated report' merge part.0 cut part.2
sed '3s/.*/{}/' part.1 >wrong
expect 3 'the report "wrong", line 3: not a record' merge part.0 wrong part.2
sed '2s/"message":"/&\\u001b/' part.0 >wrong
expect 3 'the report "wrong", line 2: findings\[0\]\.message contains a forbidden character' merge wrong part.1 part.2
sed '3s/"index":[0-9]*/"index":0/' part.0 >wrong
expect 3 'the report "wrong": files are out of order' merge wrong part.1 part.2
sed '2s/"index":[0-9]*/"index":0/' part.1 >wrong
expect 3 '^INCOMPLETE  "wrong": file index 0 is too large or in another report$' merge part.0 wrong part.2
sed '2s/"note":1/"note":0/' part.0 >wrong
expect 3 'the report "wrong", line 2: counts do not match the findings' merge wrong part.1 part.2
expect 3 'has other settings' merge part.0 <(share 1 --profile spec) part.2
expect 3 'has a different number of shards' merge part.0 <(check --format ndjson models)
cp "$good" models/new.gguf
expect 3 'has different files' merge part.0 <(share 1) part.2
rm models/new.gguf
expect 3 'cannot read the report "no-report": No such file' merge no-report
expect 3 'is empty' merge /dev/null
expect 3 'not a ggufcheck report' merge list
head -c 1000 half.json >"cut"
expect 3 'not a ggufcheck report in JSON or NDJSON, or truncated' merge cut
expect 2 'REPORT' merge
expect 3 'cannot write the report "/dev/full"' merge --report html=/dev/full part.0 part.1 part.2

# Schedulers, only on request.
sharded=(env TEST_SHARD_INDEX=1 TEST_TOTAL_SHARDS=16 TEST_SHARD_STATUS_FILE=status "$ggufcheck" check)
expect 1 '^16 files: ' "${sharded[@]}" models
expect 0 'checking shard 2 of 16, chosen by TEST_SHARD_INDEX' "${sharded[@]}" --shard auto models
[[ -e status ]] || fail "Bazel is not told that the test is sharded"
expect 0 'checking shard 3 of 12, chosen by SLURM_ARRAY_TASK_ID' env SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_COUNT=12 "$ggufcheck" check --shard auto models
expect 0 'checking shard 4 of 12, chosen by JOB_COMPLETION_INDEX' env JOB_COMPLETION_INDEX=3 JOB_COMPLETIONS=12 "$ggufcheck" check --shard auto models
expect 2 'JOB_COMPLETION_INDEX is 3, but JOB_COMPLETIONS is not set' env JOB_COMPLETION_INDEX=3 "$ggufcheck" check --shard auto models
expect 2 'auto: none of TEST_SHARD_INDEX, .* is set' env -u TEST_SHARD_INDEX "$ggufcheck" check --shard auto models
expect 2 'invalid shard "4/3": expected K/N, such as 1/4' check --shard 4/3 models
expect 3 'no files to check in this run' check --shard 13/13 models

# peak COUNT: prints the peak memory, in KiB, for this many files with findings
# and three reports.  A pipe as the last file keeps the program alive for that.
peak() {
  local pid
  { yes models/m9.gguf | head -n "$1"; echo slow; } >list
  ASAN_OPTIONS=${ASAN_OPTIONS-}:quarantine_size_mb=1 "$ggufcheck" check --jobs 1 --format ndjson \
    --report sarif=x.sarif --report html=x.html --files-from list >x.ndjson &
  pid=$!
  exec 9>slow
  sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB$/\1/p' /proc/$pid/status
  exec 9>&-
  wait $pid
}
few=$(peak 200)
many=$(peak 2000)
[[ $few -gt 0 && $many -lt $((few + 8000)) ]] || fail "200 files take $few KiB, 2,000 take $many KiB"
[[ $(wc -l <x.ndjson) -eq 2003 ]] || fail "$(wc -l <x.ndjson) lines of 2003"

if ((failures > 0)); then
  echo "$failures failed"
  exit 1
fi
echo 'all passed'
