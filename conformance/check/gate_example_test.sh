#!/bin/bash
# The example finds the same in a file and in its bytes.
#
# SPDX-License-Identifier: Apache-2.0
set -eu

output=$("$1" "$2")
on_disk=$(grep -c "^$2: key-unique$" <<<"$output")
in_memory=$(grep -c '^memory.gguf: key-unique$' <<<"$output")
[[ $on_disk -eq 1 && $in_memory -eq 1 ]]
grep -q '^1 file: 0 pass, 1 fail, 0 incomplete' <<<"$output"
diff <(grep "^$2: " <<<"$output" | cut -d' ' -f2) <(grep '^memory.gguf: ' <<<"$output" | cut -d' ' -f2)
