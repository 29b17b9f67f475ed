# For tests of commands: to be sourced.
#
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

failures=0

# expect CODE PATTERN COMMAND...: the exit code, and a regular expression for
# what is printed on either stream.
expect() {
  local code=$1 pattern=$2 output
  shift 2
  output=$("$@" 2>&1)
  local got=$?
  if [[ $got -ne $code ]] || ! grep -Eq -- "$pattern" <<<"$output"; then
    echo "FAILED: $*"
    echo "  exit $got, wanted $code; wanted a line like: $pattern"
    sed 's/^/  | /' <<<"$output" | head -n 20
    failures=$((failures + 1))
  fi
}
