// CheckOptions: what a check reads, compares and reports, as its caller asked.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_CHECK_OPTIONS_H_
#define GGUF_CONFORMANCE_RULES_CHECK_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/base/limits.h"
#include "conformance/tables/build.h"
#include "parser/rule.h"

namespace gguf {

// The values of all options of a check, from flags, the C interface and the
// configuration.  One object goes from the command line to Validate(), which
// reads those about limits and weights, and which others are set.  A member has
// the name of its flag, and `ggufcheck check --help` says what it does.  The
// default enables only the checks that apply to every file.
struct CheckOptions {
  // How much of a file is read.
  Limits limits;
  bool weights = false;  // The data of all tensors, for the rules about it.
  bool stats = false;    // Also reports statistics; implies `weights`.
  // Also runs the checks of rules that the profile turns off (FileReport::off),
  // from which JudgeReaders() predicts what readers do with the file.
  bool readers = false;
  int32_t llama_cpp = kNoBuild;  // The build that `readers` asks for.
  bool header_only = false;      // For URLs, always on.
  std::optional<uint64_t> size;  // The full size, if a stream is a prefix.
  unsigned jobs = 1;             // Threads.

  // What the files are compared with; empty for nothing.  `base` is that of
  // companions.  `origin`, a model, and `source`, a Hugging Face folder, are
  // those of `ggufcheck compare`, at most one of them.
  std::string base, origin, source;
  std::string digest;  // A manifest.
  std::string sha256;  // A digest, a file, or "names".

  // The rules.  Empty or unset: those of the configuration.
  std::string config;  // A path.
  bool no_config = false;
  std::string profile;
  Severity fail_on = Severity::kError;
  bool preview = false;
  std::vector<std::string> select, ignore;
  std::string baseline, write_baseline;  // At most one of them.
  std::string baseline_reason;
  bool baseline_safety = false;

  // The files: paths, directories, URLs and "-" for standard input.
  std::vector<std::string> paths;
  std::string files_from, files_from0;
  std::vector<std::string> include;  // Globs.
  bool all_files = false;
  std::string shard;  // Empty for all models.
  bool allow_private_redirects = false;
  std::vector<std::string> header;  // Secret.
  std::string cacert;

  // The reports of the program.
  std::string format = "text";
  std::vector<std::string> report;  // FORMAT=PATH
  std::string color = "auto";
  bool quiet = false;
  bool verbose = false;
  bool exit_zero = false;

  // What the caller is, which no user sets.  Messages of the program name an
  // option as a flag; it looks for a configuration; and it maps files: a mapped
  // file that shrinks raises a signal, which a library leaves to its program.
  bool is_program = false;

  // The names of the options that were set.
  std::set<std::string> given;
  bool has(const std::string& name) const { return given.count(name) > 0; }

  // Returns an option as messages name it: --base, or "base" in quotes.
  std::string Named(absl::string_view name) const {
    return is_program ? absl::StrCat("--", name) : absl::StrCat("\"", name, "\"");
  }

  bool reads_weights() const { return weights || stats; }
  // Returns the path of the baseline; empty for none.
  const std::string& any_baseline() const {
    return write_baseline.empty() ? baseline : write_baseline;
  }
};

// Returns how often a check reads the data of a file from end to end.
inline unsigned PassesOverData(const CheckOptions& options) {
  const bool digest = !options.digest.empty();
  // The SHA-256 of a file is computed while its weights are read.
  const bool sha256 = !options.sha256.empty() && !digest;
  return unsigned{options.reads_weights() || sha256} + unsigned{digest} +
         unsigned{!options.origin.empty()};
}

// Returns whether a check reads tensor data, and not only the tables before it.
inline bool ReadsData(const CheckOptions& options) { return PassesOverData(options) > 0; }

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_CHECK_OPTIONS_H_
