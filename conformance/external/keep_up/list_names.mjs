// Lists the names in the llama.cpp of @wllama/wllama, by calling its functions.
//
//   node list_names.mjs FOLDER
//
// Writes JSON: build, architectures, keys, tensors, types, projectors, and
// texts. The names of pre-tokenizers and tokenizers are in no list; each is one
// of the texts, and list_names.py tries them.
//
// SPDX-License-Identifier: Apache-2.0

import { Llama } from "./llama.mjs";

const kMostNames = 5000;
const kMostGaps = 30; // An enumeration has values without a name.

const [folder] = process.argv.slice(2);
const kExports = ["llm_arch_name", "LLM_KV::operator()", "LLM_TN_IMPL::str()"];
const llama = new Llama(folder, { exports: kExports });
await llama.start();
llama.scratch2 = llama.path + 1024; // Room of the path, which nothing uses here.
const call = (name, ...values) => llama.exports["x:" + name](...values);

// Calls `name` with 0, 1, ... until it throws many times in a row.
function listed(name) {
  const found = [];
  for (let i = 0, gaps = 0; i < kMostNames && gaps < kMostGaps; ++i) {
    try {
      found.push(name(i));
      gaps = 0;
    } catch {
      ++gaps;
      llama.reset();
    }
  }
  return found;
}

function architectures() {
  const found = [];
  for (let i = 0; i < kMostNames; ++i) {
    const name = llama.cstring(call("llm_arch_name", i));
    if (name === "unknown") break;
    if (name !== "(unknown)") found.push(name);
  }
  return found;
}

// LLM_KV is {architecture, suffix}; LLM_TN_IMPL is {architecture, tensor, suffix, block, expert}.
const clear = () => llama.heap().fill(0, llama.scratch2, llama.scratch2 + 64);

function keys(architecture) {
  return listed((i) => {
    clear();
    llama.view().setInt32(llama.scratch2, architecture, true);
    call("LLM_KV::operator()", BigInt(llama.scratch), BigInt(llama.scratch2), i);
    return llama.string(llama.scratch).replace(/^llama\./, "{arch}.");
  });
}

function tensors() {
  const [block, expert] = [77777, 88888];
  return listed((i) => {
    clear();
    const view = llama.view();
    [1, i].forEach((value, at) => view.setInt32(llama.scratch2 + 4 * at, value, true));
    [block, expert].forEach((value, at) => view.setInt32(llama.scratch2 + 16 + 4 * at, value, true));
    call("LLM_TN_IMPL::str()", BigInt(llama.scratch), BigInt(llama.scratch2));
    return llama.string(llama.scratch).replace(String(block), "%d").replace(String(expert), "%d");
  });
}

// The table of ggml_type_traits: name, elements, -, bytes, ... It is found by the
// distance between its pointers to "f32" and "f16".
function types() {
  const memory = Buffer.from(llama.memory);
  const view = new DataView(memory.buffer, memory.byteOffset, memory.length);
  const word = (at) => (at + 8 <= memory.length ? Number(view.getBigUint64(at, true)) : 0);
  const places = (text) => {
    const found = new Set();
    for (let at = memory.indexOf(text + "\0"); at >= 0; at = memory.indexOf(text + "\0", at + 1)) found.add(at);
    return found;
  };
  const [f32, f16] = [places("f32"), places("f16")];
  for (let table = 8; table < memory.length - 8; table += 8) {
    if (!f32.has(word(table))) continue;
    for (let step = 32; step <= 96; step += 8) {
      if (!f16.has(word(table + step))) continue;
      const found = [];
      for (let id = 0; ; ++id) {
        const at = table + step * id;
        const name = word(at);
        if (name >= memory.length || word(at + 8) > 4096) return found;
        if (name && llama.cstring(name)) found.push({ id, name: llama.cstring(name), elements: word(at + 8), bytes: word(at + 24) });
      }
    }
  }
  return [];
}

// The map of projectors (a std::map<enum, std::string>): its nodes are found
// from the one whose text is known.
function projectors(known) {
  const memory = Buffer.from(llama.memory);
  const view = new DataView(memory.buffer, memory.byteOffset, memory.length);
  const word = (at) => Number(view.getBigUint64(at, true));
  const inside = (at) => at > 1024 && at % 8 === 0 && at < memory.length - 64;
  for (let at = memory.indexOf(known + "\0"); at >= 0; at = memory.indexOf(known + "\0", at + 1)) {
    if (at % 8 || memory[at + 23] !== known.length) continue;
    const found = new Map(); // left, right, parent, color, key, text
    for (const todo = [at - 40]; todo.length; ) {
      const node = todo.pop();
      if (!inside(node) || found.has(node)) continue;
      const key = view.getInt32(node + 32, true);
      const text = memory[node + 63] < 128 || inside(word(node + 40)) ? llama.string(node + 40) : "";
      if (key < 0 || key > kMostNames || !/^[\x20-\x7e]+$/.test(text)) continue;
      found.set(node, [key, text]);
      todo.push(word(node), word(node + 8), word(node + 16));
    }
    if (found.size > 5) return [...found.values()].sort((a, b) => a[0] - b[0]).map(([, text]) => text);
  }
  return [];
}

// The texts that may be names: the linker merges texts that end alike, and the
// compiler keeps short ones as numbers in the code that loads a vocabulary.
function texts() {
  const found = new Set();
  const add = (text) => /^[A-Za-z0-9(][A-Za-z0-9_.()+-]*$/.test(text) && text.length > 1 && found.add(text);
  const data = Buffer.concat(llama.module.sections.filter(({ id }) => id === 11).map(({ body }) => body)).toString("latin1");
  for (const [, text] of data.matchAll(/\0([\x21-\x7e]{1,48})(?=\0)/g)) {
    for (let i = 0; i < text.length - 1; ++i) add(text.slice(i));
  }
  for (const index of llama.module.find(/^llama_vocab::impl::load$/)) {
    const parts = constants(llama.module.code[index - llama.module.imports.length]);
    for (const one of parts) {
      add(one.text);
      const near = parts.filter((other) => other !== one && Math.abs(other.at - one.at) < 80);
      if (one.text.length >= 4) for (const other of near) joined(one.text, other.text).forEach(add);
    }
  }
  return [...found].sort();
}

// Returns the texts that constants of a function's code hold.
function constants(body) {
  const found = [];
  for (let at = 0; at < body.length; ++at) {
    if (body[at] !== 0x41 && body[at] !== 0x42) continue; // i32.const, i64.const
    let [value, shift, end] = [0n, 0n, at + 1];
    for (; shift <= 63n; ++end, shift += 7n) {
      value |= BigInt(body[end] & 127) << shift;
      if (!(body[end] & 128)) break;
    }
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
    const text = bytes.toString("latin1").replace(/\0+$/, "");
    if (/^[A-Za-z0-9_.+-]{1,8}$/.test(text)) found.push({ at, text });
  }
  return found;
}

// Returns the texts of which two constants are the parts, which may overlap.
function joined(one, other) {
  const found = [one + other];
  for (let i = 1; i < Math.min(one.length, other.length); ++i) {
    if (one.endsWith(other.slice(0, i))) found.push(one + other.slice(i));
  }
  return found;
}

const names = architectures();
const found = {
  build: llama.build,
  architectures: names,
  keys: keys(names.indexOf("llama")),
  tensors: tensors(),
  types: types(),
  projectors: projectors("resampler"),
  texts: texts(),
};
process.stdout.write(JSON.stringify(found) + "\n", () => process.exit(0));
