#!/bin/bash
# Runs the step of action.yml: writes annotations to standard output, a job
# summary and a SARIF report.  The inputs of the action are GGUFCHECK_*.
#
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail

paths=() arguments=()
read_lines() {  # read_lines ARRAY TEXT: appends the lines that are not empty.
  local -n into=$1
  local line
  while IFS= read -r line; do
    [[ -z $line ]] || into+=("$line")
  done <<<"$2"
}
read_lines paths "${GGUFCHECK_PATHS:-.}"
read_lines arguments "${GGUFCHECK_ARGUMENTS:-}"

program=${GGUFCHECK_PROGRAM:-ggufcheck}
if [[ -n ${GGUFCHECK_VERSION:-} ]]; then
  export GGUFCHECK_REPOSITORY=${GGUFCHECK_REPOSITORY:-OWNER/ggufcheck}
  install=$(dirname -- "${BASH_SOURCE[0]}")/../install.sh
  if ! program=$("$install" "$GGUFCHECK_VERSION" "${GGUFCHECK_SHA256:-}" "${RUNNER_TEMP:-/tmp}/ggufcheck"); then
    echo "::error title=ggufcheck::ggufcheck $GGUFCHECK_VERSION was not installed; see above"
    exit 3
  fi
fi
if ! command -v -- "$program" >/dev/null; then
  echo "::error title=ggufcheck::no program \"$program\" found; set the inputs \"version\" and \"sha256\", or \"program\""
  exit 3
fi

# Without LFS, git checks out pointers in place of models.
pointers=$(grep -rlsE --include='*.gguf' --include='*.ggml' --include='*.bin' \
  --max-count=1 '^version https://git-lfs\.github\.com/spec/' -- "${paths[@]}" | head -n 1)
if [[ -n $pointers ]]; then
  echo "::warning title=ggufcheck::found Git LFS pointers in place of models; set \"lfs: true\" for actions/checkout"
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
