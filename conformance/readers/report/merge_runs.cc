// Merges the logs of shards to one run for each reader.
//
// SPDX-License-Identifier: Apache-2.0

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/base/json.h"
#include "conformance/base/text.h"
#include "conformance/readers/report/matrix.h"

namespace gguf::readers {
namespace {

// Visits all members of a record and changes its texts.
struct TextsVisitor {
  void operator()(const char* name, std::string& text, Words = {}) {
    const absl::string_view member = name;
    const bool has_lines = member == "stderr" || member == "text";
    text = has_lines ? VisibleLines(text) : Visible(text);
  }
  // Its "text" is a single line.
  void operator()(const char*, Rejection& rejection) {
    rejection.type = Visible(rejection.type);
    rejection.text = Visible(rejection.text);
  }

  template <class T>
  void operator()(const char* name, std::vector<T>& values) {
    for (T& value : values) (*this)(name, value);
  }
  template <class T>
  void operator()(const char* name, std::optional<T>& value) {
    if (value) (*this)(name, *value);
  }
  template <class T>
  void operator()(const char*, T& member) {
    if constexpr (std::is_class_v<T>) VisitMembers(*this, member);
  }
};

// Applies Visible() (conformance/base/text.h) to every text of the log, because a
// terminal or a browser would act upon some characters.  Line breaks in the
// texts of cases and in standard error stay.
void MakeVisible(RunLog* log) {
  TextsVisitor visitor;
  VisitMembers(visitor, log->header);
  for (CaseRecord& record : log->cases) VisitMembers(visitor, record);
  if (log->footer) VisitMembers(visitor, *log->footer);
}

// The fields that all shards of a run share.
auto RunKey(const RunHeader& header) {
  const ReaderInfo& reader = header.reader;
  return std::tie(reader.name, reader.version, reader.command, reader.mode, reader.sanitizer,
                  header.corpus.sha256, header.level, header.selectors, header.shard.count);
}

// Returns "shard 2 of 3", counting from 1.
std::string ShardName(uint64_t index, uint64_t count) {
  return absl::StrCat("shard ", index + 1, " of ", count);
}

// Adds the gaps between existing shards.  `count` is untrusted, so the loop
// does not depend on it.
void AddMissingShards(const std::map<uint64_t, std::string>& there, uint64_t count,
                      std::vector<std::string>* problems) {
  uint64_t next = 0;
  const auto add_gap = [&](uint64_t end) {
    if (end == next + 1) {
      problems->push_back(absl::StrCat(ShardName(next, count), " is missing"));
    } else if (end > next) {
      problems->push_back(
          absl::StrCat("shards ", next + 1, " to ", end, " of ", count, " are missing"));
    }
  };
  for (const auto& [index, path] : there) {
    add_gap(index);
    next = index + 1;
  }
  add_gap(count);
}

// Merges the logs of one run.
class RunMerger {
 public:
  bool IsOf(const RunHeader& header) const { return RunKey(run_.header) == RunKey(header); }

  void Add(NamedLog log) {
    const ShardInfo& shard = log.log.header.shard;
    if (shards_.empty()) run_.header = log.log.header;
    if (shard.index >= shard.count) {
      Complain(log.path,
               absl::StrCat("claims to be ", ShardName(shard.index, shard.count), "; ignored"));
      return;
    }
    const auto [other, is_new] = shards_.emplace(shard.index, log.path);
    if (!is_new) {
      Complain(log.path, absl::StrCat("duplicates ", ShardName(shard.index, shard.count),
                                      ", which is ", other->second, "; ignored"));
      return;
    }
    AddFooter(log);
    for (CaseRecord& record : log.log.cases) AddCase(log.path, &record);
  }

  ReaderRun Take() {
    AddMissingShards(shards_, run_.header.shard.count, &run_.problems);
    const uint64_t selected = run_.header.corpus.cases;
    if (cases_.size() != selected) {
      run_.problems.push_back(absl::StrCat(cases_.size(), " of ", selected, " cases were run"));
    }
    for (auto& [id, record] : cases_) run_.cases.push_back(std::move(record));
    return std::move(run_);
  }

 private:
  void Complain(const std::string& path, absl::string_view what) {
    run_.problems.push_back(absl::StrCat(Visible(path), " ", what));
  }

  void AddFooter(const NamedLog& log) {
    if (!log.log.footer) {
      Complain(log.path, absl::StrCat("is truncated after ", log.log.cases.size(),
                                      " cases: the run was killed or is still running"));
      return;
    }
    run_.seconds += log.log.footer->seconds;
    if (!log.log.footer->complete) {
      Complain(log.path, absl::StrCat("reports an incomplete run: ", log.log.footer->why));
    } else if (log.log.footer->cases != log.log.cases.size()) {
      Complain(log.path, absl::StrCat("has ", log.log.cases.size(),
                                      " cases, but its footer reports ", log.log.footer->cases));
    }
  }

  void AddCase(const std::string& path, CaseRecord* record) {
    std::string id = record->id;
    if (!cases_.emplace(id, std::move(*record)).second) {
      Complain(path, absl::StrCat("duplicates the case ", id, "; ignored"));
    }
  }

  ReaderRun run_;
  std::map<uint64_t, std::string> shards_;  // Index to path.
  std::map<std::string, CaseRecord> cases_;
};

std::string FirstLabel(const ReaderInfo& reader) {
  std::string label = reader.name;
  if (!reader.version.empty()) absl::StrAppend(&label, " ", reader.version);
  if (reader.sanitizer != "none") {
    absl::StrAppend(&label, " (", reader.sanitizer, ")");
  }
  if (reader.mode == "bare") label += " (weak: exit codes only)";
  return label;
}

void SetLabels(std::vector<ReaderRun>* runs) {
  std::set<std::string> taken;
  for (ReaderRun& run : *runs) {
    const std::string first = FirstLabel(run.header.reader);
    run.label = first;
    for (int n = 2; !taken.insert(run.label).second; ++n) {
      run.label = absl::StrCat(first, " #", n);
    }
  }
}

}  // namespace

std::vector<ReaderRun> MergeRuns(std::vector<NamedLog> logs) {
  std::vector<RunMerger> mergers;
  for (NamedLog& log : logs) {
    MakeVisible(&log.log);
    auto merger =
        absl::c_find_if(mergers, [&](const RunMerger& run) { return run.IsOf(log.log.header); });
    if (merger == mergers.end()) merger = mergers.emplace(merger);
    merger->Add(std::move(log));
  }
  std::vector<ReaderRun> runs;
  for (RunMerger& merger : mergers) runs.push_back(merger.Take());
  SetLabels(&runs);
  return runs;
}

}  // namespace gguf::readers
