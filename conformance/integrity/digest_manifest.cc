// SPDX-License-Identifier: Apache-2.0

#include "conformance/integrity/digest_manifest.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "conformance/report/escape.h"
#include "nlohmann/json.hpp"
#include "parser/utf8.h"

namespace gguf {
namespace {

using nlohmann::json;

constexpr char kSchema[] = "ggufcheck/digest/1";

// "name":"text", or "name_hex":"..." for bytes that are no text.
std::string TextMember(absl::string_view name, absl::string_view text) {
  if (!IsValidUtf8(text)) {
    return absl::StrCat("\"", name, "_hex\":\"", Hex(text), "\"");
  }
  return absl::StrCat("\"", name, "\":", JsonString(text));
}

std::string ReadText(const json& object, const std::string& name) {
  const auto hex = object.find(name + "_hex");
  if (hex == object.end()) return object.at(name).get<std::string>();
  return absl::HexStringToBytes(hex->get<std::string>());
}

std::string ReadSha256(const json& object, const char* name) {
  const auto text = object.at(name).get<std::string>();
  const bool is_digest =
      text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
        return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f');
      });
  if (!is_digest) {
    throw std::invalid_argument(
        absl::StrCat(name, " is not 64 lower-case hex digits"));
  }
  return text;
}

DigestEntry ReadEntry(const json& file) {
  DigestEntry entry;
  entry.path = ReadText(file, "path");
  entry.digest.size = file.at("size").get<uint64_t>();
  entry.digest.metadata = ReadSha256(file, "metadata");
  for (const json& tensor : file.at("tensors")) {
    entry.digest.tensors.push_back({ReadText(tensor, "name"),
                                    tensor.at("size").get<uint64_t>(),
                                    ReadSha256(tensor, "sha256")});
  }
  return entry;
}

absl::string_view BaseOf(absl::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

const FileDigest* DigestManifest::Find(absl::string_view path) const {
  const FileDigest* same_base = nullptr;
  int same_bases = 0;
  for (const DigestEntry& entry : files) {
    if (entry.path == path) return &entry.digest;
    if (BaseOf(entry.path) != BaseOf(path)) continue;
    same_base = &entry.digest;
    ++same_bases;
  }
  return same_bases == 1 ? same_base : nullptr;
}

std::string WriteDigests(const DigestManifest& manifest) {
  std::string out = absl::StrCat("{\"schema\":\"", kSchema, "\",\n\"files\":[");
  const char* between_files = "\n";
  for (const auto& [path, digest] : manifest.files) {
    absl::StrAppend(&out, between_files, "{", TextMember("path", path),
                    ",\"size\":", digest.size, ",\n \"metadata\":\"",
                    digest.metadata, "\",\n \"tensors\":[");
    const char* between_tensors = "\n  ";
    for (const TensorDigest& tensor : digest.tensors) {
      absl::StrAppend(
          &out, between_tensors, "{", TextMember("name", tensor.name),
          ",\"size\":", tensor.size, ",\"sha256\":\"", tensor.sha256, "\"}");
      between_tensors = ",\n  ";
    }
    absl::StrAppend(&out, "]}");
    between_files = ",\n";
  }
  absl::StrAppend(&out, "]}\n");
  return out;
}

absl::StatusOr<DigestManifest> ReadDigests(absl::string_view text) {
  // The library's errors are exceptions; so are ours, inside of it.
  try {
    const json document = json::parse(text.begin(), text.end());
    if (document.at("schema") != kSchema) {
      throw std::invalid_argument(absl::StrCat("its schema is not ", kSchema));
    }
    DigestManifest manifest;
    for (const json& file : document.at("files")) {
      manifest.files.push_back(ReadEntry(file));
    }
    return manifest;
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrCat("is no manifest of ggufcheck digest: ", error.what()));
  }
}

}  // namespace gguf
