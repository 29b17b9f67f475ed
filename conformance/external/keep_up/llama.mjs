// The llama.cpp of npm's @wllama/wllama as a model loader.
//
// The package exports no function that only loads or runs a model, so its
// WebAssembly module is changed: functions of llama.h are exported, and those
// that look up keys and tensors report their calls.
//
// SPDX-License-Identifier: Apache-2.0

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { WasmModule } from "./wasm_module.mjs";

// An import that is called only where there is WebGPU; its parameters are i64.
const kReport = "emwgpuAdapterRequestDevice";

// Each loaded model stays in memory until the next reset().
const kMaxLoads = 30;

// Flags of llama_model_loader::create_tensor.
const kNotRequired = 1;
const kAllFlags = 63;

// llama_model_params of b12211.
const kParams = { loadMode: 24, lazyMode: 28, splitMode: 20, useExtraBufts: 74, size: 256 };

// llama_context_params of b12211: a small context, one thread, K and V as F16.
const kContextParams = {
  size: 256,
  u32: { 0: 64, 4: 8, 8: 8, 12: 1, 24: 1, 28: 1, 32: 1, 40: -1, 44: -1, 48: -1, 52: -1, 104: 1, 108: 1 },
  minusOne: [64, 68, 72, 76, 84], // As f32.
  booleans: 144, // embeddings, offload_kqv, no_perf, op_offload, swa_full, kv_unified
};
const kTokens = 4;

// Programs want embeddings of these, not logits.
const kEmbeddings = new Set(
  ("bert eurobert gemma-embedding gemma-embedding2 jina-bert-v2 jina-bert-v3 llama-embed modern-bert neo-bert " +
    "nomic-bert nomic-bert-moe t5encoder wavtokenizer-dec").split(" "),
);
const kRunFunctions = ["llama_init_from_model", "llama_decode", "llama_free", "llama_model_meta_val_str"];

// What llama_hparams tells of each block, as in symbols.tsv.
const kPerBlock = [
  "n_head", "n_head_kv", "n_ff", "n_ff_exp", "n_rot", "n_expert_used", "n_embd_head_k", "n_embd_head_v",
  "n_embd_k_gqa", "n_embd_v_gqa", "is_recr", "is_swa",
];

export class Llama {
  // Without `trace` the module reports nothing and is fast. With `lenient`, no
  // key and no tensor is required, so that one load shows all that are looked up.
  // `reports` are arguments of #report.  With `run`, models are also run.
  constructor(folder, { trace = false, lenient = false, run = false, exports = [], reports = [] } = {}) {
    const file = path.join(folder, "esm/wasm/wllama.wasm");
    const data = fs.readFileSync(file);
    this.folder = folder;
    this.script = fs.readFileSync(path.join(folder, "src/wasm/wllama.js"), "utf8");
    this.build = /"version":"(b\d+)-[0-9a-f]+"/.exec(data.toString("latin1"))?.[1] ?? "unknown";
    this.module = new WasmModule(data);
    if (!this.module.names.size) throw new Error(`${file} has no name section`);
    this.on = [];
    if (trace) this.#trace(lenient);
    for (const one of reports) this.#report(...one);
    this.perBlock = [];
    for (const name of trace ? kPerBlock : []) {
      const [index] = this.module.find(new RegExp(`^llama_hparams::${name}$`));
      if (index === undefined) continue;
      this.module.export(`x:${name}`, index);
      this.perBlock.push(name);
    }
    this.runs = run;
    for (const name of ["llama_model_load_from_file", ...(run ? kRunFunctions : []), ...exports]) {
      const [index] = this.module.find(new RegExp(`^${name.replace(/[()]/g, "\\$&")}$`));
      if (index === undefined) throw new Error(`${file} has no function ${name}`);
      this.module.export(`x:${name}`, index);
    }
    this.compiled = new WebAssembly.Module(this.module.build());
  }

  // Has functions call `on` with their parameters at these positions.
  #report(pattern, positions, on) {
    const { module } = this;
    const callee = module.imports.findIndex((one) => one.name === kReport);
    for (const index of module.find(pattern)) {
      const count = module.parameters(index).length;
      module.report(index, callee, this.on.length, positions(count));
      const name = module.names.get(index).replace("bool llama_model_loader::", "");
      this.on.push((...values) => on({ name, index, count }, ...values));
    }
  }

  #trace(lenient) {
    const { module } = this;
    const report = (...one) => this.#report(...one);
    // get_key(this, key, result, required), get_key_or_arr(this, key, result, n, required).
    const getters = /^bool llama_model_loader::get_(key|arr|key_or_arr)</;
    const required = (index, count) => (module.names.get(index).includes("_or_arr") ? count === 5 : count === 4);
    const [create] = module.find(/^llama_model_loader::create_tensor$/);
    const tensor = module.parameters(create).length - 3;
    if (lenient) {
      for (const index of module.find(getters)) {
        const count = module.parameters(index).length;
        if (required(index, count)) module.change(index, count - 1, 0, 0);
      }
      module.change(create, tensor + 2, kAllFlags, kNotRequired);
    }
    // One getter calls another; with `lenient`, the outer one alone knows the need.
    report(getters, (count) => [count - 1], (f, last) => {
      const need = required(f.index, f.count) ? Number(last & 1n) : null;
      this.getter = { name: f.name, index: f.index, need: this.getter?.need ?? need };
    });
    report(/^gguf_find_key$/, () => [1], (f, key) => {
      const { name = null, index = null, need = null } = this.getter ?? {};
      this.getter = undefined;
      const text = this.cstring(key);
      if (!this.trace.keys.some((one) => one[0] === text && one[2] === index)) this.trace.keys.push([text, name, index, need]);
    });
    report(/^llama_model_loader::create_tensor$/, () => [1, tensor, tensor + 1, tensor + 2], (f, hparams, name, dims, flags) => {
      this.exports["x:LLM_TN_IMPL::str()"](BigInt(this.scratch), name);
      const view = this.view();
      const [first, count] = [0, 8].map((at) => Number(view.getBigUint64(Number(dims) + at, true)));
      const sizes = Array.from({ length: count }, (_, i) => Number(view.getBigInt64(first + 8 * i, true)));
      const text = this.string(this.scratch);
      this.created.add(text);
      this.trace.tensors.push([text, sizes, Number(flags)]);
      this.hparams = hparams;
    });
    // create_tensor calls get_weight itself.
    report(/^llama_model_loader::get_weight$/, () => [1], (f, name) => {
      const text = this.cstring(name);
      if (!this.created.has(text)) this.looked.add(text);
    });
    const [str] = module.find(/^LLM_TN_IMPL::str\(\)$/);
    module.export("x:LLM_TN_IMPL::str()", str);
  }

  async start() {
    this.loads = 0;
    this.aborted = false;
    this.lines = [];
    this.trace = { keys: [], tensors: [], looked: [] };
    this.runtime = await new Promise((resolve) => {
      const print = (line) => this.lines.push(line);
      const Module = {
        noInitialRun: true,
        pthreadPoolSize: 0,
        print,
        printErr: print,
        onRuntimeInitialized: () => resolve(Module),
        instantiateWasm: (imports, done) => {
          imports.env[kReport] = (id, ...values) => this.on[Number(id)](...values);
          imports.env.exit = (code) => {
            throw new Error(`exit ${code}`);
          };
          const instance = new WebAssembly.Instance(this.compiled, imports);
          this.exports = instance.exports;
          done(instance, this.compiled);
          return {};
        },
      };
      const run = new Function("Module", "require", "__dirname", "__filename", "module", this.script);
      run(Module, createRequire(import.meta.url), this.folder, path.join(this.folder, "wllama.js"), {});
    });
    this.runtime.FS.mkdir("/models");
    await WebAssembly.promising(this.exports.wllama_start)();
    this.path = Number(this.exports.malloc(4096n));
    this.params = Number(this.exports.malloc(BigInt(kParams.size)));
    this.scratch = Number(this.exports.malloc(64n));
    this.stack = this.exports.emscripten_stack_get_current();
    const heap = this.heap();
    let size = heap.length;
    while (size && !heap[size - 1]) --size;
    this.memory = heap.slice(0, size);
  }

  // Makes the memory what it was after start(): the loader frees no model, and
  // leaves its own state undefined where it aborts.
  reset() {
    this.loads = 0;
    this.aborted = false;
    this.heap().set(this.memory);
    this.exports._emscripten_stack_restore(this.stack);
    const { FS } = this.runtime;
    for (const stream of FS.streams) if (stream?.fd > 2) FS.close(stream);
  }

  heap() {
    return new Uint8Array(this.runtime.wasmMemory.buffer);
  }
  view() {
    return new DataView(this.runtime.wasmMemory.buffer);
  }
  cstring(at) {
    const heap = this.heap();
    return Buffer.from(heap.subarray(Number(at), heap.indexOf(0, Number(at)))).toString("latin1");
  }
  // A std::string of libc++: a short one ends with its size, below 128.
  string(at) {
    const [heap, view] = [this.heap(), this.view()];
    const short = heap[at + 23] < 128;
    const from = short ? at : Number(view.getBigUint64(at, true));
    const size = short ? heap[at + 23] : Number(view.getBigUint64(at + 8, true));
    return Buffer.from(heap.subarray(from, from + size)).toString("latin1");
  }

  // Loads a file, with the other shards of its set, and runs it if that was asked
  // for. Returns what llama.cpp does (loads, rejects, aborts), the stage that it
  // reached (load, context, run), its error messages, or all with `info`, and the trace.
  async load(file, { info = false } = {}) {
    if (!this.runtime) await this.start();
    if (++this.loads > kMaxLoads || this.aborted) this.reset();
    this.lines = [];
    this.trace = { keys: [], tensors: [], looked: [] };
    this.getter = this.hparams = undefined;
    this.created = new Set();
    this.looked = new Set();
    const { FS } = this.runtime;
    const [folder, name] = [path.dirname(file), path.basename(file)];
    const shard = /^(.*-)\d{5}(-of-\d{5}\.gguf)$/.exec(name);
    const isShard = (one) => one.startsWith(shard[1]) && one.endsWith(shard[2]);
    const names = shard ? fs.readdirSync(folder).filter(isShard) : [name];
    for (const one of names) FS.writeFile("/models/" + one, fs.readFileSync(path.join(folder, one)), { canOwn: true });
    this.#writeArguments("/models/" + name);

    let did;
    this.stage = "load";
    try {
      const model = this.exports["x:llama_model_load_from_file"](BigInt(this.path), BigInt(this.params));
      did = model ? "loads" : "rejects";
      if (model && this.hparams) this.#readHparams();
      if (model && this.runs && !this.#run(model)) did = "rejects";
    } catch (error) {
      did = "aborts";
      this.lines.push(String(error?.message ?? error));
      this.aborted = true;
    }
    for (const one of names) FS.unlink("/models/" + one);
    this.trace.looked = [...this.looked];
    const noise = info ? /^\.*$/ : /^@@(INFO|DEBUG|WARN)@@|^\.*$|^Aborted\(/;
    const messages = this.lines.filter((line) => !noise.test(line)).map((line) => line.replace(/^@@[A-Z]+@@/, ""));
    return { did, stage: this.stage, messages, trace: this.trace };
  }

  // Makes a context and computes; returns whether llama.cpp does both.
  #run(model) {
    const number = (name) => Number(new RegExp(`print_info: ${name} += (\\d+)`).exec(this.lines.join("\n"))?.[1] ?? 0);
    this.heap().set(Buffer.from("general.architecture\0"), this.path);
    const size = this.exports["x:llama_model_meta_val_str"](model, BigInt(this.path), BigInt(this.path + 64), 64n);
    const from = this.path + 64;
    const embeddings = kEmbeddings.has(Buffer.from(this.heap().slice(from, from + Math.max(size, 0))).toString());
    this.stage = "context";
    const params = this.path + 256;
    this.heap().fill(0, params, params + kContextParams.size);
    for (const [at, value] of Object.entries(kContextParams.u32)) this.view().setInt32(params + Number(at), value, true);
    for (const at of kContextParams.minusOne) this.view().setFloat32(params + at, -1, true);
    this.heap().set([embeddings, 1, 1, 1, 0, 0], params + kContextParams.booleans);
    const context = this.exports["x:llama_init_from_model"](model, BigInt(params));
    if (!context) return false;
    this.stage = "run";
    const vocabulary = number("n_vocab");
    const width = number("n_embd_inp") || number("n_embd");
    let result = this.#decode(context, kTokens, vocabulary, width);
    if (!result && vocabulary && !embeddings) result = this.#decode(context, 1, vocabulary, width);
    this.exports["x:llama_free"](context);
    return !result;
  }

  // Decodes tokens, or rows of embeddings where there is no vocabulary.
  #decode(context, count, vocabulary, width) {
    const [batch, tokens] = [this.path + 512, this.path + 640];
    this.heap().fill(0, batch, tokens);
    this.view().setInt32(batch, count, true);
    if (vocabulary) {
      for (let i = 0; i < count; ++i) this.view().setInt32(tokens + 4 * i, (1 + (i % 2)) % vocabulary, true);
      this.view().setBigUint64(batch + 8, BigInt(tokens), true);
    } else {
      const rows = Number(this.exports.malloc(BigInt(4 * count * Math.max(width, 1))));
      new Float32Array(this.runtime.wasmMemory.buffer, rows, count * width).fill(0.1);
      this.view().setBigUint64(batch + 16, BigInt(rows), true);
    }
    return this.exports["x:llama_decode"](context, BigInt(batch));
  }

  #writeArguments(name) {
    const [heap, view] = [this.heap(), this.view()];
    heap.set(Buffer.from(name + "\0"), this.path);
    heap.fill(0, this.params, this.params + kParams.size);
    for (const field of ["loadMode", "lazyMode", "splitMode"]) view.setInt32(this.params + kParams[field], 1, true);
    heap[this.params + kParams.useExtraBufts] = 1;
  }

  #readHparams() {
    const keys = this.trace.tensors.map(([name]) => Number(/blk\.(\d+)\./.exec(name)?.[1] ?? 0));
    const blocks = keys.reduce((a, b) => Math.max(a, b), 0) + 1;
    this.trace.hparams = {};
    for (const name of this.perBlock) {
      const call = (i) => this.exports["x:" + name](this.hparams, i);
      this.trace.hparams[name] = Array.from({ length: blocks }, (_, i) => call(i));
    }
  }
}
