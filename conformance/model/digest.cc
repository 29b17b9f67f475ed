// Runs one job per tensor and one for the rest, the largest first; writes and reads manifests.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/digest.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/base/bytes.h"
#include "conformance/base/json.h"
#include "conformance/base/threads.h"
#include "third_party/sha256.h"

namespace gguf {
namespace {

constexpr uint64_t kPieceBytes = 4 << 20;

// The bytes of one digest.
struct Job {
  std::vector<Range> ranges;
  std::string* sha256;

  uint64_t size() const {
    return std::accumulate(ranges.begin(), ranges.end(), uint64_t{0},
                           [](uint64_t sum, const Range& range) { return sum + range.size(); });
  }
};

class Digester {
 public:
  Digester(const File& file, const DigestOptions& options) : file_(file), options_(options) {}

  // Returns false when it was stopped.
  bool Run(std::vector<Job> jobs) {
    std::sort(jobs.begin(), jobs.end(),
              [](const Job& a, const Job& b) { return a.size() > b.size(); });
    jobs_ = std::move(jobs);
    RunThreads(std::min<uint64_t>(options_.jobs, jobs_.size()), [this] { Work(); });
    return !stopped_;
  }

 private:
  void Work() {
    for (size_t i = next_++; i < jobs_.size() && !stopped_; i = next_++) {
      Digest(jobs_[i]);
    }
  }

  void Digest(const Job& job) {
    Sha256 sha256;
    std::string buffer;
    for (const Range& range : job.ranges) {
      for (uint64_t at = range.begin; at < range.end; at += kPieceBytes) {
        const Bytes piece =
            file_.Read({at, at + std::min<uint64_t>(kPieceBytes, range.end - at)}, &buffer);
        sha256.Add(AsText(piece));
        if (!Report(piece.size())) return;
      }
    }
    *job.sha256 = sha256.Hex();
  }

  // Returns false when the work must end.
  bool Report(uint64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_ += bytes;
    if (options_.progress) options_.progress(done_, file_.size);
    if (options_.stop && options_.stop()) stopped_ = true;
    return !stopped_;
  }

  const File& file_;
  const DigestOptions& options_;
  std::vector<Job> jobs_;
  std::atomic<size_t> next_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;  // Guards the members below.
  uint64_t done_ = 0;
};

// Returns the bytes of a file of this size that belong to no tensor's data.
std::vector<Range> OtherRanges(std::vector<Range> data, uint64_t size) {
  std::sort(data.begin(), data.end(), [](const Range& a, const Range& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  std::vector<Range> others;
  uint64_t at = 0;
  for (const Range& range : data) {
    if (range.size() == 0) continue;  // May lie anywhere, even in other data.
    Assert(at <= range.begin, "tensors without digests");
    if (at < range.begin) others.push_back({at, range.begin});
    at = range.end;
  }
  if (at < size) others.push_back({at, size});
  return others;
}

}  // namespace

std::optional<FileDigest> DigestFile(const File& file, const std::vector<Range>& data,
                                     const DigestOptions& options) {
  FileDigest digest;
  digest.size = file.size;
  digest.tensors.resize(file.tensors.size());
  std::vector<Job> jobs = {{OtherRanges(data, file.size), &digest.metadata}};
  for (const TensorInfo& tensor : file.tensors) {
    TensorDigest& of_tensor = digest.tensors[tensor.index];
    of_tensor.name = std::string(tensor.name.value);
    of_tensor.size = *tensor.bytes;
    jobs.push_back({{data[tensor.index]}, &of_tensor.sha256});
  }
  if (!Digester(file, options).Run(std::move(jobs))) return std::nullopt;
  return digest;
}

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
