// Helper for adapters in Node.js: writes the lines of the protocol
// (docs/reader-protocol.md).
//
//   run("my-reader", "1.0", "kv,tensors", async (path, say) => {
//     const file = await read(path);
//     if (!file) return say.reject("syntax", "what is wrong");
//     say.kv("general.alignment", "u32", 32);
//     say.tensor("output.weight", 0, 0, [32, 2]);
//     say.accept();
//   });
//
// An exception that leaves the function ends the adapter, as it would end any
// program.  If the reader rejects files by exceptions, the adapter must catch
// them.
//
// SPDX-License-Identifier: Apache-2.0

import { createInterface } from "node:readline";

const kMaxLine = 8 << 20;

// The value types, by their number in GGUF.
export const kTypes = "u8 i8 u16 i16 u32 i32 f32 bool str arr u64 i64 f64".split(" ");

const hex = (bytes) => Buffer.from(bytes).toString("hex") || "-";

function float(value, size) {
  const bytes = Buffer.alloc(size);
  size === 4 ? bytes.writeFloatBE(value) : bytes.writeDoubleBE(value);
  return hex(bytes);
}

// Guesses the type of a JavaScript value (quirk "untyped").
function typeOf(value) {
  if (Array.isArray(value)) return "arr";
  return { bigint: value < 0 ? "i64" : "u64", number: "f64", boolean: "bool" }[typeof value] ?? "str";
}

// Returns the words of a value without its type; `element` is the type of its
// elements.
function words(type, value, element) {
  if (type === "str") return hex(value);
  if (type === "f32" || type === "f64") return float(Number(value), type === "f32" ? 4 : 8);
  if (type === "bool") return String(Number(value));
  if (type !== "arr") return String(value);
  element ??= value.length ? typeOf(value[0]) : "u8";
  return [element, value.length, ...value.map((one) => words(element, one))].join(" ");
}

const oneLine = (text) => String(text).replace(/\s+/g, " ").slice(0, 1000);

const kSay = {
  line: (...parts) => {
    const line = parts.join(" ");
    if (line.length <= kMaxLine) process.stdout.write(line + "\n");
  },
  // Keys, names and strings are text or bytes.  `type`, and `element` for an
  // array, are names or numbers; if missing, they are guessed.
  kv: (key, type, value, element) => {
    const name = kTypes[type] ?? type ?? typeOf(value);
    kSay.line("@kv", hex(key), name, words(name, value, kTypes[element] ?? element));
  },
  // `offset` is relative to the data section; dimensions are in file order.
  tensor: (name, type, offset, dims) => kSay.line("@t", hex(name), type, offset, dims.length, ...dims),
  data: (name, bytes) => bytes.length < kMaxLine && kSay.line("@d", hex(name), hex(bytes)),
  weights: (name, floats) => kSay.line("@q", hex(name), ...Array.from(floats, (one) => float(one, 4))),
  // Verdicts: call one for each file, at the end.
  accept: () => kSay.line("@accept"),
  reject: (kind, text) => kSay.line("@reject", kind, oneLine(text)),
  skip: (text) => kSay.line("@skip", oneLine(text)),
};

// Sends the greeting and calls `read` for each path.
export async function run(name, version, capabilities, read) {
  kSay.line("@gguf-testee 1", name, version, capabilities);
  for await (const path of createInterface({ input: process.stdin })) await read(path, kSay);
}
