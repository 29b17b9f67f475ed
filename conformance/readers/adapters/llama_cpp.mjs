// Adapter for llama.cpp, prebuilt, as node-llama-cpp loads models with it.
//
//   node llama_cpp.mjs [FOLDER]
//
// It loads models only: a file that is no whole model of an architecture that it
// knows is skipped.
//
// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { run } from "./gguf_testee.mjs";
import { kNoModel } from "./no_model.mjs";
import { npmFolder } from "./npm_folder.mjs";

const modules = npmFolder("loader");
const { getLlama } = await import(pathToFileURL(join(modules, "node-llama-cpp/dist/index.js")));
const metadata = join(modules, "@node-llama-cpp/linux-x64/bins/linux-x64/_nlcBuildMetadata.json");
const { release } = JSON.parse(readFileSync(metadata)).buildOptions.llamaCpp;

let errors = [];
const logger = (level, text) => level === "error" && errors.push(text.trim());
const llama = await getLlama({ gpu: false, build: "never", logLevel: "error", logger });

run("llama.cpp", release, "models", async (path, say) => {
  errors = [];
  const options = { addonExports: llama._bindings, gpuLayers: 0, useMmap: true, useMlock: false };
  const model = new llama._bindings.AddonModel(path, options);
  const loads = await model.init();
  await new Promise((done) => setImmediate(done)); // For the messages.
  if (loads) await model.dispose();
  if (loads) return say.accept();
  const text = errors.join("; ") || "no message";
  kNoModel.test(text) ? say.skip(text) : say.reject("load", text);
});
