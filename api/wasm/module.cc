// The functions of the WebAssembly module.  JavaScript copies the beginning of
// a file into the module, and asks for a report; ggufcheck.mjs does.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/base/json.h"
#include "conformance/base/text.h"
#include "conformance/model/file_name.h"
#include "conformance/model/renderings.h"
#include "conformance/model/summary.h"
#include "conformance/report/json.h"
#include "conformance/report/report.h"
#include "conformance/report/text.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/readers.h"
#include "conformance/rules/validate.h"
#include "parser/diagnostic.h"
#include "parser/parse.h"

namespace gguf {
namespace {

// The writer of a format, or null for an unknown one.
std::unique_ptr<ReportWriter> NewWriter(absl::string_view format, const Run& run,
                                        std::ostream& out) {
  if (format == "text") return NewTextWriter(run, {}, out);
  if (format == "json") return NewJsonWriter(run, out);
  if (format == "ndjson") return NewJsonLinesWriter(run, out);
  return nullptr;
}

// Returns a file to check, or one that cannot be read.
ShardFile FileOf(Bytes prefix, uint64_t size, absl::string_view path,
                 absl::string_view why_unread) {
  Source source(prefix, size, path.substr(path.rfind('/') + 1));
  source.header_only = true;
  return {source, std::string(why_unread)};
}

bool NeedsMore(const Source& source) {
  if (source.prefix.size() >= source.size) return false;
  Diagnostics ignored(0);
  const File file = Parse(source, Limits(), &ignored);
  return file.stop && file.stop->kind == Stop::kNeedsMore;
}

// The report on a number of files.  The shards of a model are kept, and are
// checked together at the end.
class Session {
 public:
  Session(const Profile& profile, absl::string_view format, uint64_t files, bool readers)
      : profile_(profile) {
    options_.readers = readers;
    options_.limits.seconds = 0;  // JavaScript ends a worker that takes too long.
    run_.profile = profile.name();
    run_.inputs.files = files;
    writer_ = NewWriter(format, run_, out_);
  }

  bool knows_format() const { return writer_ != nullptr; }

  void Add(const ShardFile& file, absl::string_view path) {
    reports_.emplace_back();
    const auto name = ParseShardName(file.source.name);
    if (!name) {
      reports_.back() = file.why_unread.empty() ? Validate(file.source, profile_, options_)
                                                : Unchecked(file.why_unread, profile_);
      if (options_.readers) reports_.back().readers = JudgeReaders(reports_.back());
      Show({file}, path);
    } else if (!Keep(*name, file, path)) {
      // Of two files with one name, the first belongs to the model.
      reports_.back() = CheckSet({file}).front();
    }
    reports_.back().path = std::string(path);
  }

  // Completes the report.  Returns the exit code of `ggufcheck check`.
  int End() {
    for (const auto& [model, shards] : models_) CheckModel(shards);
    for (FileReport& report : reports_) {
      report.index = totals_.files();
      totals_.Add(report, run_.fail_on);
      writer_->Add(report);
    }
    writer_->End(totals_);
    report_ = out_.str();
    shown_text_ = JsonText({{"schema", "ggufcheck/show/1"}, {"files", shown_}});
    return ExitCode(totals_);
  }

  const std::string& report() const { return report_; }

  // Returns what the models are: as `ggufcheck show --format json`, and what their chat templates
  // write for a conversation.
  const std::string& shown() const { return shown_text_; }

 private:
  struct Shard {
    size_t place;  // In `reports_`.
    std::vector<uint8_t> prefix;
    uint64_t size;
    std::string why_unread;
  };
  using Shards = std::map<uint32_t, Shard>;  // By their numbers.

  // Copies a shard.  Returns false if its model has one of this number.
  bool Keep(const ShardName& name, const ShardFile& file, absl::string_view path) {
    const Bytes prefix = file.source.prefix;
    path.remove_suffix(file.source.name.size() - name.prefix.size());
    Shards& shards = models_[{std::string(path), name.count}];
    Shard shard = {
        reports_.size() - 1, {prefix.begin(), prefix.end()}, file.source.size, file.why_unread};
    return shards.emplace(name.number, std::move(shard)).second;
  }

  std::vector<FileReport> CheckSet(const std::vector<ShardFile>& files) const {
    std::vector<FileReport> reports = ValidateSet(files, profile_, options_);
    SettleSet(run_.fail_on, &reports);
    if (!options_.readers) return reports;
    for (FileReport& report : reports) report.readers = JudgeReaders(report);
    JudgeSet(&reports);
    return reports;
  }

  void Show(const std::vector<ShardFile>& files, absl::string_view path) {
    ModelFiles opened;
    for (const ShardFile& file : files) {
      if (file.why_unread.empty()) opened.Add(file.source, options_.limits);
    }
    const Model* const model = opened.Whole();
    if (model == nullptr) return;
    shown_.push_back(SummaryJson({Visible(path), SummaryOf(*model)}));
    if (const auto rendering = RenderFirstConversation(*model)) {
      shown_.back()["rendering"] = {{"text", rendering->text}, {"error", rendering->error}};
    }
  }

  void CheckModel(const Shards& shards) {
    std::vector<ShardFile> files;
    for (const auto& [number, shard] : shards) {
      files.push_back(
          FileOf(shard.prefix, shard.size, reports_[shard.place].path, shard.why_unread));
    }
    std::vector<FileReport> found = CheckSet(files);
    Show(files, reports_[shards.begin()->second.place].path);
    size_t i = 0;
    for (const auto& [number, shard] : shards) {
      found[i].path = std::move(reports_[shard.place].path);
      reports_[shard.place] = std::move(found[i++]);
    }
  }

  const Profile& profile_;
  CheckOptions options_;
  Run run_;
  Totals totals_;
  std::vector<FileReport> reports_;  // In the order of the files.
  // By the beginnings of their paths and the numbers of their shards.
  std::map<std::pair<std::string, uint32_t>, Shards> models_;
  std::ostringstream out_;
  std::unique_ptr<ReportWriter> writer_;
  Json shown_ = Json::array();
  std::string report_, shown_text_;  // What `out_` and `shown_` have, at the end.
};

// JavaScript calls one function at a time.
std::unique_ptr<Session>& Current() {
  static auto& current = *new std::unique_ptr<Session>;
  return current;
}

}  // namespace
}  // namespace gguf

extern "C" {

// Results of the functions below.
enum { kDone = 0, kNeedsMore = 1, kUnknownName = 2 };

// Returns memory for that many bytes, or null.
__attribute__((export_name("ggufcheck_allocate"))) void* ggufcheck_allocate(size_t bytes) {
  return std::malloc(bytes);
}

__attribute__((export_name("ggufcheck_free"))) void ggufcheck_free(void* at) { std::free(at); }

// Texts end with a NUL.

// Begins a report on `files` files, in place of an earlier one, with predictions
// about readers unless `readers` is 0.  Returns kUnknownName if there is no such profile or format.
__attribute__((export_name("ggufcheck_begin"))) int ggufcheck_begin(const char* profile,
                                                                    const char* format,
                                                                    double files, int readers) {
  gguf::Current() = nullptr;
  const gguf::Profile* chosen = gguf::Profile::Find(profile);
  if (chosen == nullptr) return kUnknownName;
  auto session =
      std::make_unique<gguf::Session>(*chosen, format, static_cast<uint64_t>(files), readers != 0);
  if (!session->knows_format()) return kUnknownName;
  gguf::Current() = std::move(session);
  return kDone;
}

// Adds a file of `size` bytes to the report, by its first `length` bytes, which
// are not used after the call.  Returns kNeedsMore, and adds nothing, if the
// header and the tables are longer.
__attribute__((export_name("ggufcheck_check"))) int ggufcheck_check(const uint8_t* prefix,
                                                                    size_t length, double size,
                                                                    const char* path) {
  const gguf::ShardFile file =
      gguf::FileOf(gguf::Bytes(prefix, length), static_cast<uint64_t>(size), path, "");
  if (gguf::NeedsMore(file.source)) return kNeedsMore;
  gguf::Current()->Add(file, path);
  return kDone;
}

// Adds a file that cannot be read.
__attribute__((export_name("ggufcheck_add_unread"))) void ggufcheck_add_unread(const char* path,
                                                                               const char* why) {
  gguf::Current()->Add(gguf::FileOf({}, 0, path, why), path);
}

// Ends the report.  Returns the exit code of `ggufcheck check`.
__attribute__((export_name("ggufcheck_end"))) int ggufcheck_end() { return gguf::Current()->End(); }

// Returns the report: ggufcheck_report_size() bytes, valid until the next one
// begins.
__attribute__((export_name("ggufcheck_report"))) const char* ggufcheck_report() {
  return gguf::Current()->report().data();
}

__attribute__((export_name("ggufcheck_report_size"))) size_t ggufcheck_report_size() {
  return gguf::Current()->report().size();
}

// The same of a text in JSON that says what the models are.
__attribute__((export_name("ggufcheck_shown"))) const char* ggufcheck_shown() {
  return gguf::Current()->shown().data();
}

__attribute__((export_name("ggufcheck_shown_size"))) size_t ggufcheck_shown_size() {
  return gguf::Current()->shown().size();
}
}
