// Checks models by the program, and handles each as soon as its report is there:
// one line of JSON for each file (--format ndjson).
//
//   node check_models.mjs ggufcheck models/ another.gguf
//
// SPDX-License-Identifier: Apache-2.0

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';

// Calls onFile(file) with the report of each file.  Returns whether all pass;
// throws if the program could not run, or if its report ends early.
export async function check(program, paths, onFile, flags = []) {
  const run = spawn(
      program, ['check', '--format', 'ndjson', ...flags, '--', ...paths],
      {stdio: ['ignore', 'pipe', 'inherit']});
  const closed = once(run, 'close');
  closed.catch(() => {});  // Awaited below.
  let end;
  for await (const line of createInterface({input: run.stdout})) {
    const record = JSON.parse(line);
    if (record.record === 'file') onFile(record);
    if (record.record === 'end') end = record;
  }
  const [code] = await closed;
  if (!end) throw new Error(`ggufcheck ended with ${code} and no report`);
  return end.complete && end.results.fail === 0;
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const [program, ...paths] = process.argv.slice(2);
  const pass = await check(program, paths, (file) => {
    console.log(`${file.path}: ${file.result}`);
    for (const {severity, offset, rule, subject, message} of file.findings) {
      console.log(`  ${severity} at ${offset}: ${subject} ${message} (${rule})`);
    }
  }, ['--weights']);
  process.exitCode = pass ? 0 : 1;
}
