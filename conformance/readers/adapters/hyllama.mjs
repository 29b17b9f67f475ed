// Adapter for hyllama, which parses metadata and tensor infos in JavaScript.
//
//   node hyllama.mjs [FOLDER]
//
// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { run } from "./gguf_testee.mjs";
import { npmFolder } from "./npm_folder.mjs";

const modules = join(npmFolder("external"), "hyllama");
const { ggufMetadata } = await import(pathToFileURL(join(modules, "src/hyllama.js")));
const { version } = JSON.parse(readFileSync(join(modules, "package.json")));
const kHeader = ["version", "tensorCount"]; // It adds these to the keys.

run("hyllama", version, "kv,tensors,untyped,unordered,nan-canon,meta-only", async (path, say) => {
  const bytes = new Uint8Array(readFileSync(path));
  let file;
  try {
    file = ggufMetadata(bytes.buffer);
  } catch (error) {
    return say.reject(error.constructor.name, error.message);
  }
  for (const [key, value] of Object.entries(file.metadata)) {
    if (!kHeader.includes(key)) say.kv(key, undefined, value);
  }
  for (const { name, type, offset, shape } of file.tensorInfos) say.tensor(name, type, offset, shape);
  say.accept();
});
