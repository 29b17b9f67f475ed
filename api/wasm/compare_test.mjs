// Compares the module with the program in Node.
//
//   compare_test.mjs MODULE FOLDER
//
// FOLDER is that of program_reports.py.  Prints the files whose reports differ;
// the exit code is then 1.
//
// SPDX-License-Identifier: Apache-2.0

import {readFileSync} from "node:fs";
import {join} from "node:path";
import {compare} from "./compare.mjs";
import {Checker} from "./ggufcheck.mjs";
import {withFile} from "./node_file.mjs";

const [module, folder] = process.argv.slice(2);
const checker = await Checker.create(await WebAssembly.compile(readFileSync(module)));
const files = JSON.parse(readFileSync(join(folder, "reports.json")));
const differences = await compare(files, (path, name) => withFile(
    join(folder, path), (file) => checker.check(file, {name})));
for (const line of differences) console.log(line);
console.log(`${files.length} files, ${differences.length} differ`);
process.exitCode = differences.length > 0 || files.length === 0 ? 1 : 0;
