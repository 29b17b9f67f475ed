// SPDX-License-Identifier: Apache-2.0

#include "corpus/lint.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "corpus/collection.h"
#include "corpus/export.h"
#include "corpus/image.h"
#include "corpus/image_file.h"
#include "corpus/lint_case.h"
#include "corpus/manifest.h"

namespace gguf::corpus {
namespace {

constexpr char kManifest[] = "manifest.json";

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

  // Whether everything could be read.
  bool Read();
  void CheckFiles();
  void CheckFlagsUsed();
  // That no two cases have the same `key`; one that has none is passed over.
  template <class Key>
  void CheckUnique(Key key, absl::string_view what);
  void CheckManifest();
  void CheckExport();

  const std::string cases_;
  Collection collection_;
  std::vector<std::string> complaints_;
};

// The id without its verdict: "tensors/offset-not-aligned".
std::optional<std::string> BareId(const BuiltCase& built) {
  const size_t prefix = VerdictName(built.source.verdict).size() + 1;
  return absl::StrCat(
      built.source.section, "/",
      built.source.id.substr(built.source.section.size() + 1 + prefix));
}

std::optional<std::string> Title(const BuiltCase& built) {
  return built.source.title;
}

// What a reader gets to see.
std::optional<std::string> Shown(const BuiltCase& built) {
  if (!built.sha256) return std::nullopt;
  return absl::StrCat(*built.sha256, built.source.weights ? " --weights " : " ",
                      built.source.file_name);
}

// Ids of an old manifest that are no case any more.
std::vector<std::string> Vanished(const std::vector<std::string>& old_ids,
                                  const Collection& collection) {
  std::set<std::string> ids;
  for (const BuiltCase& built : collection.cases) ids.insert(built.source.id);
  std::vector<std::string> vanished;
  std::copy_if(old_ids.begin(), old_ids.end(), std::back_inserter(vanished),
               [&](const std::string& id) { return ids.count(id) == 0; });
  return vanished;
}

constexpr char kVanished[] =
    "is in the committed manifest.json and gone; an id never changes: bring "
    "the case back";

std::vector<std::string> Linter::Run() {
  CheckFiles();
  const bool whole = Read();
  for (const BuiltCase& built : collection_.cases) {
    for (const std::string& what : LintCase(built, collection_.flags)) {
      ComplainOf(built, what);
    }
  }
  CheckUnique(BareId, "differs only in its verdict from");
  CheckUnique(Title, "has the same title as");
  CheckUnique(Shown, "has the same bytes, options and file_name as");
  if (!whole) return std::move(complaints_);  // The rest would repeat it.
  CheckFlagsUsed();
  CheckManifest();
  CheckExport();
  return std::move(complaints_);
}

bool Linter::Read() {
  const auto ids = ListCases(cases_);
  if (!ids.ok()) {
    complaints_.emplace_back(ids.status().message());
    return false;
  }
  const auto flags = ReadFlags(Beside(cases_, "flags.tsv"));
  if (flags.ok()) {
    collection_.flags = *flags;
  } else {
    complaints_.emplace_back(flags.status().message());
  }
  for (const std::string& id : *ids) {
    auto built = BuildCase(cases_, id);
    if (built.ok()) {
      collection_.cases.push_back(*std::move(built));
    } else {
      complaints_.emplace_back(built.status().message());
    }
  }
  if (ids->empty()) Complain(cases_, "there is no case; name another folder");
  return flags.ok() && !ids->empty() && collection_.cases.size() == ids->size();
}

void Linter::CheckFiles() {
  namespace fs = std::filesystem;
  std::error_code error;
  for (fs::recursive_directory_iterator it(cases_, error), end;
       !error && it != end; it.increment(error)) {
    if (!it->is_directory() && it->path().extension() != ".gguft") {
      Complain(it->path().string(), "is no case; remove it or end in .gguft");
    }
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
                          "; remove it or write the case"));
  }
}

template <class Key>
void Linter::CheckUnique(Key key, absl::string_view what) {
  std::map<std::string, std::string> seen;  // To the first id.
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
  const std::string path = Beside(cases_, kManifest);
  const absl::StatusOr<std::string> committed = ReadFile(path);
  const std::string update =
      "; run ggufcheck corpus lint --update and review the difference";
  if (!committed.ok()) {
    complaints_.push_back(absl::StrCat(committed.status().message(), update));
    return;
  }
  const auto old_ids = ManifestIds(*committed);
  if (!old_ids) return Complain(path, absl::StrCat("is no manifest", update));
  for (const std::string& id : Vanished(*old_ids, collection_)) {
    Complain(CasePath(cases_, id), kVanished);
  }
  if (*committed != ManifestText(collection_)) {
    Complain(path, absl::StrCat("is not what the cases make", update));
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
           absl::StrCat("a plain export takes ", size, " bytes, at most ",
                        kLargestExport,
                        " are allowed; make the largest files smaller, or "
                        "larger than 64 KiB: then they are recipes"));
}

}  // namespace

std::vector<std::string> Lint(const std::string& cases) {
  return Linter(cases).Run();
}

absl::Status UpdateManifest(const std::string& cases) {
  const absl::StatusOr<Collection> collection = ReadCollection(cases);
  if (!collection.ok()) return collection.status();
  const std::string path = Beside(cases, kManifest);
  const absl::StatusOr<std::string> committed = ReadFile(path);
  const auto old_ids = committed.ok() ? ManifestIds(*committed) : std::nullopt;
  if (old_ids) {
    const std::vector<std::string> vanished = Vanished(*old_ids, *collection);
    if (!vanished.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat(CasePath(cases, vanished[0]), ": ", kVanished));
    }
  }
  Image image;
  image.Append(ManifestText(*collection));
  return WriteImage(image, path);
}

}  // namespace gguf::corpus
