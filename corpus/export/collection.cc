// Reads and assembles all cases, and digests their bytes.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/export/collection.h"

#include <filesystem>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "corpus/language/assemble.h"
#include "corpus/language/image.h"
#include "third_party/sha256.h"

namespace gguf::corpus {

std::string Sha256(absl::string_view bytes) {
  gguf::Sha256 digest;
  digest.Add(bytes);
  return digest.Hex();
}

std::string Sha256(const Image& image) {
  gguf::Sha256 digest;
  image.ForEachPiece([&](absl::string_view piece) {
    digest.Add(piece);
    return true;
  });
  return digest.Hex();
}

namespace {

// Infers the byte order from the file's version, which is a small number.
void ReadVersion(const Image& image, BuiltCase* built) {
  const std::string head = image.Part(0, 8).ToString();
  if (head.size() < 8 || !absl::StartsWith(head, "GGUF")) return;
  uint32_t big = 0;
  for (const char c : head.substr(4)) big = big << 8 | static_cast<uint8_t>(c);
  const uint32_t little = __builtin_bswap32(big);
  built->version = big < little ? big : little;
  built->endian = big < little ? "big" : "little";
}

absl::Status In(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

}  // namespace

std::string BuiltCase::file_name() const { return absl::StrCat(source.id, ".gguf"); }

std::string BuiltCase::dump_name() const {
  if (source.dump.empty() || !dump_sha256().empty()) return "";
  return absl::StrCat(source.id, ".json");
}

std::string BuiltCase::dump_sha256() const {
  absl::string_view dump = source.dump;
  if (!absl::ConsumePrefix(&dump, "sha256 ")) return "";
  return std::string(absl::StripTrailingAsciiWhitespace(dump));
}

std::string CasePath(const std::string& cases, absl::string_view id) {
  return absl::StrCat(cases, "/", id, kCaseSuffix);
}

std::string Beside(const std::string& cases, absl::string_view name) {
  return std::filesystem::path(absl::StrCat(cases, "/../", name)).lexically_normal().string();
}

absl::StatusOr<Case> LoadCase(const std::string& cases, absl::string_view id) {
  const Loader load = FolderLoader(cases);
  const absl::StatusOr<std::string> text = load(id);
  if (!text.ok()) return text.status();
  absl::StatusOr<Case> source = ReadCase(id, *text, load);
  if (!source.ok()) return In(CasePath(cases, id), source.status());
  return source;
}

absl::StatusOr<BuiltCase> BuildCase(const std::string& cases, absl::string_view id) {
  absl::StatusOr<Case> source = LoadCase(cases, id);
  if (!source.ok()) return source.status();
  const absl::StatusOr<Image> image = Assemble(source->document);
  if (!image.ok()) return In(CasePath(cases, id), image.status());

  BuiltCase built;
  built.source = *std::move(source);
  built.size = image->size();
  if (built.size <= kLargestDigested) built.sha256 = Sha256(*image);
  ReadVersion(*image, &built);
  return built;
}

absl::StatusOr<Collection> ReadCollection(const std::string& cases) {
  Collection collection;
  absl::StatusOr<std::vector<Flag>> flags = ReadFlags(Beside(cases, "flags.tsv"));
  if (!flags.ok()) return flags.status();
  collection.flags = *std::move(flags);
  const absl::StatusOr<std::vector<std::string>> ids = ListCases(cases);
  if (!ids.ok()) return ids.status();
  for (const std::string& id : *ids) {
    absl::StatusOr<BuiltCase> built = BuildCase(cases, id);
    if (!built.ok()) return built.status();
    collection.cases.push_back(*std::move(built));
  }
  return collection;
}

}  // namespace gguf::corpus
