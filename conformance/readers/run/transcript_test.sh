#!/bin/bash
# Checks that the example in the protocol's page is what our adapter writes, and
# that the page documents all capabilities and quirks.
#
#   transcript_test.sh PAGE CAPS_CC GGUFCHECK GGUFCHECK_ADAPTER
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

page=$1 caps=$2 ggufcheck=$3 adapter=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the lines of the block below a line "NAME:".
block() { sed -n "/^    $1:\$/,/^\$/s/^    //p" "$page" | sed 1d; }

block good | "$ggufcheck" corpus assemble - -o "$work/good.gguf"
head -c -30 "$work/good.gguf" >"$work/bad.gguf"

block transcript >"$work/transcript"
sed -n 's/^< //p' "$work/transcript" >"$work/expected"
sed -n "s#^> /tmp#$work#p" "$work/transcript" | "$adapter" >"$work/observed"

# All three must be non-empty.
for file in transcript expected observed; do test -s "$work/$file"; done
diff "$work/expected" "$work/observed"

words=$(sed -nE 's/^    \{"([a-z0-9-]+)", &Caps::.*/\1/p' "$caps")
test -n "$words"
for word in $words; do
  grep -q "^| \`$word\` |" "$page" || {
    echo "$page does not document $word"
    exit 1
  }
done
