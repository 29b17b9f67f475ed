// Adapter for @wllama/wllama 2, llama.cpp as WebAssembly, single-threaded.
//
//   node wllama.mjs [FOLDER]
//
// It is made for browsers: BrowserWorker stands for their workers.  It loads
// models only: a file that is no whole model of an architecture that it knows is
// skipped.
//
// SPDX-License-Identifier: Apache-2.0

import { resolveObjectURL } from "node:buffer";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { run } from "./gguf_testee.mjs";
import { kNoModel } from "./no_model.mjs";
import { npmFolder } from "./npm_folder.mjs";

const kScope = `
  const port = require("node:worker_threads").parentPort;
  Object.assign(globalThis, { self: globalThis, importScripts() {}, WorkerGlobalScope: class {}, process: undefined,
    location: { href: "https://localhost/" }, postMessage: (...args) => port.postMessage(...args) });
  port.on("message", (data) => onmessage({ data }));
`;

Object.assign(globalThis, { navigator: { hardwareConcurrency: 1, userAgent: "" }, document: { baseURI: "http://x/" } });
globalThis.Worker = class BrowserWorker {
  constructor(url) {
    this.thread = resolveObjectURL(url).text().then((code) => new Worker(kScope + code, { eval: true }));
    this.thread.then((thread) => thread.on("message", (data) => this.onmessage({ data })));
    this.thread.then((thread) => thread.on("error", (error) => this.onerror(error)));
  }
  postMessage(...args) { this.thread.then((thread) => thread.postMessage(...args)); }
  terminate() { this.thread.then((thread) => thread.terminate()); }
};

const modules = join(npmFolder("external"), "@wllama/wllama");
const { Wllama } = await import(pathToFileURL(join(modules, "esm/index.js")));
const { version } = JSON.parse(readFileSync(join(modules, "package.json")));
const wasm = readFileSync(join(modules, "esm/single-thread/wllama.wasm")).toString("base64");
const paths = { "single-thread/wllama.wasm": "data:application/wasm;base64," + wasm };

run("wllama", version, "models", async (path, say) => {
  const messages = [];
  const log = (...texts) => messages.push(texts.join(" "));
  const wllama = new Wllama(paths, { logger: { debug: () => {}, log, warn: log, error: log } });
  try {
    await wllama.loadModel([new Blob([readFileSync(path)])], { n_threads: 1, n_ctx: 16 });
    say.accept();
  } catch (error) {
    const text = messages.filter((one) => /error/.test(one)).join("; ") || error.message;
    kNoModel.test(text) ? say.skip(text) : say.reject("load", text);
  }
  await wllama.exit().catch(() => {});
});
