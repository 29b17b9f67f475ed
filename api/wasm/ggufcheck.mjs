// Checks model files with the WebAssembly module, in browsers and in Node.
//
//   const checker = await Checker.create(await WebAssembly.compile(bytes));
//   const report = await checker.check(file, {name: "model.gguf"});
//
// SPDX-License-Identifier: Apache-2.0

const DONE = 0;
const NEEDS_MORE = 1;
const FIRST_READ = 1 << 20;  // Bytes; each further read is four times as long.
const GROWTH = 4;
// Addresses have 32 bits, and the tables that are made from a file take more
// memory than its bytes.
const MOST_BYTES = 1 << 30;

// The functions of WASI that the C++ library links.  A check calls only
// clock_time_get and random_get.
function wasi(memory) {
  const failing = () => 52;  // ENOSYS
  const view = () => new DataView(memory().buffer);
  const functions = {
    clock_time_get: (id, precision, to) => {
      view().setBigUint64(to, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    random_get: (to, size) => {
      crypto.getRandomValues(new Uint8Array(memory().buffer, to, size));
      return 0;
    },
    environ_sizes_get: (count, size) => {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    proc_exit: (code) => {
      throw new Error(`the module ended with code ${code}`);
    },
  };
  return new Proxy(functions, {get: (all, name) => all[name] ?? failing});
}

export class Checker {
  // Makes a checker of a compiled module.
  static async create(module) {
    const checker = new Checker();
    const instance = await WebAssembly.instantiate(module, {
      wasi_snapshot_preview1: wasi(() => checker.#exports.memory),
    });
    checker.#exports = instance.exports;
    checker.#exports._initialize();
    return checker;
  }

  #exports;

  // Checks a file, as add() does, and returns the report: docs/reports.md.
  async check(file, {name = "", profile = "upload"} = {}) {
    this.begin({profile, format: "json", files: 1});
    await this.add(file, name);
    return JSON.parse(this.end().report);
  }

  // Begins a report on a number of files, in the format "json", "ndjson" or
  // "text".  Shards of a model that are added to it are checked as one model.
  // With `readers`, it predicts what readers will do with the files.
  begin({profile, format, files, readers = false}) {
    const result = this.#call("begin", profile, format, files, Number(readers));
    if (result !== DONE) throw new Error(`there is no profile ${profile} or no format ${format}`);
  }

  // Adds a file to the report: an object with `size` in bytes and
  // `slice(begin, end)`, whose result has `arrayBuffer()`, such as a File or a
  // Blob.  Reads only as much of its beginning as header, keys and tensor table
  // take.  Throws an Error if the file cannot be read or is too long for the
  // module.
  async add(file, path) {
    for (let length = FIRST_READ;; length *= GROWTH) {
      if (Math.min(length, file.size) > MOST_BYTES) {
        throw new Error(`the header and the tables have more than ${MOST_BYTES} bytes`);
      }
      const prefix = new Uint8Array(
          await file.slice(0, Math.min(length, file.size)).arrayBuffer());
      const result = this.#call("check", prefix, prefix.length, file.size, path);
      if (result !== NEEDS_MORE) return;
    }
  }

  // Adds a file that cannot be read.
  addUnread(path, why) {
    this.#call("add_unread", path, why);
  }

  // Ends the report.  Returns it as text, and the exit code of `ggufcheck check`.
  end() {
    const exitCode = this.#exports.ggufcheck_end();
    return {report: this.#text("report"), exitCode};
  }

  // Returns what the models are, after end(): the document of `ggufcheck show --format json`.  A
  // model with a chat template also has `rendering`: what the template writes for a conversation.
  shown() {
    return JSON.parse(this.#text("shown"));
  }

  #text(name) {
    const at = this.#exports[`ggufcheck_${name}`]();
    const size = this.#exports[`ggufcheck_${name}_size`]();
    return new TextDecoder().decode(new Uint8Array(this.#exports.memory.buffer, at, size));
  }

  // Calls a function of the module with numbers, texts and bytes.
  #call(name, ...values) {
    const places = [];
    try {
      const passed = values.map((value) => {
        if (typeof value === "number") return value;
        places.push(this.#copy(
            typeof value === "string" ? new TextEncoder().encode(value + "\0") : value));
        return places.at(-1);
      });
      return this.#exports["ggufcheck_" + name](...passed);
    } finally {
      for (const place of places) this.#exports.ggufcheck_free(place);
    }
  }

  #copy(bytes) {
    const place = this.#exports.ggufcheck_allocate(Math.max(1, bytes.length));
    if (!place) throw new Error(`no memory for ${bytes.length} bytes`);
    new Uint8Array(this.#exports.memory.buffer, place, bytes.length).set(bytes);
    return place;
  }
}
