// Compares the module with the program, on files.
//
//   compare_test.mjs MODULE PROGRAM FILE-OR-FOLDER...
//
// Prints the files whose reports differ; the exit code is then 1.
//
// SPDX-License-Identifier: Apache-2.0

import {execFileSync} from "node:child_process";
import {cpSync, mkdtempSync, openAsBlob, readdirSync, readFileSync, rmSync, statSync} from "node:fs";
import {tmpdir} from "node:os";
import {basename, join} from "node:path";
import {Checker} from "./ggufcheck.mjs";

// Larger files are checked the same way, and take time.
const MOST_BYTES = 1 << 20;

function* filesOf(path) {
  if (!statSync(path).isDirectory()) {
    yield path;
    return;
  }
  for (const name of readdirSync(path).sort()) yield* filesOf(join(path, name));
}

// Checks a copy in a folder of its own: shards are judged alone.
function programReport(program, path, folder) {
  const copy = join(folder, basename(path));
  cpSync(path, copy);
  try {
    return JSON.parse(execFileSync(
        program, ["check", "--no-config", "--header-only", "--exit-zero", "--format", "json", copy],
        {maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"]}));
  } catch (error) {  // The exit code of an incomplete check.
    return JSON.parse(error.stdout);
  } finally {
    rmSync(copy);
  }
}

// Returns what the module and the program must agree on.
function comparable(report) {
  const [file] = report.files;
  const {path, path_hex, index, ...rest} = file;
  return JSON.stringify(rest, null, 1);
}

const [modulePath, program, ...paths] = process.argv.slice(2);
const checker = await Checker.create(await WebAssembly.compile(readFileSync(modulePath)));
const folder = mkdtempSync(join(tmpdir(), "ggufcheck-"));
let compared = 0;
let different = 0;
for (const path of paths.flatMap((each) => [...filesOf(each)])) {
  if (!/\.(gguf|bin)$/.test(path) || statSync(path).size > MOST_BYTES) continue;
  ++compared;
  const expected = comparable(programReport(program, path, folder));
  let actual;
  try {
    actual = comparable(await checker.check(await openAsBlob(path), {name: basename(path)}));
  } catch (error) {
    actual = String(error);
  }
  if (actual === expected) continue;
  ++different;
  const lines = actual.split("\n");
  const at = expected.split("\n").findIndex((line, i) => line !== lines[i]);
  console.log(`${path}: ${expected.split("\n")[at]?.trim()} of the program, ${lines[at]?.trim()}`);
}
rmSync(folder, {recursive: true});
console.log(`${compared} files, ${different} differ`);
process.exitCode = different > 0 || compared === 0 ? 1 : 0;
