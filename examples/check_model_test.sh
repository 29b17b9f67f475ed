#!/bin/bash
# The C++ example accepts a good file, and says what is wrong with a broken one.
#
# SPDX-License-Identifier: Apache-2.0
set -eu

program=$1 good=$2 broken=$3
"$program" "$good" | grep -x "$good: pass"
code=0
output=$("$program" "$broken") || code=$?
((code == 1))
grep -q '(key-unique)$' <<<"$output"
code=0
"$program" /no/such/file || code=$?
((code == 3))
