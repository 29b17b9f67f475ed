// Reads digests as sha256sum, Git LFS and ollama write them.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/whole_digest.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "third_party/sha256.h"

namespace gguf {

WholeDigest::WholeDigest(Bytes bytes, Progress progress, std::function<bool()> stop)
    : bytes_(bytes), progress_(std::move(progress)), stop_(std::move(stop)) {
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error&) {
    // No more threads: Finish() does the work.
  }
}

WholeDigest::~WholeDigest() {
  is_cancelled_ = true;
  if (thread_.joinable()) thread_.join();
}

std::optional<std::string> WholeDigest::Finish() {
  if (thread_.joinable()) {
    thread_.join();
  } else if (!digest_) {
    Run();
  }
  if (error_) std::rethrow_exception(error_);
  return digest_;
}

void WholeDigest::Run() {
  constexpr uint64_t kPieceBytes = 4 << 20;
  try {
    Sha256 sha256;
    for (uint64_t at = 0; at < bytes_.size(); at += kPieceBytes) {
      if (is_cancelled_ || (stop_ && stop_())) return;
      if (progress_) progress_(at, bytes_.size());
      sha256.Add(AsText(bytes_.subspan(at, std::min(kPieceBytes, bytes_.size() - at))));
    }
    digest_ = sha256.Hex();
  } catch (...) {
    error_ = std::current_exception();
  }
}

// Reads digests as sha256sum, Git LFS and ollama write them.

namespace {

constexpr size_t kDigits = 64;
constexpr absl::string_view kPointer = "version https://git-lfs.github.com/spec/";

// Returns the digest in lower case, if the text is one.
std::optional<std::string> DigestOf(absl::string_view text) {
  const bool is_hex = text.size() == kDigits && std::all_of(text.begin(), text.end(), [](char c) {
                        return absl::ascii_isxdigit(static_cast<unsigned char>(c));
                      });
  if (!is_hex) return std::nullopt;
  return absl::AsciiStrToLower(text);
}

absl::string_view BaseOf(absl::string_view path) { return path.substr(path.rfind('/') + 1); }

// Parses "oid sha256:..." and "size N" of a Git LFS pointer.
std::optional<ExpectedSha256> ReadPointer(absl::string_view text) {
  ExpectedSha256 expected;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    uint64_t size = 0;
    if (absl::ConsumePrefix(&line, "oid sha256:")) {
      expected.sha256 = DigestOf(line).value_or("");
    } else if (absl::ConsumePrefix(&line, "size ") && absl::SimpleAtoi(line, &size)) {
      expected.size = size;
    }
  }
  if (expected.sha256.empty()) return std::nullopt;
  return expected;
}

struct Line {
  std::string path;
  std::string sha256;
};

// Parses "HEX  PATH", "HEX *PATH" or "SHA256 (PATH) = HEX".
std::optional<Line> ReadLine(absl::string_view line) {
  if (absl::ConsumePrefix(&line, "SHA256 (")) {
    const size_t end = line.rfind(") = ");
    if (end == absl::string_view::npos) return std::nullopt;
    const auto digest = DigestOf(line.substr(end + 4));
    if (!digest) return std::nullopt;
    return Line{std::string(line.substr(0, end)), *digest};
  }
  const auto digest = DigestOf(line.substr(0, kDigits));
  if (!digest || line.size() < kDigits + 3 || line[kDigits] != ' ' ||
      (line[kDigits + 1] != ' ' && line[kDigits + 1] != '*')) {
    return std::nullopt;
  }
  return Line{std::string(line.substr(kDigits + 2)), *digest};
}

}  // namespace

std::optional<Sha256List> Sha256List::OfDigest(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "sha256:")) {
    absl::ConsumePrefix(&text, "sha256-");
  }
  const auto digest = DigestOf(text);
  if (!digest) return std::nullopt;
  Sha256List list;
  list.all_ = {*digest, std::nullopt};
  return list;
}

Sha256List Sha256List::OfNames() {
  Sha256List list;
  list.of_names_ = true;
  return list;
}

absl::StatusOr<Sha256List> Sha256List::Parse(absl::string_view text) {
  Sha256List list;
  if (absl::ConsumePrefix(&text, kPointer)) {
    list.all_ = ReadPointer(text);
    if (list.all_) return list;
    return absl::InvalidArgumentError("a Git LFS pointer without oid sha256:");
  }
  uint64_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    absl::ConsumeSuffix(&line, "\r");
    if (line.empty() || line[0] == '#') continue;
    const auto read = ReadLine(line);
    if (!read) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number, " is not one of sha256sum, nor a Git LFS pointer"));
    }
    const auto [path, is_new] = list.by_path_.emplace(read->path, read->sha256);
    if (!is_new && path->second != read->sha256) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number, " repeats a path with another digest"));
    }
    if (!is_new) continue;
    const auto base = list.by_base_.emplace(BaseOf(read->path), read->sha256);
    if (!base.second) base.first->second.clear();
  }
  if (list.by_path_.empty()) return absl::InvalidArgumentError("is empty");
  return list;
}

std::optional<ExpectedSha256> Sha256List::Find(absl::string_view path) const {
  if (all_) return all_;
  if (of_names_) {
    absl::string_view name = BaseOf(path);
    absl::ConsumePrefix(&name, "sha256-");
    const auto digest = DigestOf(name);
    if (!digest) return std::nullopt;
    return ExpectedSha256{*digest, std::nullopt};
  }
  absl::ConsumePrefix(&path, "./");
  for (const std::string& name : {std::string(path), absl::StrCat("./", path)}) {
    const auto found = by_path_.find(name);
    if (found != by_path_.end()) {
      return ExpectedSha256{found->second, std::nullopt};
    }
  }
  const auto base = by_base_.find(BaseOf(path));
  if (base == by_base_.end() || base->second.empty()) return std::nullopt;
  return ExpectedSha256{base->second, std::nullopt};
}

}  // namespace gguf
