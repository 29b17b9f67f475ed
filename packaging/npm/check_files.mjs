// `ggufcheck check FILE...` and `ggufcheck show FILE...` by the WebAssembly module.
//
// SPDX-License-Identifier: Apache-2.0

import {existsSync, readFileSync} from "node:fs";
import {sep} from "node:path";
import {parseArgs} from "node:util";
import {Checker} from "./ggufcheck.mjs";
import {withFile} from "./node_file.mjs";

// Exit codes, as of the program.
const OK = 0;
const FINDINGS = 1;
const USAGE = 2;
const COULD_NOT_RUN = 3;

const COMMANDS = ["check", "show"];

const LIMITS = `There is no program for ${process.platform} on ${process.arch} here, so a WebAssembly module ` +
    "checks header, keys and tensor table; weights, digests, SARIF and configurations are left out.";
const HELP = `Usage: ggufcheck [check] [OPTIONS] FILE...
       ggufcheck show FILE...

Options:
  --profile NAME   The requirements to check (default: upload)
  --format NAME    text, json or ndjson (default: text)
  --exit-zero      Exit with 0 despite findings
  --no-config, --header-only
                   Accepted: both are always so

${LIMITS}`;

const OPTIONS = {
  "profile": {type: "string", default: "upload"},
  "format": {type: "string", default: "text"},
  "exit-zero": {type: "boolean"},
  "no-config": {type: "boolean"},
  "header-only": {type: "boolean"},
  "help": {type: "boolean", short: "h"},
  "version": {type: "boolean"},
};

class UsageError extends Error {}

function parse(args) {
  try {
    return parseArgs({args, options: OPTIONS, allowPositionals: true});
  } catch (error) {
    throw new UsageError(error.message);
  }
}

function version() {
  return JSON.parse(readFileSync(new URL("../package.json", import.meta.url))).version;
}

// Adds a file, or why it cannot be read, to the report.
async function add(checker, path) {
  const shown = path.split(sep).join("/");
  try {
    await withFile(path, (file) => checker.add(file, shown));
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) throw new Error(`${path}: ${error.message}`);
    checker.addUnread(shown, `cannot read: ${error.message}`);
  }
}

async function check(paths, {profile, format, "exit-zero": exitZero}) {
  const checker = await Checker.create(await WebAssembly.compile(
      readFileSync(new URL("ggufcheck.wasm", import.meta.url))));
  try {
    checker.begin({profile, format, files: paths.length});
  } catch (error) {
    throw new UsageError(error.message);
  }
  for (const path of paths) await add(checker, path);
  const {report, exitCode} = checker.end();
  process.stdout.write(report);
  return exitCode === FINDINGS && exitZero ? OK : exitCode;
}

// Prints what the files are, each in lines of a label and a text.
async function show(paths) {
  const checker = await Checker.create(await WebAssembly.compile(
      readFileSync(new URL("ggufcheck.wasm", import.meta.url))));
  checker.begin({profile: "upload", format: "json", files: paths.length});
  for (const path of paths) await add(checker, path);
  const {report} = checker.end();
  for (const {path, shown} of checker.shown().files) {
    console.log(path);
    for (const {label, text} of shown) {
      console.log(text.split("\n").map((line, i) => `  ${(i ? "" : label).padEnd(13)}${line}`).join("\n"));
    }
  }
  const unread = JSON.parse(report).files.filter(({incomplete}) => incomplete);
  for (const {path, incomplete} of unread) console.error(`ggufcheck: ${path}: ${incomplete}`);
  return unread.length ? COULD_NOT_RUN : OK;
}

function isPath(text) {
  return text !== undefined && (/[\\/]|\.gguf$/.test(text) || existsSync(text));
}

// Returns the exit code.
export async function main(args) {
  try {
    const {values, positionals} = parse(args);
    if (!COMMANDS.includes(positionals[0]) && isPath(positionals[0])) positionals.unshift("check");
    const [command, ...paths] = positionals;
    if (values.help || (values.version && !command)) {
      console.log(values.help ? HELP : `ggufcheck ${version()} (WebAssembly)`);
      return OK;
    }
    if (!COMMANDS.includes(command)) throw new UsageError(`there is no command "${command ?? ""}"`);
    if (paths.length === 0) throw new UsageError("there is no file to check");
    console.error(`ggufcheck: ${LIMITS}`);
    return await (command === "show" ? show(paths) : check(paths, values));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`ggufcheck: ${error.message}.  ${LIMITS}`);
    return USAGE;
  }
}
