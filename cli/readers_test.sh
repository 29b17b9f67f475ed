#!/bin/bash
# `readers run` and `readers smoke`: flags, exit codes, logs, known failures.
#
#   readers_test.sh GGUFCHECK TOY_ADAPTER GGUFCHECK_ADAPTER
#
# SPDX-License-Identifier: Apache-2.0
set -u

here=$PWD
ggufcheck=$PWD/$1
toy=$PWD/$2
own=$PWD/$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$here/cli/expect.sh"

# add ID LEVEL STATEMENT...: adds a case to the test's corpus.
add() {
  local file=corpus/cases/$1.gguft
  mkdir -p "${file%/*}"
  {
    printf 'title "%s"\nlevel %s\n' "$1" "$2"
    shift 2
    printf '%s\n' "$@" '=== expect' 'upload 0x0+4 error header-magic'
  } >"$file"
}
add header/valid-a must 'gguf 3'
add header/valid-b-bad must 'gguf 3' 'zeros 8'
add header/valid-c should 'gguf 3'
add header/invalid-d must '"GGUX"'
add tensors/valid-e may 'gguf 3'

readers() { "$ggufcheck" readers "$@"; }
run() { readers run --cmd "$toy $behaviour" --sanitizer asan "$@"; }
behaviour=good

# Usage.
expect 2 'no reader given' readers run
expect 2 'excludes' readers run --cmd x --reader y
expect 2 'invalid time "2"' run --timeout 2
expect 2 'invalid shard' run --shard 0/3
expect 2 'unclosed quote in the command' readers run --cmd "x 'y"
expect 2 '--fix needs' run --fix
expect 2 'expected NAME=VALUE' run --env X
expect 2 'invalid exit codes' readers run --cmd 'x {path}' --reject-exit a
expect 2 'unknown flag' run --no-such-flag

# Nothing ran.
expect 3 'no case matches "none/\*"' run 'none/*'
expect 3 'at --level must' run 'tensors/*' --level must
expect 3 'cannot run no-such-program' readers run --cmd no-such-program
expect 3 'no conformance/readers/readers.toml' readers run --reader toy
expect 3 'standard error ends with "no such model' readers run --cmd "$toy stillborn" --sanitizer asan
expect 3 'no such folder: none' run --cases none
expect 0 'pass' run --cases corpus 'header/valid-*'

# Results.
expect 0 'pass' run 'header/valid-*'
expect 1 'false-accept' run
expect 0 'pass' run --level may 'tensors/*'
expect 1 'false-accept' run --jobs 3
behaviour=crash
expect 1 'crash' run 'header/valid-*'
behaviour=two-verdicts
expect 1 'run ggufcheck readers smoke' run header/valid-b-bad
behaviour=hang
expect 1 'hang' run --timeout 100ms header/valid-b-bad
behaviour=good

# Lists and single cases.
[[ $(run --list --level must) == header/invalid-d$'\n'header/valid-a$'\n'header/valid-b-bad ]] ||
  expect 0 'these three' run --list --level must
expect 0 "printf '%s.n' /tmp/invalid-d.gguf \| .*toy_adapter good" run --repro header/invalid-d
expect 0 '^00000000  47 47 55 58 +GGUX$' run --repro header/invalid-d
expect 0 '^title "header/invalid-d"$' run --repro header/invalid-d
expect 3 'no/such' run --repro no/such

# Logs: of all cases, and of shards.
run --log all.ndjson >/dev/null
expect 0 '"complete":true,"cases":5' tail -n 1 all.ndjson
expect 0 '"case":"header/invalid-d".*"result":"false-accept"' grep invalid-d all.ndjson
expect 0 '5 cases' readers report all.ndjson
for i in 1 2 3; do run --shard $i/3 --log part-$i.ndjson >/dev/null; done
expect 0 '^5$' sh -c 'cat part-*.ndjson | grep -c "^{\"case\""'
expect 0 '5 cases' readers report part-1.ndjson part-2.ndjson part-3.ndjson
expect 3 'cannot write no/such/folder: No such file' run --log no/such/folder
expect 3 'cannot write /dev/full: No space left on device' run --log /dev/full
in_folder() { TMPDIR=$1 "${@:2}"; }
expect 3 'the temporary folder \(TMPDIR\) cannot be used: No such file' in_folder /no/such run
expect 0 'pass' in_folder "$work" run 'header/valid-*'

# A disk that is full, as a limit on the size of files: of a case, then of the log.
full() { (ulimit -f "$1" && trap '' XFSZ && "${@:2}"); }
add big/valid-f may 'gguf 3' 'zeros 20000' 'u8 1'
expect 3 'valid-f.gguf: File too large' full 8 run 'big/*'
expect 3 'small.ndjson: File too large' full 0 run header/valid-a --log small.ndjson
rm -r corpus/cases/big

# Any program, by its exit code.
bare() { readers run --cmd "$1" "${@:2}"; }
expect 0 'pass' bare "grep -q GGUF {path}" 'header/*'
expect 1 'exit:7' bare "sh -c 'exit 7' sh {path}" header/valid-a
expect 0 'pass' bare "sh -c 'exit 7' sh {path}" header/invalid-d --reject-exit 1,7
expect 0 '"mode":"bare"' sh -c "'$ggufcheck' readers run --cmd 'grep -q GGUF {path}' header/valid-a --log bare.ndjson >/dev/null; head -n 1 bare.ndjson"

# Known failures.
known() { run --known-failures known.txt "$@"; }
expect 3 'known.txt' known
expect 0 'false-accept' known --fix
expect 0 '^header/invalid-d  false-accept  ' cat known.txt
expect 0 'xfail' known
expect 1 'known.txt: new failure of header/valid-b-bad, unsafe; fix the reader' readers run \
  --cmd "$toy crash" --sanitizer asan --known-failures known.txt
echo 'header/valid-a  unsafe  once' >>known.txt
expect 1 'header/valid-a is listed as a known failure, but passes' known
echo 'header/valid-gone  unsafe  once' >>known.txt
expect 1 'case header/valid-gone no longer exists' known
expect 0 '' known --fix
expect 0 '^1$' grep -c '' known.txt
expect 2 'would overwrite "known.txt", the known failures' known --log ./known.txt
expect 2 'would overwrite "corpus/cases/header/valid-a.gguft", a case' run --log corpus/cases/header/valid-a.gguft
expect 0 '^1$' grep -c '' known.txt
echo 'header/valid-a' >>known.txt
expect 2 'known.txt: line 2: ' known

# readers.toml.
mkdir -p conformance/readers
cat >conformance/readers/readers.toml <<END
[readers.toy]
command = ["$toy", "good"]
setup = ["sh", "-c", "echo was set up"]
capabilities = "-"
sanitizer = "asan"

[readers.other]
command = ["$toy", "good"]
capabilities = "kv"
sanitizer = "asan"

[readers.broken]
command = ["$toy"]
setup = ["false"]
END
expect 0 'was set up' readers run --reader toy 'header/valid-*'
expect 0 '&& cd conformance/readers && printf' readers run --reader toy --repro header/invalid-d
expect 3 'announces -, but readers.toml has capabilities = "kv"' readers run --reader other
expect 3 'setup failed' readers run --reader broken
expect 2 'has no reader "none"; it has broken, other, toy' readers run --reader none
echo 'colour = 1' >>conformance/readers/readers.toml
expect 2 'readers.toml:15: unknown key "colour"' readers run --reader toy

# Adapters.
expect 0 'The adapter conforms to the protocol' readers smoke --cmd "$own" --sanitizer asan
expect 1 'reader: it accepts the file' readers smoke --cmd "$toy good" --sanitizer asan
expect 1 'Faults of the adapter: 1' readers smoke --cmd "$toy good" --sanitizer asan
expect 3 'standard error ends with' readers smoke --cmd "$toy stillborn"
expect 0 'conforms to the protocol' readers smoke --cmd "sh -c 'head -c 4 \"\$1\" | grep -q GGUF && test \$(wc -c <\"\$1\") -gt 99' sh {path}"

# A run that ends early, while a reader hangs and has left a daemon with a lock.
# end_early SIGNAL: sets `code`.
end_early() {
  rm -f early.ndjson
  # What a killed run leaves is removed with the test's folder.
  TMPDIR=$work "$ggufcheck" readers run --cmd "$toy daemon-hang $work/lock" --sanitizer asan \
    --timeout 1h --jobs 1 --log early.ndjson 'header/valid-*' >early.txt 2>&1 &
  local pid=$! i
  for ((i = 0; i < 600; ++i)); do
    grep -qs '"case":"header/valid-a"' early.ndjson && ! flock -n lock true && break
    sleep 0.1
  done
  SECONDS=0
  kill "-$1" $pid
  wait $pid 2>/dev/null
  code=$?
  flock -w 1 lock true || fail "a descendant survives $1"
  [[ $SECONDS -le 2 ]] || fail "$1: took $SECONDS s"
}
touch lock
for signal in INT TERM; do
  end_early $signal
  [[ $code -eq 3 ]] || fail "$signal: exit code $code"
  expect 0 'the run is incomplete: interrupted' cat early.txt
  expect 3 'reports an incomplete run: interrupted' readers report early.ndjson
  expect 0 '^1$' grep -c '^{"case"' early.ndjson
done
end_early KILL
expect 3 'early.ndjson is truncated after 1 cases' readers report early.ndjson
expect 3 '1 of 3 cases were run' readers report early.ndjson

# No files are left over.
mkdir temporary
TMPDIR=$work/temporary run >/dev/null
expect 0 '^0$' sh -c 'ls temporary | wc -l'

exit $((failures > 0))
