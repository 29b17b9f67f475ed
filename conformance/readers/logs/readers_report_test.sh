#!/bin/bash
# docs/readers-report.md is what the kept logs say.
#
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail

generator=$1 ggufcheck=$2 page=$3
shift 3
(($# > 3)) || { echo "FAILED: $# logs"; exit 1; }
if ! diff "$page" <(python3 "$generator" "$ggufcheck" "$@"); then
  echo "FAILED: run ./dev readers, or $generator"
  exit 1
fi
