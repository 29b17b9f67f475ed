#!/bin/bash
# docs/ggufcheck.1 matches --help, has every command, and is valid roff.
#
# SPDX-License-Identifier: Apache-2.0
set -u

man_page=$1
page=$2
ggufcheck=$3
failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

env -u BUILD_WORKSPACE_DIRECTORY "$man_page" | diff -u "$page" - ||
  fail "docs/ggufcheck.1 is stale; run: bazel run //cli:man_page"

# -ww: all warnings; -z: nothing else.
warnings=$(groff -man -Tutf8 -ww -z "$page" 2>&1) || fail "groff: exit $?"
[[ -z $warnings ]] || fail "groff warns: $warnings"
text=$(groff -man -Tascii -P-cbou "$page")

# of COMMAND...: prints the subcommands listed in its help.
of() {
  "$ggufcheck" "$@" --help | sed -n '/^Options:/,/^Examples\?:/s/^  \([a-z][a-z-]*\) .*/\1/p' |
    grep -v '^ggufcheck$'
}

# look COMMAND...: checks that it and all its subcommands are in the page.
commands=0
look() {
  local sub
  for sub in $(of "$@"); do
    grep -q "^ *ggufcheck ${*:+$* }$sub\$" <<<"$text" || fail "there is no ggufcheck $* $sub"
    commands=$((commands + 1))
    look "$@" "$sub"
  done
}
look
((commands > 15)) || fail "only $commands commands were found"

exit "$((failures > 0))"
