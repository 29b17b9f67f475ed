#!/bin/bash
# docs/format.md names every rule about the layout, and no rule that is none.
#
# SPDX-License-Identifier: Apache-2.0
set -u
export LC_ALL=C

rules=$1
format=$2

# Rules that are not about the layout: "id reason".
exempt() {
  cat <<'END'
file-name-convention  about the file's name, not its bytes
weights-scale-finite  about the weights, whatever their place
weights-finite  about the weights, whatever their place
weights-index-in-range  about the weights, whatever their place
weights-not-constant  about the weights, whatever their place
metadata-float-finite  about what a number means, whatever its place
model-tensors-present  about the model, whatever the place of its tensors
model-blocks-present  about the model, whatever the place of its tensors
model-block-in-count  about the model, whatever the place of its tensors
model-tensors-known  about the model, whatever the place of its tensors
model-tensor-names-current  about the model, whatever the place of its tensors
model-tensor-names-standard  about the model, whatever the place of its tensors
model-tensor-shapes  about the model, whatever the place of its tensors
vocabulary-fits-embedding  about the model, whatever the place of its tensors
attention-has-projections  about the model, whatever the place of its tensors
model-norms-f32  about the model, whatever the place of its tensors
END
  sed 's|$|  about the model, not the container|' <<'END'
architecture-grammar
architecture-grammar-known
architecture-hparams-consistent
architecture-known
architecture-loadable
architecture-present
architecture-string
block-count-in-range
context-length-positive
count-type-loaded
count-type-specified
doi-format
expert-counts-consistent
file-name-basename
file-name-encoding
file-name-shard-keys
file-name-shard-number
file-name-size-label
file-name-type
file-name-version
file-type-known
file-type-matches-tensors
file-type-specified
head-count-divides-embedding
head-count-kv-divides
head-count-positive
hparam-array-length
hparam-float-positive
key-array-length
key-known
key-not-retired
key-not-superseded
key-spelling
key-spelling-loaded
key-type-loaded
key-type-specified
key-type-unread
key-type-written
language-iso-639
license-spdx
llama-cpp-keys-present
nextn-below-block-count
older-llama-cpp-keys-present
parents-counted
quantization-version-current
quantization-version-present
rope-dimension-count-fits
rope-scaling-type-in-spec
rope-scaling-type-known
size-label-format
size-label-parameters
spec-keys-present
spec-unusual-keys-present
split-count-plausible
split-number-below-count
split-tensors-counted
url-format
uuid-format
value-loaded
value-specified
yarn-original-context-length
END
}

known=$(sed -n 's/^## //p' "$rules" | sort)
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

[[ -n $known && -n $linked ]] || { echo "no rules, or no links"; exit 1; }
complain 'rule is missing from format.md' \
  "$(comm -23 <(echo "$known") <(sort <<<"$linked"$'\n'"$exempted"))"
complain 'format.md links a rule that does not exist' \
  "$(comm -13 <(echo "$known") <(echo "$linked"))"
complain 'link does not read [id](rules.md#id)' \
  "$(grep -Ev '^\[([a-z0-9-]+)\]\(rules\.md#\1\)$' <<<"$links")"
complain 'exempted, but format.md has it' \
  "$(comm -12 <(echo "$exempted") <(echo "$linked"))"
complain 'exempted, but there is no such rule' \
  "$(comm -23 <(echo "$exempted") <(echo "$known"))"
exit $failures
