#!/bin/bash
# `check` of partial files, and against a digest manifest.
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
digest() { "$ggufcheck" digest "$@"; }
size=$(stat -L -c %s "$good")

# A stream ---------------------------------------------------------------------

expect 0 'only its header read' check --header-only --size "$size" - <"$good"
expect 1 'tensor-offset-aligned' check --header-only --size "$(stat -L -c %s "$broken")" - <"$broken"
expect 3 'option size \(--size' check --header-only - <"$good"
# The data may be missing: it is not read.
head -c 3000 "$good" >first
expect 0 PASS check --header-only --size "$size" - <first
expect 1 'tensor-data-in-file' check -v --header-only --size 4000 - <"$good"
# The table must be complete.
head -c 900 "$good" >short
expect 3 'the stream ended after 900 of' check --header-only --size "$size" - <short
# A stream that cannot be a model is judged at once, without waiting for the rest.
begin=$SECONDS
expect 1 'FAIL' check --header-only --size 999999999 - < <(head -c 300000 /dev/zero && exec sleep 50)
((SECONDS - begin < 30)) || fail "waited for the rest"
expect 0 'only its header read' check --header-only "$good"
expect 2 'conflicts with' check --header-only --weights "$good"
expect 2 'exactly one PATH' check --size 7 "$good"

# Digests ----------------------------------------------------------------------

digest "$good" >noted.json || fail "digest"
cp "$good" same.gguf
expect 3 '' digest nowhere.gguf
expect 1 'misplaced' digest "$broken"
expect 0 PASS check --digest noted.json "$good"
expect 1 'digest-file-listed' check --digest noted.json same.gguf
sed -i 's#"path":"[^"]*"#"path":"same.gguf"#' noted.json
expect 0 PASS check --digest noted.json same.gguf
printf 'x' | dd of=same.gguf bs=1 seek=$((size - 40)) conv=notrunc status=none
expect 1 'digest-(tensor|metadata)-equal' check --digest noted.json same.gguf
expect 1 'has SHA-256' check --digest noted.json --select 'digest-*' same.gguf
expect 2 'not a manifest' check --digest "$good" "$good"
expect 2 'No such file' check --digest nowhere.json "$good"

exit "$((failures > 0))"
