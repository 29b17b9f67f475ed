#!/bin/bash
# Fuzzes the reader in Python with all planted bugs until each was found, in at
# most ten minutes.
#
#   fuzz_planted.sh GGUFCHECK
#
# SPDX-License-Identifier: Apache-2.0
set -u

planted=conformance/readers/fuzz/testing/planted.py
functions='array dimensions element_size every offset_block padded remaining_rows reserve same_name trusting_text'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for ((round = 0; round < 10; ++round)); do
  "$1" readers fuzz --cmd "python3 $planted all" --time 1m --seed $round --output "$work" >"$work/all.txt"
  missing=
  for name in $functions; do
    grep -Eq "in $name( <|\$)" "$work/all.txt" || missing+=" $name"
  done
  [[ -n $missing ]] || break
done
if [[ -n $missing ]]; then
  echo "FAILED: bugs that were not found in $planted:$missing" >&2
  exit 1
fi
echo "found all planted bugs after $((round + 1)) minutes"
