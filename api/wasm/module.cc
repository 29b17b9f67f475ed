// The functions of the WebAssembly module.  JavaScript copies the beginning of
// a file into the module, and asks for a report; ggufcheck.mjs does.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "conformance/engine/profile.h"
#include "conformance/engine/validate.h"
#include "conformance/model/shard_name.h"
#include "conformance/report/json.h"
#include "conformance/report/report.h"
#include "conformance/report/text.h"
#include "parser/core/bytes.h"
#include "parser/core/diagnostic.h"
#include "parser/core/source.h"
#include "parser/parse.h"

namespace gguf {
namespace {

// The writer of a format, or null for an unknown one.
std::unique_ptr<ReportWriter> NewWriter(absl::string_view format,
                                        const Run& run, std::ostream& out) {
  if (format == "text") return NewTextWriter(run, {}, out);
  if (format == "json") return NewJsonWriter(run, out);
  if (format == "ndjson") return NewJsonLinesWriter(run, out);
  return nullptr;
}

// The report on a number of files.
struct Session {
  Session(const Profile& the_profile, absl::string_view format, uint64_t files)
      : profile(the_profile) {
    run.profile = profile.name();
    run.inputs.files = files;
    writer = NewWriter(format, run, out);
  }

  void Add(FileReport report, const char* path) {
    report.index = totals.files();
    report.path = path;
    totals.Add(report, run.fail_on);
    writer->Add(report);
  }

  const Profile& profile;
  Run run;
  Totals totals;
  std::ostringstream out;
  std::unique_ptr<ReportWriter> writer;
  std::string report;  // What `out` has, at the end.
};

// JavaScript calls one function at a time.
std::unique_ptr<Session>& Current() {
  static auto& current = *new std::unique_ptr<Session>;
  return current;
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
  if (!ParseShardName(source.name)) {
    return Validate(source, profile, Options());
  }
  return ValidateSet({{source, "", nullptr, {}}}, profile, Options(), {})
      .front();
}

}  // namespace
}  // namespace gguf

extern "C" {

// Results of the functions below.
enum { kDone = 0, kNeedsMore = 1, kUnknownName = 2 };

// Returns memory for that many bytes, or null.
__attribute__((export_name("ggufcheck_allocate"))) void* ggufcheck_allocate(
    size_t bytes) {
  return std::malloc(bytes);
}

__attribute__((export_name("ggufcheck_free"))) void ggufcheck_free(void* at) {
  std::free(at);
}

// Texts end with a NUL.

// Begins a report on `files` files, in place of an earlier one.  Returns
// kUnknownName if there is no such profile or format.
__attribute__((export_name("ggufcheck_begin"))) int ggufcheck_begin(
    const char* profile, const char* format, double files) {
  gguf::Current() = nullptr;
  const gguf::Profile* chosen = gguf::Profile::Find(profile);
  if (chosen == nullptr) return kUnknownName;
  auto session = std::make_unique<gguf::Session>(*chosen, format,
                                                 static_cast<uint64_t>(files));
  if (session->writer == nullptr) return kUnknownName;
  gguf::Current() = std::move(session);
  return kDone;
}

// Adds a file of `size` bytes to the report, by its first `length` bytes.
// Returns kNeedsMore, and adds nothing, if the header and the tables are
// longer.
__attribute__((export_name("ggufcheck_check"))) int ggufcheck_check(
    const uint8_t* prefix, size_t length, double size, const char* path) {
  const absl::string_view name = path;
  gguf::Source source(gguf::Bytes(prefix, length), static_cast<uint64_t>(size),
                      name.substr(name.rfind('/') + 1));
  if (length < source.size && gguf::NeedsMore(source)) return kNeedsMore;
  source.header_only = true;
  gguf::Session& session = *gguf::Current();
  session.Add(gguf::Check(source, session.profile), path);
  return kDone;
}

// Adds a file that cannot be read.
__attribute__((export_name("ggufcheck_add_unread"))) void ggufcheck_add_unread(
    const char* path, const char* why) {
  gguf::Session& session = *gguf::Current();
  session.Add(gguf::Unchecked(why, session.profile), path);
}

// Ends the report.  Returns the exit code of `ggufcheck check`.
__attribute__((export_name("ggufcheck_end"))) int ggufcheck_end() {
  gguf::Session& session = *gguf::Current();
  session.writer->End(session.totals);
  session.report = session.out.str();
  return gguf::ExitCode(session.totals);
}

// Returns the report: ggufcheck_report_size() bytes, valid until the next one
// begins.
__attribute__((export_name("ggufcheck_report"))) const char*
ggufcheck_report() {
  return gguf::Current()->report.data();
}

__attribute__((export_name("ggufcheck_report_size"))) size_t
ggufcheck_report_size() {
  return gguf::Current()->report.size();
}
}
