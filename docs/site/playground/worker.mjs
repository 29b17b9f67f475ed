// Checks files for the page, which can end this worker when it takes too long.
//
// SPDX-License-Identifier: Apache-2.0

import {Checker} from "./ggufcheck.mjs";

// Browsers do not tell scripts why a request failed.
async function request(url, options) {
  try {
    return await fetch(url, options);
  } catch (error) {
    throw new Error("the server cannot be reached, or does not allow other sites to read this file");
  }
}

// A file on a web server that allows other sites to read parts of it.
class RemoteFile {
  static async open(url) {
    const head = await request(url, {method: "HEAD"});
    if (!head.ok) throw new Error(`the server answers ${head.status}`);
    const size = Number(head.headers.get("content-length"));
    if (!size) throw new Error("the server does not tell the size of the file");
    return new RemoteFile(url, size);
  }

  constructor(url, size) {
    this.url = url;
    this.size = size;
  }

  slice(begin, end) {
    return {arrayBuffer: () => this.#read(begin, end)};
  }

  async #read(begin, end) {
    if (begin === end) return new ArrayBuffer(0);
    const answer = await request(this.url, {headers: {range: `bytes=${begin}-${end - 1}`}});
    // 200 would be the whole file.
    if (answer.status !== 206) throw new Error("the server does not send parts of files");
    const bytes = await answer.arrayBuffer();
    if (bytes.byteLength !== end - begin) throw new Error("the server sent fewer bytes than it said");
    return bytes;
  }
}

const checker = WebAssembly.compileStreaming(fetch("ggufcheck.wasm")).then(Checker.create);

async function add(checker, {file, url}) {
  const name = url ? decodeURIComponent(new URL(url).pathname.split("/").pop()) : file.name;
  await checker.add(url ? await RemoteFile.open(url) : file, name);
}

// Answers with a report on all files and what they are, or with the error of one.
onmessage = async ({data: {requests, readers, profile}}) => {
  try {
    const module = await checker;
    module.begin({profile, format: "json", files: requests.length, readers});
    for (const request of requests) await add(module, request);
    const report = JSON.parse(module.end().report);
    postMessage({report, shown: module.shown()});
  } catch (error) {
    const failed = error instanceof WebAssembly.RuntimeError;
    postMessage({error: failed ? `the module failed: ${error.message}` : error.message});
  }
};
