#!/usr/bin/env node
// Runs the program from the package for this processor, or else the WebAssembly
// module.
//
// SPDX-License-Identifier: Apache-2.0
'use strict';

const {spawnSync} = require('child_process');

const name = `ggufcheck-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/ggufcheck`);
} catch (error) {
  program = null;
}

function runProgram() {
  const run = spawnSync(program, process.argv.slice(2), {stdio: 'inherit'});
  if (run.error) {
    console.error(`ggufcheck: ${program}: ${run.error.message}`);
    process.exit(3);
  }
  if (run.signal) process.kill(process.pid, run.signal);
  process.exit(run.status);
}

if (program) {
  runProgram();
} else {
  import('../wasm/check_files.mjs').then(({main}) => main(process.argv.slice(2))).then(
      (code) => process.exitCode = code,
      (error) => {
        console.error(`ggufcheck: ${error.message}`);
        process.exitCode = 3;
      });
}
