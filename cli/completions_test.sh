#!/bin/bash
# completions_test.sh COMPLETIONS: what bash completes.
#
# SPDX-License-Identifier: Apache-2.0
set -u

completions=$1
# shellcheck disable=SC1090  # A program's output.
. <("$completions" bash)

failures=0
# completes PATTERN WORD...: a completion of the last word matches the pattern.
completes() {
  local pattern=$1
  COMP_WORDS=("${@:2}")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  _ggufcheck
  if ! printf '%s\n' "${COMPREPLY[@]}" | grep -qxE -- "$pattern"; then
    echo "FAILED: ${*:2}: no $pattern in ${COMPREPLY[*]}"
    failures=$((failures + 1))
  fi
}
completes check ggufcheck ch
completes --profile ggufcheck check --prof
completes --limit-keys ggufcheck check file.gguf --limit-k
completes run ggufcheck readers r
completes --log ggufcheck readers run --l
touch "$TEST_TMPDIR/model.gguf"
completes '.*/model\.gguf' ggufcheck check "$TEST_TMPDIR/mod"
completes '' ggufcheck rules --prof  # A flag of another command.

for shell in zsh fish; do
  "$completions" "$shell" | grep -q -- 'profile.*The rule set to apply' || {
    echo "FAILED: $shell has no help for --profile"
    failures=$((failures + 1))
  }
done
exit "$((failures > 0))"
