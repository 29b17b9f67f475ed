#!/bin/bash
# Installs @huggingface/gguf, hyllama and @wllama/wllama from npm, in the versions of
# conformance/external/package-lock.json, unless they are already installed.
#
#   install_npm.sh [FOLDER]
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

lock=$(cd -- "$(dirname -- "$0")/../../external" && pwd)
folder=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/ggufcheck/external}

if ! cmp -s "$lock/package-lock.json" "$folder/installed.json"; then
  echo "installing npm packages in $folder" >&2
  mkdir -p "$folder"
  cp -- "$lock"/package{,-lock}.json "$folder"
  npm ci --prefix "$folder" --no-audit --no-fund >&2
  cp -- "$lock/package-lock.json" "$folder/installed.json"
fi
