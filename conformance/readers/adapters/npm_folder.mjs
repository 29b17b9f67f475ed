// npmFolder: where readers from npm are installed.
//
// SPDX-License-Identifier: Apache-2.0

import { homedir } from "node:os";
import { join, resolve } from "node:path";

// Returns node_modules in the folder that the command line names; by default in
// the cache, in the folder with this name: "external" (install_npm.sh) or
// "loader" (./dev test-loader).
export function npmFolder(name) {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return resolve(process.argv[2] ?? join(cache, "ggufcheck", name), "node_modules");
}
