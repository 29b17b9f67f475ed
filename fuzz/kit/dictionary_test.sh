#!/bin/bash
# Checks that gguf.dict is up to date with the tables.
#
# SPDX-License-Identifier: Apache-2.0
"$1" | diff -u "$2" - ||
  { echo "gguf.dict is stale; run: bazel run //fuzz/kit:dictionary >fuzz/kit/gguf.dict"; exit 1; }
