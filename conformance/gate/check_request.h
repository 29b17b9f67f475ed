// CheckRequest: what a run checks, against what, and what it reports.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_CHECK_REQUEST_H_
#define GGUF_CONFORMANCE_GATE_CHECK_REQUEST_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/gate/base_input.h"
#include "conformance/gate/baseline_file.h"
#include "conformance/gate/config_file.h"
#include "conformance/gate/file_list.h"
#include "conformance/input/open.h"
#include "conformance/digest/digest_manifest.h"
#include "conformance/output/output_file.h"
#include "conformance/report/report.h"
#include "conformance/engine/profile.h"
#include "conformance/engine/validate.h"

namespace gguf {

// A report that is written to a file.
struct ReportTarget {
  std::string format;  // One of ReportFormatNames().
  std::string path;
};

// Made once and handed down as const.  The default asks nothing but what every
// file is checked for.
struct CheckRequest {
  // Files, directories, URLs and "-" for standard input.
  std::vector<std::string> paths;
  std::vector<FileList> lists;  // Of more paths.

  // How files are read and judged.
  HeaderOptions header;
  Profile profile = *Profile::Find(Profile::kDefault);
  // Its `base` and `policy` are those of the members below.
  ValidateOptions validate;
  std::shared_ptr<const BaseInput> base;     // Null for none.
  std::shared_ptr<const ConfigFile> config;  // Null for none.
  std::optional<DigestManifest> digests;     // With `validate.digests`.
  BaselineRequest baseline;
  unsigned jobs = 1;  // Threads.

  // What the reports say of the run: severities that fail a file, the share of
  // the files that it looks at.  Gate::run() adds the number of files.
  Run run;
  std::string shard_from;  // The variable that chose `run.shard`, or empty.
  std::string format = "text";  // Of the report on standard output.
  std::vector<ReportTarget> reports;

  // Files that are read besides those to be checked.
  InputFiles inputs;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_CHECK_REQUEST_H_
