// The functions of the WebAssembly module.  JavaScript copies the beginning of
// a file into the module, and asks for a report; ggufcheck.mjs does.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/engine/profile.h"
#include "conformance/engine/validate.h"
#include "conformance/model/shard_name.h"
#include "conformance/report/json.h"
#include "conformance/report/report.h"
#include "parser/core/bytes.h"
#include "parser/core/diagnostic.h"
#include "parser/core/source.h"
#include "parser/parse.h"

namespace gguf {
namespace {

// JavaScript calls one function at a time.
std::string& Report() {
  static auto& report = *new std::string;
  return report;
}

ValidateOptions Options() {
  ValidateOptions options;
  options.limits.seconds = 0;  // JavaScript ends a worker that takes too long.
  return options;
}

bool NeedsMore(const Source& source) {
  Diagnostics ignored(0);
  const File file = Parse(source, Options().limits, &ignored);
  return file.stop && file.stop->kind == Stop::kNeedsMore;
}

FileReport Check(const Source& source, const Profile& profile) {
  // The other shards are not at hand.
  FileReport report =
      ParseShardName(source.name)
          ? ValidateSet({{source, "", nullptr, {}}}, profile, Options(), {})
                .front()
          : Validate(source, profile, Options());
  report.path = std::string(source.name);
  return report;
}

std::string ReportOn(FileReport report, const Profile& profile) {
  Run run;
  run.profile = profile.name();
  run.inputs.files = 1;
  Totals totals;
  totals.Add(report, run.fail_on);
  std::ostringstream out;
  const auto writer = NewJsonWriter(run, out);
  writer->Add(report);
  writer->End(totals);
  return out.str();
}

}  // namespace
}  // namespace gguf

extern "C" {

// Results of ggufcheck_check().
enum { kDone = 0, kNeedsMore = 1, kNoProfile = 2 };

// Returns memory for that many bytes, or null.
__attribute__((export_name("ggufcheck_allocate"))) void* ggufcheck_allocate(
    size_t bytes) {
  return std::malloc(bytes);
}

__attribute__((export_name("ggufcheck_free"))) void ggufcheck_free(void* at) {
  std::free(at);
}

// Checks a file of `size` bytes by its first `length` ones.  `name` is the
// file's name, `profile` that of a profile; both end with a NUL.  Returns one
// of the values above; kNeedsMore if the header and the tables are longer.
__attribute__((export_name("ggufcheck_check"))) int ggufcheck_check(
    const uint8_t* prefix, size_t length, double size, const char* name,
    const char* profile) {
  const gguf::Profile* chosen = gguf::Profile::Find(profile);
  if (chosen == nullptr) return kNoProfile;
  gguf::Source source(gguf::Bytes(prefix, length), static_cast<uint64_t>(size),
                      name);
  if (length < source.size && gguf::NeedsMore(source)) return kNeedsMore;
  source.header_only = true;
  gguf::Report() = gguf::ReportOn(gguf::Check(source, *chosen), *chosen);
  return kDone;
}

// Returns the report of the last check that returned kDone: a JSON document of
// ggufcheck_report_size() bytes, valid until the next check.
__attribute__((export_name("ggufcheck_report"))) const char*
ggufcheck_report() {
  return gguf::Report().data();
}

__attribute__((export_name("ggufcheck_report_size"))) size_t
ggufcheck_report_size() {
  return gguf::Report().size();
}
}
