#!/bin/bash
# The step of action.yml: annotations on standard output, a summary of the job,
# a SARIF report.  Takes the action's inputs as GGUFCHECK_*.
#
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail

paths=() arguments=()
read_lines() {  # read_lines ARRAY TEXT: the lines that are not empty.
  local -n into=$1
  local line
  while IFS= read -r line; do
    [[ -z $line ]] || into+=("$line")
  done <<<"$2"
}
read_lines paths "${GGUFCHECK_PATHS:-.}"
read_lines arguments "${GGUFCHECK_ARGUMENTS:-}"

program=${GGUFCHECK_PROGRAM:-ggufcheck}
if ! command -v -- "$program" >/dev/null; then
  echo "::error title=ggufcheck::there is no program \"ggufcheck\"; install it in a step before, or set the input \"program\""
  exit 3
fi

# What git has in place of a file that LFS keeps is no model.
pointers=$(grep -rlsE --include='*.gguf' --include='*.ggml' --include='*.bin' \
  --max-count=1 '^version https://git-lfs\.github\.com/spec/' -- "${paths[@]}" | head -n 1)
if [[ -n $pointers ]]; then
  echo "::warning title=ggufcheck::Git LFS pointers stand in place of models; give actions/checkout \"lfs: true\""
fi

summary=$(mktemp)
trap 'rm -f -- "$summary"' EXIT
arguments+=(--profile "${GGUFCHECK_PROFILE:-upload}" --fail-on "${GGUFCHECK_FAIL_ON:-error}"
  --format github --report "markdown=$summary")
[[ -z ${GGUFCHECK_CONFIG:-} ]] || arguments+=(--config "$GGUFCHECK_CONFIG")
[[ -z ${GGUFCHECK_SARIF:-} ]] || arguments+=(--report "sarif=$GGUFCHECK_SARIF")

"$program" check "${arguments[@]}" -- "${paths[@]}"
code=$?

[[ -z ${GITHUB_STEP_SUMMARY:-} ]] || cat -- "$summary" >>"$GITHUB_STEP_SUMMARY"
if [[ -n ${GITHUB_OUTPUT:-} ]]; then
  printf 'exit-code=%s\nsarif=%s\n' "$code" "${GGUFCHECK_SARIF:-}" >>"$GITHUB_OUTPUT"
fi
exit "$code"
