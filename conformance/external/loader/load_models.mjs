// Loads models with the llama.cpp of node-llama-cpp, one after the other.
//
//   node load_models.mjs MODULES <PATHS
//
// MODULES is the folder in which npm installed node-llama-cpp.  Reads a path
// per line and writes a line of JSON for each: whether llama.cpp loads the
// model, and its messages (errors alone, or all with --messages).  A file on
// which llama.cpp aborts ends the process; loader.py starts another.
//
// SPDX-License-Identifier: Apache-2.0

import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [modules, ...flags] = process.argv.slice(2);
const kAllMessages = flags.includes("--messages");

const library = join(modules, "node_modules", "node-llama-cpp", "dist", "index.js");
const { getLlama } = await import(pathToFileURL(library));

let messages = [];
const llama = await getLlama({
  gpu: false,
  build: "never",
  logLevel: kAllMessages ? "debug" : "error",
  logger: (level, text) => {
    if (kAllMessages || level === "error") messages.push(text.trim());
  },
});

async function load(path) {
  const model = new llama._bindings.AddonModel(path, {
    addonExports: llama._bindings,
    gpuLayers: 0,
    vocabOnly: false,
    useMmap: true,
    useMlock: false,
    checkTensors: false,
  });
  const takes = await model.init();
  await new Promise((resolve) => setImmediate(resolve)); // For the messages.
  if (takes) await model.dispose();
  return takes;
}

for await (const path of createInterface({ input: process.stdin })) {
  messages = [];
  let takes = false;
  try {
    takes = await load(path);
  } catch (error) {
    messages.push(String(error.message ?? error));
  }
  process.stdout.write(`${JSON.stringify({ path, takes, messages })}\n`);
}
process.exit(0);
