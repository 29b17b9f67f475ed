#!/bin/bash
# Runs http_test.py.
#
# SPDX-License-Identifier: Apache-2.0
exec python3 "$@"
