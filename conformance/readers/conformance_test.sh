#!/bin/bash
# The test program of gguf_reader_conformance_test (conformance_test.bzl).
#
#   conformance_test.sh GGUFCHECK READER FLAG_OR_SELECTOR...
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

ggufcheck=$1 reader=$2
shift 2
# The path ends with cli/ggufcheck, also in an external workspace.
cases=${ggufcheck%cli/ggufcheck}corpus/cases

exec "$ggufcheck" readers run --cmd "$PWD/$reader" --cases "$cases" \
  --log "${TEST_UNDECLARED_OUTPUTS_DIR:-${TMPDIR:-/tmp}}/run.ndjson" "$@"
