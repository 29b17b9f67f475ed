#!/bin/bash
# Runs the toy reader in Python from where Bazel puts it.
#
# SPDX-License-Identifier: Apache-2.0
exec python3 "$(dirname -- "$0")/testing/toy_reader.py"
