// Loads models with the llama.cpp of @wllama/wllama, one after the other.
//
//   node load_models.mjs FOLDER [--messages] [--run] [--trace | --lenient] <PATHS
//
// FOLDER is that of the package. Reads a path per line and writes a line of
// JSON for each: what the loader did, its messages (errors alone, or all with
// --messages), and with --trace what it looked up. With --lenient, nothing is
// required. With --run, each model that loads is also run. The first line is the build. README.md describes the output.
//
// SPDX-License-Identifier: Apache-2.0

import { createInterface } from "node:readline";
import { Llama } from "./llama.mjs";

const [folder, ...flags] = process.argv.slice(2);
const lenient = flags.includes("--lenient");
const trace = lenient || flags.includes("--trace");
const info = flags.includes("--messages");

// Emscripten throws errors of its own when the module aborts.
process.on("uncaughtException", () => {});
process.on("unhandledRejection", () => {});

const llama = new Llama(folder, { trace, lenient, run: flags.includes("--run") });
const write = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");
write({ build: llama.build });
for await (const path of createInterface({ input: process.stdin })) {
  const answer = await llama.load(path, { info });
  if (!trace) delete answer.trace;
  write({ path, ...answer });
}
process.exit(0);
