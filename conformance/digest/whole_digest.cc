// SPDX-License-Identifier: Apache-2.0

#include "conformance/digest/whole_digest.h"

#include <algorithm>
#include <system_error>
#include <utility>

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

}  // namespace gguf
