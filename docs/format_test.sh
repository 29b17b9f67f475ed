#!/bin/bash
# docs/format.md names every rule about the layout, and no rule that is none.
#
# SPDX-License-Identifier: Apache-2.0
set -u
export LC_ALL=C

rules=$1
format=$2

# Rules about the container that are not about its layout: "id reason".
exempt() {
  cat <<'END'
file-name-convention  about the file's name, not its bytes
weights-scale-finite  about the weights, whatever their place
weights-nvfp4-scale-number  about the weights, whatever their place
weights-type-checked  about the weights, whatever their place
weights-finite  about the weights, whatever their place
weights-index-in-range  about the weights, whatever their place
weights-not-constant  about the weights, whatever their place
metadata-float-finite  about what a number means, whatever its place
END
}

all=$(sed -n 's/^## //p' "$rules" | sort)
container=$(awk '/^## /{id = $2} $0 == "- About: the container" {print id}' "$rules" | sort)
exempted=$(exempt | cut -d ' ' -f 1 | sort)
links=$(grep -Eo '\[[^]]*\]\(rules\.md[^)]*\)' "$format" | sort -u)
linked=$(sed -n 's/^\[\([a-z0-9-]*\)\](rules\.md#\1)$/\1/p' <<<"$links" | sort)

failures=0

# complain MESSAGE IDS: one line each, for what should not be there.
complain() {
  [[ -z $2 ]] && return
  sed "s|^|$1: |" <<<"$2"
  failures=1
}

[[ -n $container && -n $linked ]] || { echo "no rules, or no links"; exit 1; }
complain 'rule is missing from format.md' \
  "$(comm -23 <(echo "$container") <(sort <<<"$linked"$'\n'"$exempted"))"
complain 'format.md links a rule that does not exist' \
  "$(comm -13 <(echo "$all") <(echo "$linked"))"
complain 'link does not read [id](rules.md#id)' \
  "$(grep -Ev '^\[([a-z0-9-]+)\]\(rules\.md#\1\)$' <<<"$links")"
complain 'exempted, but format.md has it' \
  "$(comm -12 <(echo "$exempted") <(echo "$linked"))"
complain 'exempted, but there is no such rule' \
  "$(comm -23 <(echo "$exempted") <(echo "$container"))"
exit $failures
