// Runs one job per tensor and one for the rest, the largest first.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/digest/digest.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <tuple>

#include "conformance/threads/threads.h"
#include "parser/core/assert.h"
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

}  // namespace gguf
