// SPDX-License-Identifier: Apache-2.0

#include "corpus/export/lint.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "corpus/export/collection.h"
#include "corpus/export/export.h"
#include "corpus/export/lint_case.h"
#include "corpus/export/manifest.h"
#include "corpus/language/image.h"
#include "corpus/language/image_file.h"
#include "corpus/language/pairs.h"

namespace gguf::corpus {
namespace {

class Linter {
 public:
  explicit Linter(const std::string& cases) : cases_(cases) {}

  std::vector<std::string> Run();

 private:
  void Complain(const std::string& path, absl::string_view what) {
    complaints_.push_back(absl::StrCat(path, ": ", what));
  }
  void ComplainOf(const BuiltCase& built, absl::string_view what) {
    Complain(CasePath(cases_, built.source.id), what);
  }

  // Returns whether everything could be read.
  bool Read();
  void CheckFiles(const CaseFiles& files);
  void CheckFlagsUsed();
  // Checks that no two cases have the same `key`; skips a case without one.
  template <class Key>
  void CheckUnique(Key key, absl::string_view what);
  void CheckManifest();
  void CheckExport();

  const std::string cases_;
  Collection collection_;
  std::vector<std::string> complaints_;
};

// Returns the id without its verdict: "tensors/offset-not-aligned".
std::optional<std::string> BareId(const BuiltCase& built) {
  const size_t prefix = VerdictName(built.source.verdict).size() + 1;
  return absl::StrCat(
      built.source.section, "/",
      built.source.id.substr(built.source.section.size() + 1 + prefix));
}

std::optional<std::string> Title(const BuiltCase& built) {
  return built.source.title;
}

// Returns the input that a reader gets.
std::optional<std::string> Shown(const BuiltCase& built) {
  if (!built.sha256) return std::nullopt;
  return absl::StrCat(*built.sha256, built.source.weights ? " --weights " : " ",
                      built.source.base_model, " ", built.source.file_name, " ",
                      absl::StrJoin(built.source.set, " "));
}

// Returns the ids in retired.tsv, which is optional.
absl::StatusOr<std::set<std::string>> ReadRetired(const std::string& cases) {
  const auto rows = ReadPairs(Beside(cases, "retired.tsv"), "id", "reason");
  std::set<std::string> ids;
  if (absl::IsNotFound(rows.status())) return ids;
  if (!rows.ok()) return rows.status();
  for (const auto& [id, reason] : *rows) ids.insert(id);
  return ids;
}

// Returns complaints about ids: those in the old manifest that are neither a
// case nor retired, and those that are both a case and retired.
std::vector<std::string> ComplaintsOfIds(
    const std::string& cases, const std::vector<std::string>& old_ids,
    const std::set<std::string>& retired, const Collection& collection) {
  std::vector<std::string> complaints;
  std::set<std::string> ids;
  for (const BuiltCase& built : collection.cases) {
    const std::string& id = built.source.id;
    ids.insert(id);
    if (retired.count(id) == 0) continue;
    complaints.push_back(absl::StrCat(
        CasePath(cases, id),
        ": is in retired.tsv, and ids are never reused; rename the case"));
  }
  for (const std::string& id : old_ids) {
    if (ids.count(id) > 0 || retired.count(id) > 0) continue;
    complaints.push_back(absl::StrCat(
        CasePath(cases, id),
        ": is in the committed manifest.json, but the case is missing, and ids "
        "never change; restore the case, or give the reason in retired.tsv"));
  }
  return complaints;
}

std::vector<std::string> Linter::Run() {
  const bool whole = Read();
  for (const BuiltCase& built : collection_.cases) {
    for (const std::string& what : LintCase(built, collection_.flags)) {
      ComplainOf(built, what);
    }
  }
  CheckUnique(BareId, "differs only in its verdict from");
  CheckUnique(Title, "has the same title as");
  CheckUnique(Shown, "has the same bytes, options, file_name and set as");
  if (!whole)
    return std::move(complaints_);  // The rest would repeat the same faults.
  CheckFlagsUsed();
  CheckManifest();
  CheckExport();
  return std::move(complaints_);
}

bool Linter::Read() {
  const auto files = FindCaseFiles(cases_);
  if (!files.ok()) {
    complaints_.emplace_back(files.status().message());
    return false;
  }
  CheckFiles(*files);
  const std::vector<std::string>& ids = files->ids;
  const auto flags = ReadFlags(Beside(cases_, "flags.tsv"));
  if (flags.ok()) {
    collection_.flags = *flags;
  } else {
    complaints_.emplace_back(flags.status().message());
  }
  for (const std::string& id : ids) {
    auto built = BuildCase(cases_, id);
    if (built.ok()) {
      collection_.cases.push_back(*std::move(built));
    } else {
      complaints_.emplace_back(built.status().message());
    }
  }
  if (ids.empty()) Complain(cases_, "no cases found; name another folder");
  return flags.ok() && !ids.empty() && collection_.cases.size() == ids.size();
}

void Linter::CheckFiles(const CaseFiles& files) {
  for (const std::string& path : files.others) {
    Complain(path, "is not a case; remove it, or rename it to end in .gguft");
  }
  for (const std::string& path : files.not_regular) {
    Complain(path, "not a regular file; remove it");
  }
}

void Linter::CheckFlagsUsed() {
  std::set<std::string> used;
  for (const BuiltCase& built : collection_.cases) {
    used.insert(built.source.flags.begin(), built.source.flags.end());
  }
  for (const Flag& flag : collection_.flags) {
    if (used.count(flag.name) > 0) continue;
    Complain(Beside(cases_, "flags.tsv"),
             absl::StrCat("no case has the flag ", flag.name,
                          "; remove the flag or write a case"));
  }
}

template <class Key>
void Linter::CheckUnique(Key key, absl::string_view what) {
  std::map<std::string, std::string> seen;  // Value to its first id.
  for (const BuiltCase& built : collection_.cases) {
    const std::optional<std::string> value = key(built);
    if (!value) continue;
    const auto [first, is_new] = seen.try_emplace(*value, built.source.id);
    if (is_new) continue;
    ComplainOf(built, absl::StrCat(what, " ", first->second,
                                   "; remove or change one of them"));
  }
}

void Linter::CheckManifest() {
  const std::string path = Beside(cases_, kManifestName);
  const absl::StatusOr<std::string> committed = ReadFile(path);
  const std::string update =
      "; run ggufcheck corpus lint --update and review the difference";
  if (!committed.ok()) {
    complaints_.push_back(absl::StrCat(committed.status().message(), update));
    return;
  }
  const auto old_ids = ManifestIds(*committed);
  if (!old_ids)
    return Complain(path, absl::StrCat("is not a manifest", update));
  const auto retired = ReadRetired(cases_);
  if (!retired.ok()) {
    complaints_.emplace_back(retired.status().message());
  } else {
    const auto more = ComplaintsOfIds(cases_, *old_ids, *retired, collection_);
    complaints_.insert(complaints_.end(), more.begin(), more.end());
  }
  if (*committed != ManifestText(collection_)) {
    Complain(path, absl::StrCat("does not match the cases", update));
  }
}

void Linter::CheckExport() {
  const auto files = ExportedFiles(collection_, cases_);
  if (!files.ok()) {
    complaints_.emplace_back(files.status().message());
    return;
  }
  uint64_t size = 0;
  for (const auto& [name, contents] : *files) size += contents.size();
  if (size <= kLargestExport) return;
  Complain(cases_,
           absl::StrCat("a plain export has ", size, " bytes, but at most ",
                        kLargestExport,
                        " are allowed; make the largest files smaller, or "
                        "larger than 64 KiB, so that they become recipes"));
}

}  // namespace

std::vector<std::string> Lint(const std::string& cases) {
  return Linter(cases).Run();
}

absl::Status UpdateManifest(const std::string& cases) {
  const absl::StatusOr<Collection> collection = ReadCollection(cases);
  if (!collection.ok()) return collection.status();
  const std::string path = Beside(cases, kManifestName);
  const absl::StatusOr<std::string> committed = ReadFile(path);
  const auto old_ids = committed.ok() ? ManifestIds(*committed) : std::nullopt;
  const auto retired = ReadRetired(cases);
  if (!retired.ok()) return retired.status();
  const std::vector<std::string> complaints =
      ComplaintsOfIds(cases, old_ids.value_or(std::vector<std::string>()),
                      *retired, *collection);
  if (!complaints.empty()) {
    return absl::FailedPreconditionError(complaints[0]);
  }
  Image image;
  image.Append(ManifestText(*collection));
  return WriteImage(image, path);
}

}  // namespace gguf::corpus
