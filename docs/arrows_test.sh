#!/bin/bash
# The arrows between folders in docs/design.md are those of the build files.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

graph=$1   # Of a genquery: lines like  "//a:b" -> "//c:d"
design=$2

# folder: folder folder
found=$(sed -nE 's|^ *"//([^:"]+):[^"]*" -> "//([^:"]+):[^"]*"$|\1 \2|p' "$graph" |
  grep -v third_party | LC_ALL=C sort -u |
  awk '!($1 in deps) { order[++count] = $1; deps[$1] = "" }
       $1 != $2 { deps[$1] = deps[$1] " " $2 }
       END { for (i = 1; i <= count; ++i) print order[i] ":" deps[order[i]] }' |
  LC_ALL=C sort)
written=$(sed -n '/^```text$/,/^```$/p' "$design" | grep -v '^```' | LC_ALL=C sort)

if ! diff <(echo "$written") <(echo "$found"); then
  echo "FAILED: < is docs/design.md, > are the build files"
  exit 1
fi

# No cycle: folders whose dependencies are all gone can go, until none is left.
left=$found
while [[ -n $left ]]; do
  names=$(sed 's/:.*//' <<<"$left")
  next=$(awk -v names="$names" '
    BEGIN { count = split(names, list, "\n"); for (i in list) is_left[list[i]] = 1 }
    { for (i = 2; i <= NF; ++i) if ($i in is_left) { print; next } }' <<<"$left")
  if [[ $next == "$left" ]]; then
    echo "FAILED: a cycle between"
    echo "$left"
    exit 1
  fi
  left=$next
done
echo "PASSED: $(wc -l <<<"$found") folders"
