#!/bin/bash
# What conformance/readers expects of a reader comes from the corpus: it depends,
# directly or not, on no code that reads models.  Only its folder fuzz does, where
# nothing else can judge a mutant.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

graph=$1  # Of a genquery: lines like  "//a:b" -> "//c:d"

ours='^//(parser|kernels|api|conformance/(check|compare|golden|input|model|report|rules|tables))(/[^:]*)?:'

# All dependencies of the targets of conformance/readers, one a line, each with
# the target through which it was found.
reached=$(sed -nE 's|^ *"(//[^"]+)" -> "(//[^"]+)"$|\1 \2|p' "$graph" | awk '
  { needs[$1] = needs[$1] " " $2 }
  END {
    for (target in needs) if (target ~ "^//conformance/readers[:/]" && target !~ "^//conformance/readers/fuzz:") queue[++last] = target
    for (i = 1; i <= last; ++i) seen[queue[i]] = 1
    for (first = 1; first <= last; ++first) {
      count = split(needs[queue[first]], list, " ")
      for (i = 1; i <= count; ++i) {
        if (list[i] in seen) continue
        seen[list[i]] = 1
        queue[++last] = list[i]
        print list[i], "of", queue[first]
      }
    }
  }')

if ! grep -q '^//corpus/language:contents[.]h ' <<<"$reached"; then
  echo "FAILED: conformance/readers does not use the documents of the corpus"
  exit 1
fi
wrong=$(awk -v ours="$ours" '$1 ~ ours' <<<"$reached")
if [[ -n $wrong ]]; then
  echo "FAILED: conformance/readers depends on our own reader:"
  echo "$wrong"
  exit 1
fi
echo "PASSED: $(wc -l <<<"$reached") dependencies"
