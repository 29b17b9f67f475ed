// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/implementation.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace gguf::readers {

absl::StatusOr<Observation> Implementation::Read(size_t number,
                                                 const std::string& path,
                                                 const WatchLimits& limits) {
  if (reader_.bare()) return ReadBare(reader_, path, limits);
  if (session_ != nullptr && !session_->Ready()) {
    Doubt(session_->out_of_step());
    session_.reset();
  }
  if (session_ == nullptr) {
    absl::StatusOr<std::unique_ptr<Session>> session = Session::Start(reader_);
    // It greeted before the run, so the machine may be very busy.
    if (absl::IsUnavailable(session.status())) {
      session = Session::Start(reader_, absl::Minutes(2));
    }
    if (!session.ok()) return session.status();
    session_ = *std::move(session);
    asked_.clear();
  }
  asked_.push_back(number);
  Observation seen = session_->Read(path, limits);
  if (!seen.outcome.safe()) session_.reset();
  return seen;
}

Outcome Implementation::End(const WatchLimits& limits) {
  Outcome end;
  if (session_ == nullptr) return end;
  end = session_->Close(limits);
  if (end.kind != OutcomeKind::kSkip) Doubt(session_->out_of_step());
  session_.reset();
  return end;
}

void Implementation::Doubt(bool out_of_step) {
  if (out_of_step) {
    doubted_.insert(doubted_.end(), asked_.begin(), asked_.end());
  } else if (!asked_.empty()) {
    doubted_.push_back(asked_.back());
  }
}

}  // namespace gguf::readers
