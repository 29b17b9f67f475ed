// Adapter for the GGUF parser of node-llama-cpp, which is its own, in
// TypeScript.
//
//   node node_llama_cpp.mjs [FOLDER]
//
// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { run } from "./gguf_testee.mjs";
import { npmFolder } from "./npm_folder.mjs";

const modules = join(npmFolder("loader"), "node-llama-cpp");
const { readGgufFileInfo } = await import(pathToFileURL(join(modules, "dist/index.js")));
const { version } = JSON.parse(readFileSync(join(modules, "package.json")));

const isGroup = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

// Returns the keys of nested objects: it makes {a: {b: 7}} of a.b.
function flat(object, prefix = "") {
  return Object.entries(object).flatMap(([name, value]) =>
    isGroup(value) ? flat(value, prefix + name + ".") : [[prefix + name, value]]);
}

run("node-llama-cpp", version, "kv,tensors,untyped,unordered,nan-canon,lossy-utf8,meta-only", async (path, say) => {
  let file;
  try {
    file = await readGgufFileInfo(path, { sourceType: "filesystem", spliceSplitFiles: false, logWarnings: false });
  } catch (error) {
    return say.reject(error.constructor.name, error.message);
  }
  for (const [key, value] of flat(file.metadata)) say.kv(key, undefined, value);
  for (const { name, ggmlType, offset, dimensions } of file.tensorInfo) say.tensor(name, ggmlType, offset, dimensions);
  say.accept();
});
