// Runs files with a program of ggml's examples, whose main() is compiled as example_main().
//
// SPDX-License-Identifier: Apache-2.0

#include "child.h"

int example_main(int argc, char** argv);

Outcome RunFile(const std::string&, const char* path) {
  const char* arguments[] = {"example", "-m", path, "-p", "a",       "-n", "2",
                             "-t",      "1",  "-s", "1",  "--top_k", "1",  nullptr};
  // The program does not change them.
  return example_main(13, const_cast<char**>(arguments)) == 0 ? Outcome::kRan : Outcome::kRefused;
}
