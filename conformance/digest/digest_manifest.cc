// SPDX-License-Identifier: Apache-2.0

#include "conformance/digest/digest_manifest.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/json/record.h"

namespace gguf {
namespace {

constexpr char kSchema[] = "ggufcheck/digest/1";
constexpr absl::string_view kSchemas[] = {kSchema};

// The document that ReadDigests() reads; WriteDigests() writes it file by file.
struct Document {
  std::string schema = kSchema;
  std::vector<DigestEntry> files;
};

// Visits "name", or "name_hex" for bytes that are not UTF-8.
template <class Visitor>
void VisitText(Visitor& visit, const char* name, const char* hex_name, std::string& text) {
  EncodedText encoded(text);
  visit.Maybe(hex_name, encoded.hex);
  if (encoded.hex.empty()) visit(name, encoded.shown);
  text = encoded.Decoded(visit, hex_name);
}

template <class Visitor>
void VisitSha256(Visitor& visit, const char* name, std::string& sha256) {
  visit(name, sha256);
  const bool is_digest = std::all_of(sha256.begin(), sha256.end(), [](char c) {
    return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f');
  });
  visit.Require(sha256.size() == 64 && is_digest, name, "is not 64 lower-case hex digits");
}

absl::string_view BaseOf(absl::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

template <class Visitor>
void VisitMembers(Visitor& visit, TensorDigest& tensor) {
  VisitText(visit, "name", "name_hex", tensor.name);
  visit("size", tensor.size);
  VisitSha256(visit, "sha256", tensor.sha256);
}

template <class Visitor>
void VisitMembers(Visitor& visit, DigestEntry& file) {
  VisitText(visit, "path", "path_hex", file.path);
  visit("size", file.digest.size);
  VisitSha256(visit, "metadata", file.digest.metadata);
  visit("tensors", file.digest.tensors);
}

namespace {

template <class Visitor>
void VisitMembers(Visitor& visit, Document& document) {
  visit("schema", document.schema, kSchemas);
  visit("files", document.files);
}

}  // namespace

DigestManifest::DigestManifest(std::vector<DigestEntry> files) : files_(std::move(files)) {
  for (size_t i = 0; i < files_.size(); ++i) {
    const std::string& path = files_[i].path;
    by_path_.emplace(path, i);
    const auto [base, is_new] = by_base_.emplace(BaseOf(path), i);
    if (!is_new) base->second = kSeveral;
  }
}

const FileDigest* DigestManifest::Find(absl::string_view path) const {
  auto found = by_path_.find(path);
  if (found == by_path_.end()) {
    found = by_base_.find(BaseOf(path));
    if (found == by_base_.end() || found->second == kSeveral) return nullptr;
  }
  return &files_[found->second].digest;
}

std::string WriteDigests(const std::vector<DigestEntry>& files) {
  std::string out = absl::StrCat("{\"schema\":\"", kSchema, "\",\n\"files\":[");
  const char* between = "\n";
  for (const DigestEntry& file : files) {
    // A quote after a comma or a brace is never inside a string.  Control
    // characters are written in the long form, as in earlier versions.
    absl::StrAppend(&out, between,
                    absl::StrReplaceAll(JsonText(RecordWriter::Write(file)),
                                        {{",\"metadata\"", ",\n \"metadata\""},
                                         {",\"tensors\"", ",\n \"tensors\""},
                                         {"{\"name", "\n  {\"name"},
                                         {"\\\\", "\\\\"},
                                         {"\\b", "\\u0008"},
                                         {"\\t", "\\u0009"},
                                         {"\\n", "\\u000a"},
                                         {"\\f", "\\u000c"},
                                         {"\\r", "\\u000d"}}));
    between = ",\n";
  }
  return out + "]}\n";
}

absl::StatusOr<DigestManifest> ReadDigests(absl::string_view text) {
  const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
  Document document;
  const absl::Status status = json.is_discarded() ? absl::InvalidArgumentError("not valid JSON")
                                                  : RecordReader::Read(json, &document);
  if (status.ok()) return DigestManifest(std::move(document.files));
  return absl::InvalidArgumentError(
      absl::StrCat("not a manifest of ggufcheck digest: ", status.message()));
}

}  // namespace gguf
