// A file on disk, as Checker.add() wants it; for Node.
//
// SPDX-License-Identifier: Apache-2.0

import {open} from "node:fs/promises";

// Calls use(file) with an open file.
export async function withFile(path, use) {
  const handle = await open(path);
  try {
    const {size} = await handle.stat();
    return await use({
      size,
      slice: (begin, end) => ({
        async arrayBuffer() {
          const bytes = new Uint8Array(end - begin);
          for (let at = 0; at < bytes.length;) {
            const {bytesRead} = await handle.read(bytes, at, bytes.length - at, begin + at);
            if (bytesRead === 0) throw new Error("the file became shorter");
            at += bytesRead;
          }
          return bytes.buffer;
        },
      }),
    });
  } finally {
    await handle.close();
  }
}
