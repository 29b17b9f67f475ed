#!/bin/bash
# docs/rules.md matches the catalogue.
#
# SPDX-License-Identifier: Apache-2.0
env -u BUILD_WORKSPACE_DIRECTORY "$1" | diff -u "$2" - ||
  { echo "docs/rules.md is stale; run: bazel run //cli:rules_doc"; exit 1; }
