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

  // Checks a file: an object with `size` in bytes and `slice(begin, end)`, whose
  // result has `arrayBuffer()`, such as a File or a Blob.  Reads only as much of
  // its beginning as header, keys and tensor table take.  Returns the report,
  // docs/reports.md; throws an Error if the file cannot be read or is too long
  // for the module.
  async check(file, {name = "", profile = "upload"} = {}) {
    for (let length = FIRST_READ;; length *= GROWTH) {
      if (Math.min(length, file.size) > MOST_BYTES) {
        throw new Error(`the header and the tables have more than ${MOST_BYTES} bytes`);
      }
      const prefix = new Uint8Array(
          await file.slice(0, Math.min(length, file.size)).arrayBuffer());
      const report = this.checkPrefix(prefix, file.size, {name, profile});
      if (report) return report;
    }
  }

  // Checks a file of `size` bytes by its first bytes.  Returns null if header,
  // keys and tensor table are longer.
  checkPrefix(prefix, size, {name = "", profile = "upload"} = {}) {
    const texts = [name, profile].map((text) => new TextEncoder().encode(text + "\0"));
    const places = [];
    try {
      for (const bytes of [prefix, ...texts]) places.push(this.#copy(bytes));
      const result = this.#exports.ggufcheck_check(
          places[0], prefix.length, size, places[1], places[2]);
      if (result === NEEDS_MORE) return null;
      if (result !== DONE) throw new Error(`there is no profile ${profile}`);
    } finally {
      for (const place of places) this.#exports.ggufcheck_free(place);
    }
    const report = new Uint8Array(this.#exports.memory.buffer,
        this.#exports.ggufcheck_report(), this.#exports.ggufcheck_report_size());
    return JSON.parse(new TextDecoder().decode(report));
  }

  #copy(bytes) {
    const place = this.#exports.ggufcheck_allocate(Math.max(1, bytes.length));
    if (!place) throw new Error(`no memory for ${bytes.length} bytes`);
    new Uint8Array(this.#exports.memory.buffer, place, bytes.length).set(bytes);
    return place;
  }
}
