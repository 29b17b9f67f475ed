// Loads vocabularies with the llama.cpp of @wllama/wllama, one after the other.
//
//   node load_vocabularies.mjs FOLDER <PATHS
//
// FOLDER is that of the package. Reads a path per line and writes a line of
// JSON for each: what the loader did, all of its messages, and, if the model
// loads, `texts`: the tokens of each of kTexts, or why it has none. The first
// line is the build.
//
// SPDX-License-Identifier: Apache-2.0

import { createInterface } from "node:readline";
import { Llama } from "./llama.mjs";

// The first has the tokens that are added to each text; the letter of the second
// one is in no vocabulary.
const kTexts = ["", "\u1680"];

// Emscripten throws errors of its own when the module aborts.
process.on("uncaughtException", () => {});
process.on("unhandledRejection", () => {});

let vocabulary;
const llama = new Llama(process.argv[2], {
  exports: ["llama_vocab::impl::tokenize"],
  reports: [[/^llama_vocab::impl::load$/, () => [0], (_, self) => (vocabulary = self)]],
});

function tokens(text) {
  const bytes = Buffer.from(text);
  const [heap, out, std] = [llama.heap(), llama.scratch, llama.scratch + 24]; // A vector, a std::string of libc++.
  heap.fill(0, out, out + 48);
  heap.set(bytes, std);
  heap[std + 23] = bytes.length;
  llama.exports["x:llama_vocab::impl::tokenize"](BigInt(out), vocabulary, BigInt(std), 1, 0);
  const view = llama.view();
  const [begin, end] = [0, 8].map((at) => Number(view.getBigUint64(out + at, true)));
  return Array.from({ length: (end - begin) / 4 }, (_, i) => view.getInt32(begin + 4 * i, true));
}

const write = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");
write({ build: llama.build });
for await (const path of createInterface({ input: process.stdin })) {
  const { did, messages } = await llama.load(path, { info: true });
  const texts = [];
  for (const text of did === "loads" ? kTexts : []) {
    try {
      texts.push(tokens(text));
    } catch (error) {
      texts.push(String(error?.message ?? error));
      llama.aborted = true;
      break;
    }
  }
  write({ path, did, messages, trace: { texts } });
}
process.exit(0);
