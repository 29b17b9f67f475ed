// Reads the central directory of a ZIP archive: APPNOTE.TXT 6.3.10, sections 4.3 to 4.5.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/stored_models.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "conformance/base/text.h"

namespace gguf {
namespace {

constexpr size_t kMostModels = 1000;
constexpr uint64_t kEndSize = 22, kEnd64Size = 56, kLocatorSize = 20;
constexpr uint64_t kEntrySize = 46, kLocalSize = 30;
constexpr uint64_t kIn64 = 0xFFFFFFFF;  // The number is in the field for 64 bits.

// Returns `size` bytes at `offset`, or nothing if they do not lie inside.
std::optional<Bytes> Slice(Bytes bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
  return bytes.subspan(offset, size);
}

// The same, if they begin with this signature.
std::optional<Bytes> Record(Bytes bytes, uint64_t offset, uint64_t size,
                            absl::string_view signature) {
  const auto record = Slice(bytes, offset, size);
  if (!record || !absl::StartsWith(AsText(*record), signature)) return std::nullopt;
  return record;
}

template <class T>
uint64_t NumberAt(Bytes record, size_t at) {
  return LoadUnsigned<T>(record.data() + at, Endian::kLittle);
}

struct Directory {
  Bytes entries;
  uint64_t begin;  // Of the archive, whose offsets count from there.
};

// Looks for the last record, behind which there is only a comment.
std::optional<Directory> FindDirectory(Bytes archive) {
  constexpr uint64_t kLongestComment = 0xFFFF;
  for (uint64_t comment = 0; comment <= kLongestComment; ++comment) {
    if (archive.size() < kEndSize + comment) return std::nullopt;
    uint64_t at = archive.size() - kEndSize - comment;
    const auto end = Record(archive, at, kEndSize, "PK\5\6");
    if (!end || NumberAt<uint16_t>(*end, 20) != comment) continue;
    uint64_t size = NumberAt<uint32_t>(*end, 12), offset = NumberAt<uint32_t>(*end, 16);
    const auto locator = at >= kLocatorSize
                             ? Record(archive, at - kLocatorSize, kLocatorSize, "PK\6\7")
                             : std::nullopt;
    if (locator) {
      at = NumberAt<uint64_t>(*locator, 8);
      const auto end64 = Record(archive, at, kEnd64Size, "PK\6\6");
      if (!end64) return std::nullopt;
      size = NumberAt<uint64_t>(*end64, 40);
      offset = NumberAt<uint64_t>(*end64, 48);
    }
    // The directory ends where its end is recorded; a program in front may not be counted.
    if (size > at || offset > at - size) return std::nullopt;
    return Directory{archive.subspan(at - size, size), at - size - offset};
  }
  return std::nullopt;
}

struct Entry {
  absl::string_view name;
  bool is_stored;
  uint64_t size, offset;
};

// Reads the entry at `*at`, and moves on.
std::optional<Entry> ReadEntry(Bytes directory, uint64_t* at) {
  const auto head = Record(directory, *at, kEntrySize, "PK\1\2");
  if (!head) return std::nullopt;
  const uint64_t name = NumberAt<uint16_t>(*head, 28), extra = NumberAt<uint16_t>(*head, 30);
  const auto texts = Slice(directory, *at + kEntrySize, name + extra);
  if (!texts) return std::nullopt;
  *at += kEntrySize + name + extra + NumberAt<uint16_t>(*head, 32);
  constexpr uint64_t kEncrypted = 1;
  Entry entry = {
      AsText(texts->subspan(0, name)),
      NumberAt<uint16_t>(*head, 10) == 0 && (NumberAt<uint16_t>(*head, 8) & kEncrypted) == 0,
      NumberAt<uint32_t>(*head, 24), NumberAt<uint32_t>(*head, 42)};
  uint64_t packed = NumberAt<uint32_t>(*head, 20);
  Bytes fields = texts->subspan(name);
  while (fields.size() >= 4) {
    const auto field = Slice(fields, 4, NumberAt<uint16_t>(fields, 2));
    if (!field) break;
    size_t next = 0;
    for (uint64_t* number : {&entry.size, &packed, &entry.offset}) {
      if (NumberAt<uint16_t>(fields, 0) != 1 || *number != kIn64) continue;
      if (next + 8 > field->size()) break;
      *number = NumberAt<uint64_t>(*field, next);
      next += 8;
    }
    fields = fields.subspan(4 + field->size());
  }
  entry.is_stored = entry.is_stored && packed == entry.size;
  return entry;
}

// Returns the place of an entry's data; nothing if it is not in the archive.
std::optional<Range> PlaceOf(Bytes archive, const Directory& directory, const Entry& entry) {
  const auto offset = CheckedAdd(directory.begin, entry.offset);
  const auto local = offset ? Record(archive, *offset, kLocalSize, "PK\3\4") : std::nullopt;
  if (!local) return std::nullopt;
  const uint64_t begin =
      *offset + kLocalSize + NumberAt<uint16_t>(*local, 26) + NumberAt<uint16_t>(*local, 28);
  if (!Slice(archive, begin, entry.size)) return std::nullopt;
  return Range{begin, begin + entry.size};
}

// Adds what was found in a model, with its places in the archive, and what was not checked there.
void AddModel(FileReport model, const StoredModel& stored, FileReport* report) {
  const std::string place = absl::StrCat("@", stored.where.begin);
  for (Cause& cause : model.causes) {
    cause.id += place;
    report->causes.push_back(std::move(cause));
  }
  for (Finding& finding : model.findings) {
    Diagnostic& diagnostic = finding.diagnostic;
    diagnostic.where.begin += stored.where.begin;
    diagnostic.where.end += stored.where.begin;
    diagnostic.subject = absl::StrCat(Quote(stored.name), " ", diagnostic.subject);
    if (!finding.cause.empty()) finding.cause += place;
    report->findings.push_back(std::move(finding));
  }
  for (FileReport::More& more : model.more) {
    if (!more.cause.empty()) more.cause += place;
    report->more.push_back(std::move(more));
  }
  for (const Severity severity : {kError, kWarning, kNote}) {
    report->counts.of(severity) += model.counts.of(severity);
  }
  for (FileReport::NotChecked& rule : model.not_checked) {
    const auto same = [&](const FileReport::NotChecked& other) { return other.rule == rule.rule; };
    if (absl::c_none_of(report->not_checked, same)) report->not_checked.push_back(std::move(rule));
  }
  if (report->incomplete.empty()) report->incomplete = model.incomplete;
}

}  // namespace

std::vector<StoredModel> FindStoredModels(Bytes archive) {
  std::vector<StoredModel> models;
  const auto directory = FindDirectory(archive);
  if (!directory) return models;
  uint64_t at = 0, bytes = 0;  // Of all models so far.
  while (models.size() < kMostModels) {
    const auto entry = ReadEntry(directory->entries, &at);
    if (!entry) break;
    const bool is_named = absl::EndsWithIgnoreCase(entry->name, ".gguf");
    const auto place = entry->is_stored ? PlaceOf(archive, *directory, *entry) : std::nullopt;
    const bool is_gguf =
        place && absl::StartsWith(AsText(archive.subspan(place->begin, place->size())), "GGUF");
    if (!is_named && !is_gguf) continue;
    const bool is_shared = place && place->size() > archive.size() - bytes;
    if (place && !is_shared) bytes += place->size();
    models.push_back({std::string(entry->name), is_shared ? Range() : place.value_or(Range()),
                      is_shared           ? "entries of the archive share their data"
                      : place             ? ""
                      : !entry->is_stored ? "it is compressed or encrypted"
                                          : "its data is not in the archive"});
  }
  return models;
}

void CheckStoredModels(const Source& file, const ModelCheck& check, FileReport* report) {
  if (file.prefix.size() != file.size) return;
  const std::vector<StoredModel> models = FindStoredModels(file.prefix);
  std::vector<std::string> about;
  bool any = false;
  for (const StoredModel& model : models) {
    const std::string name = Quote(model.name);
    if (*model.why_not != 0) {
      about.push_back(absl::StrCat(name, ", which was not checked: ", model.why_not));
      continue;
    }
    about.push_back(absl::StrCat(name, ", ", Count(model.where.size(), "byte"), " from ",
                                 model.where.begin, " on, checked in place"));
    Source source(file.prefix.subspan(model.where.begin, model.where.size()));
    source.header_only = file.header_only;
    // Of the archive, everything but its magic was not checked.
    if (!any) report->not_checked.clear();
    any = true;
    AddModel(check(source, models.size()), model, report);
  }
  if (models.size() == kMostModels) about.push_back("perhaps others, which were not looked for");
  if (!about.empty()) {
    report->about = absl::StrCat("a ZIP archive that holds ", absl::StrJoin(about, "; "));
  }
}

}  // namespace gguf
