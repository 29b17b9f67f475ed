#!/bin/bash
# docs/rules.md and docs/troubleshooting.md match the catalogue and the table of symptoms.
#
# SPDX-License-Identifier: Apache-2.0
env -u BUILD_WORKSPACE_DIRECTORY "$1" | diff -u <(cat "$2" "$3") - ||
  { echo "docs/rules.md or docs/troubleshooting.md is stale; run: bazel run //cli:rules_doc"; exit 1; }
