#!/bin/bash
# What gguf_reader_conformance_test (conformance_test.bzl) runs.
#
#   conformance_test.sh GGUFCHECK TESTEE FLAG_OR_SELECTOR...
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

ggufcheck=$1 testee=$2
shift 2
# The program is cli/ggufcheck, also when its workspace is another one's.
cases=${ggufcheck%cli/ggufcheck}corpus/cases

exec "$ggufcheck" readers run --cmd "$PWD/$testee" --cases "$cases" \
  --log "${TEST_UNDECLARED_OUTPUTS_DIR:-${TMPDIR:-/tmp}}/run.ndjson" "$@"
