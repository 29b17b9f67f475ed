#!/bin/bash
# Runs a test that is written in Python.  A py_test would need rules_python, and
# these scripts need no library.
#
# SPDX-License-Identifier: Apache-2.0
exec python3 "$@"
