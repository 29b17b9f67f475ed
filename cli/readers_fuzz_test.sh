#!/bin/bash
# End to end: ggufcheck readers fuzz, on readers with planted bugs.
#
#   readers_fuzz_test.sh GGUFCHECK TOY_ADAPTER PLANTED PLANTED_PYTHON GGUF_TESTEE_PY
#
# SPDX-License-Identifier: Apache-2.0
set -u

here=$PWD
ggufcheck=$PWD/$1
toy=$PWD/$2
planted=$PWD/$3
python="python3 $PWD/$4"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$here/cli/expect.sh"

plain() { "$ggufcheck" readers fuzz "$@"; }
fuzz() { plain --sanitizer asan "$@"; }

# Usage.
expect 2 'no reader given' fuzz
expect 2 'invalid time "2"' fuzz --cmd x --time 2
expect 2 'invalid time "2"' fuzz --cmd x --timeout 2
expect 2 'fail-on' fuzz --cmd x --fail-on nothing
expect 2 'excludes' fuzz --cmd x --output a --replay a
expect 2 'format' fuzz --cmd x --format pdf

# Nothing ran.
expect 3 'cannot run no-such-program' fuzz --cmd no-such-program
expect 3 'no such folder: none' fuzz --cmd "$toy good" --corpus none
expect 3 'none/findings.json' fuzz --cmd "$toy good" --replay none
mkdir bad && echo '{"schema":1}' >bad/findings.json
expect 3 'bad/findings.json: not a report of ggufcheck readers fuzz: schema is' fuzz --cmd "$toy good" --output bad

# A correct reader, with the seeds that the program has.
expect 0 'planted 1: [0-9]+ executions in [0-9]+ s, nothing found' fuzz --cmd "$planted" --time 5s --output none-found
expect 0 '' test -n "$(ls none-found/mutants)"

# All bugs in one reader.  A later run continues, so a busy machine needs more of them.
functions='add_entry copy_text mark_used padding read_array read_dims same_name touch_elements touch_row'
found_all() {
  local name
  for name in $functions; do grep -q "in .*$name" all.txt || return 1; done
  grep -q '^hang' all.txt && [[ -z $(find all/findings -name '*.gguf' -size +256c) ]]
}
for ((round = 0; round < 6; ++round)); do
  fuzz --cmd "$planted all" --time 20s --seed $round --output all >all.txt
  code=$?
  [[ $code -eq 1 ]] || fail "exit code $code"
  found_all && break
done
found_all || fail "not all bugs were found: $(cat all.txt)"
# A read at random may touch memory in more than one function.
groups=$(grep -c '^    It ' all.txt)
[[ $groups -le 12 ]] || fail "$groups groups: $(cat all.txt)"
for file in all/findings/*.gguf; do
  size=$(stat -c %s "$file")
  [[ $size -le 256 ]] || fail "$file has $size bytes"
  "$ggufcheck" corpus assemble "${file}t" -o again.gguf
  cmp -s "$file" again.gguf || fail "$file is not what its text assembles to"
done
expect 0 '"schema": "ggufcheck/fuzz/1"' cat all/findings.json

# Again, after a repair, and of one kind.
expect 1 "$groups groups" fuzz --cmd "$planted all" --replay all
expect 0 'nothing found' fuzz --cmd "$planted" --replay all
expect 1 'SEGV' fuzz --cmd "$planted second" --replay all --fail-on crash
expect 0 'SEGV' fuzz --cmd "$planted second" --replay all --fail-on hang
for format in text json junit sarif html; do
  expect 1 'same_name' fuzz --cmd "$planted second" --replay all --format $format
done

# Against another reader: a bug of this one is none if the other has it, too.
expect 0 'nothing found' fuzz --cmd "$planted" --differential "$planted" --time 3s
expect 1 'false-accept' fuzz --cmd "$toy good" --differential "$planted" --time 3s

# Exceptions, by name and by function.
for ((round = 0; round < 6; ++round)); do
  plain --cmd "$python rank" --time 5s --seed $round --output python >python.txt && continue
  break
done
expect 0 '^exception  IndexError: list assignment index out of range' cat python.txt
expect 0 'in dimensions < tensor' cat python.txt
expect 0 'nothing found' plain --cmd "$python" --time 3s

# Any program, by its exit code; an uncaught exception is no rejection.
expect 1 'exception' plain --cmd "python3 -c 'raise KeyError(1)' {path}" --time 1s --timeout 5s

# Hostile output is limited, and shown without control characters.
expect 1 '^flood' fuzz --cmd "sh -c 'echo @gguf-testee 1 x 1 -; read a; yes >&2'" --time 1s --timeout 5s
expect 1 'protocol.*\\x1b' fuzz --cmd "sh -c 'echo @gguf-testee 1 x 1 -; while read a; do printf \"@\\033[31m\\000\\n\"; done'" --time 1s
expect 1 '^hang' fuzz --cmd "sh -c 'echo @gguf-testee 1 x 1 -; read a; sleep 1000'" --time 1s

exit $((failures > 0))
