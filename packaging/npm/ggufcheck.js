#!/usr/bin/env node
// Runs the program from the package for this processor.
//
// SPDX-License-Identifier: Apache-2.0
'use strict';

const {spawnSync} = require('child_process');

const name = `ggufcheck-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/ggufcheck`);
} catch (error) {
  console.error(
      `ggufcheck: the package ${name} is not installed; ggufcheck has programs ` +
      'for Linux on x64 and arm64.  Elsewhere, use a container with Linux.');
  process.exit(3);
}
const run = spawnSync(program, process.argv.slice(2), {stdio: 'inherit'});
if (run.error) {
  console.error(`ggufcheck: ${program}: ${run.error.message}`);
  process.exit(3);
}
if (run.signal) process.kill(process.pid, run.signal);
process.exit(run.status);
