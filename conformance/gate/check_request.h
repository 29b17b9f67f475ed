// CheckRequest: what a run checks, how, and which reports it writes.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_CHECK_REQUEST_H_
#define GGUF_CONFORMANCE_GATE_CHECK_REQUEST_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/digest/digest_manifest.h"
#include "conformance/digest/sha256_list.h"
#include "conformance/engine/profile.h"
#include "conformance/engine/validate.h"
#include "conformance/gate/base_input.h"
#include "conformance/gate/baseline_file.h"
#include "conformance/gate/config_file.h"
#include "conformance/gate/files.h"
#include "conformance/gate/origin_input.h"
#include "conformance/input/open.h"
#include "conformance/output/output_file.h"
#include "conformance/report/report.h"
#include "conformance/tables/build.h"

namespace gguf {

// Built once and passed on as const.  The default enables only the checks that
// apply to every file.
struct CheckRequest {
  // Files, directories, URLs and "-" for standard input.
  std::vector<std::string> paths;
  std::vector<FileList> lists;  // Files that list more paths.
  FileChoice choice;            // Of the files in directories.

  // How files are read and checked.
  HeaderOptions header;
  // Reads files on disk without mapping them, and no URLs: a mapped file that
  // shrinks raises a signal, which belongs to the program.
  bool unmapped = false;
  Profile profile = *Profile::Find(Profile::kDefault);
  // Profiles for files that match a glob of the configuration; the first match
  // applies.
  std::vector<std::pair<std::string, Profile>> file_profiles;
  // Its `base`, `origin` and `policy` come from the members below.
  ValidateOptions validate;
  int32_t llama_cpp = kNoBuild;           // The build for JudgeReaders().
  std::shared_ptr<const BaseInput> base;  // Null for none.
  // What the files are said to be made from; null for none.
  std::shared_ptr<const OriginInput> origin;
  std::shared_ptr<const ConfigFile> config;  // Null for none.
  std::optional<DigestManifest> digests;     // With `validate.digests`.
  std::optional<Sha256List> sha256;          // With `validate.sha256`.
  BaselineRequest baseline;
  unsigned jobs = 1;  // Threads.

  // The description of the run in its reports: severities that fail a file, and
  // the shard.  Gate::run() adds the number of files.
  Run run;
  std::string shard_from;  // The variable that chose `run.shard`, or empty.

  // Other files that are read, besides those to be checked.
  InputFiles inputs;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_CHECK_REQUEST_H_
