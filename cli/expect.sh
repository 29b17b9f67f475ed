# Functions for tests of commands; source this file.
#
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# expect CODE PATTERN COMMAND...: expects the exit code, and output on either
# stream that matches the regular expression; !PATTERN must not match.
expect() {
  local code=$1 pattern=$2 output found=0 wanted=1
  shift 2
  output=$("$@" 2>&1)
  local got=$?
  [[ $pattern != '!'* ]] || wanted=0
  ! grep -Eq -- "${pattern#!}" <<<"$output" || found=1
  if [[ $got -ne $code || $found -ne $wanted ]]; then
    fail "$*"
    echo "  exit $got, wanted $code; wanted a line like: $pattern"
    sed 's/^/  | /' <<<"$output" | head -n 20
  fi
}
