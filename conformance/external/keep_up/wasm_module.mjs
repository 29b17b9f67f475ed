// Reads and changes a WebAssembly module.
//
// The name section gives functions their names. By name, a function can be
// exported, and can be made to report its calls to an import.
//
// SPDX-License-Identifier: Apache-2.0

const kTypes = 1;
const kImports = 2;
const kFunctions = 3;
const kExports = 7;
const kCode = 10;
const kCustom = 0;

const kI32 = 0x7f;
const kI64 = 0x7e;

// Opcodes.
const kCall = 0x10;
const kLocalGet = 0x20;
const kLocalSet = 0x21;
const kI32Const = 0x41;
const kI64Const = 0x42;
const kI32And = 0x71;
const kI32Or = 0x72;
const kI64ExtendI32 = 0xac;

class Reader {
  constructor(data, at = 0) {
    this.data = data;
    this.at = at;
  }
  done() {
    return this.at >= this.data.length;
  }
  byte() {
    return this.data[this.at++];
  }
  // LEB128.
  uint() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }
  bytes(count) {
    this.at += count;
    return this.data.subarray(this.at - count, this.at);
  }
  text() {
    return new TextDecoder().decode(this.bytes(this.uint()));
  }
  // Calls `read` as many times as the count that comes first.
  list(read) {
    return Array.from({ length: this.uint() }, read);
  }
}

function uint(value) {
  const out = [];
  for (; value > 127; value = Math.floor(value / 128)) out.push((value % 128) + 128);
  return [...out, value];
}

// A signed number from 0 to 8191.
const sint = (value) => (value < 64 ? [value] : [(value & 127) + 128, value >> 7]);

const text = (name) => {
  const bytes = new TextEncoder().encode(name);
  return [...uint(bytes.length), ...bytes];
};

export class WasmModule {
  constructor(data) {
    this.header = data.subarray(0, 8);
    this.sections = [];
    this.names = new Map(); // Index to name.
    for (const reader = new Reader(data, 8); !reader.done(); ) {
      const id = reader.byte();
      const body = reader.bytes(reader.uint());
      this.sections.push({ id, body });
      this.#parse(id, new Reader(body));
    }
  }

  #parse(id, r) {
    if (id === kTypes) {
      this.types = r.list(() => {
        r.byte();
        return { parameters: [...r.bytes(r.uint())], results: [...r.bytes(r.uint())] };
      });
    } else if (id === kImports) {
      // Emscripten lists functions before memories.
      this.imports = [];
      for (let left = r.uint(); left > 0; --left) {
        const [module, name, kind] = [r.text(), r.text(), r.byte()];
        if (kind !== 0) break;
        this.imports.push({ module, name, type: r.uint() });
      }
    } else if (id === kFunctions) {
      this.functions = r.list(() => r.uint());
    } else if (id === kExports) {
      this.exports = r.list(() => ({ name: r.text(), kind: r.byte(), index: r.uint() }));
    } else if (id === kCode) {
      this.code = r.list(() => r.bytes(r.uint()));
    } else if (id === kCustom && r.text() === "name") {
      while (!r.done()) {
        const kind = r.byte();
        const end = r.uint() + r.at;
        if (kind === 1) this.names = new Map(r.list(() => [r.uint(), r.text()]));
        r.at = end;
      }
    }
  }

  // Returns the indices of the functions whose name matches.
  find(pattern) {
    const matches = ([index, name]) => index >= this.imports.length && pattern.test(name);
    return [...this.names].filter(matches).map(([index]) => index);
  }

  parameters(index) {
    const own = index - this.imports.length;
    return this.types[own < 0 ? this.imports[index].type : this.functions[own]].parameters;
  }

  export(name, index) {
    this.exports.push({ name, kind: 0, index });
  }

  // Makes a function call the import `callee` first, with `id` and the
  // parameters at these positions. The callee's parameters are i64; those that
  // are left over are 0.
  report(index, callee, id, positions) {
    const types = this.parameters(index);
    const call = [kI64Const, ...sint(id)];
    for (let i = 1; i < this.parameters(callee).length; ++i) {
      const position = positions[i - 1];
      if (position === undefined) {
        call.push(kI64Const, 0);
        continue;
      }
      call.push(kLocalGet, position);
      if (types[position] === kI32) call.push(kI64ExtendI32);
      else if (types[position] !== kI64) throw new Error(`parameter ${position} is no integer`);
    }
    this.#insert(index, [...call, kCall, ...uint(callee)]);
  }

  // Makes a function change an i32 parameter first: parameter & mask | bits.
  change(index, position, mask, bits) {
    const code = [kLocalGet, position, kI32Const, ...sint(mask), kI32And, kI32Const, ...sint(bits), kI32Or];
    this.#insert(index, [...code, kLocalSet, position]);
  }

  #insert(index, code) {
    const body = this.code[index - this.imports.length];
    const reader = new Reader(body);
    reader.list(() => [reader.uint(), reader.byte()]); // The local variables.
    const parts = [body.subarray(0, reader.at), Buffer.from(code), body.subarray(reader.at)];
    this.code[index - this.imports.length] = Buffer.concat(parts);
  }

  build() {
    const bodies = {
      [kExports]: () => [uint(this.exports.length), ...this.exports.map((one) => [...text(one.name), one.kind, ...uint(one.index)])],
      [kCode]: () => [uint(this.code.length), ...this.code.flatMap((body) => [uint(body.length), body])],
    };
    const parts = [this.header];
    for (const { id, body } of this.sections) {
      const out = bodies[id] ? Buffer.concat(bodies[id]().map((part) => Buffer.from(part))) : body;
      parts.push(Buffer.from([id, ...uint(out.length)]), out);
    }
    return Buffer.concat(parts);
  }
}
