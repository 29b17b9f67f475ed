#!/bin/bash
# A gguf_check_test of a broken file fails and prints the broken rules.
#
# SPDX-License-Identifier: Apache-2.0
set -u

output=$("$1" 2>&1)
code=$?
if [[ $code -ne 1 || $output != *tensor-offset-aligned* ]]; then
  echo "exit $code, wanted 1 and the broken rules; output:"
  echo "$output"
  exit 1
fi
