// Adapter for @huggingface/gguf.
//
//   node huggingface.mjs [FOLDER]
//
// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { run } from "./gguf_testee.mjs";
import { npmFolder } from "./npm_folder.mjs";

const modules = join(npmFolder("external"), "@huggingface/gguf");
const { gguf } = createRequire(import.meta.url)(modules);
const { version } = JSON.parse(readFileSync(join(modules, "package.json")));
const kHeader = ["version", "tensor_count", "kv_count"]; // It adds these to the keys.

run("@huggingface/gguf", version, "kv,tensors,unordered,nan-canon,lossy-utf8,meta-only", async (path, say) => {
  let file;
  try {
    file = await gguf(path, { allowLocalFile: true, typedMetadata: true });
  } catch (error) {
    return say.reject(error.constructor.name, error.message);
  }
  for (const [key, { type, value, subType }] of Object.entries(file.typedMetadata)) {
    if (!kHeader.includes(key)) say.kv(key, type, value, subType);
  }
  for (const { name, dtype, offset, shape } of file.tensorInfos) say.tensor(name, dtype, offset, shape);
  say.accept();
});
