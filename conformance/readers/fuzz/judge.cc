// Judges what readers do with mutants.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/fuzz/judge.h"

#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/hash/hash.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/base/bytes.h"
#include "conformance/readers/process/failure.h"
#include "conformance/readers/run/judge.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "corpus/language/disassemble.h"

namespace gguf::readers {
namespace {

constexpr absl::string_view kMustRules[] = {
    "alignment-nonzero", "array-length-fits",          "file-complete",
    "header-counts-fit", "header-version-known",       "key-not-empty",
    "value-type-known",  "tensor-bytes-representable", "tensor-offset-aligned",
};

// Of failures that have neither a stack nor a message, those with different
// causes break different rules.
std::string RuleOf(const Opinion& opinion) {
  return opinion.first.empty() ? "a valid container" : opinion.first;
}

Signature Make(std::string kind, std::string message, absl::string_view identity,
               std::vector<std::string> frames = {}) {
  std::string key = absl::StrCat(kind, "|", identity);
  return {std::move(kind), std::move(message), std::move(frames), std::move(key)};
}

// Reports of sanitizers about an access: which of them an access out of bounds
// causes depends on what happens to be there.
bool IsAccess(absl::string_view what) {
  return what == "SEGV" || what == "BUS" || absl::EndsWith(what, "-overflow") ||
         absl::EndsWith(what, "-underflow") || absl::EndsWith(what, "-after-free") ||
         absl::EndsWith(what, "-after-return") || absl::EndsWith(what, "-after-scope") ||
         what == "unknown-crash";
}

// Returns the signature of an outcome that is not safe.
Signature UnsafeSignature(const Observation& seen, const Opinion& opinion) {
  const Failure& failure = seen.failure;
  const Outcome& outcome = seen.outcome;
  const std::string kind = outcome.kind == OutcomeKind::kExit ? "exit" : outcome.Name();
  const bool killed = outcome.kind == OutcomeKind::kHang ||
                      outcome.kind == OutcomeKind::kOutOfMemory ||
                      outcome.kind == OutcomeKind::kFlood;
  if (killed) {  // Where it was is a sample.
    return Make(kind, outcome.detail, RuleOf(opinion), failure.frames);
  }
  std::string message = outcome.detail;
  std::string what = Normalized(outcome.detail);
  if (!failure.what.empty()) {
    message = failure.what;
    what = failure.what;
    if (!failure.message.empty()) absl::StrAppend(&message, ": ", failure.message);
  }
  const bool has_frames = !failure.frames.empty();
  const std::string where = has_frames                 ? absl::StrJoin(failure.frames, "|")
                            : !failure.message.empty() ? Normalized(failure.message)
                                                       : RuleOf(opinion);
  Signature signature =
      Make(kind, std::move(message), absl::StrCat(what, "|", where), failure.frames);
  if (has_frames && IsAccess(failure.what) && failure.what != "stack-overflow") {
    signature.key = absl::StrCat("access|", where);
  }
  return signature;
}

bool Accepts(const Observation& seen) { return seen.outcome.kind == OutcomeKind::kAccept; }
bool Rejects(const Observation& seen) { return seen.outcome.kind == OutcomeKind::kReject; }

// Returns the first difference of two answers.
std::optional<Signature> WrongValues(const Answer& expected, const Answer& seen, const Caps& caps) {
  for (const LevelResult& level : Compare(expected, seen, caps)) {
    if (level.state != LevelState::kFail) continue;
    const Difference& difference = level.difference;
    return Make(
        "wrong-values",
        absl::StrCat(difference.path, " is ", difference.observed, ", not ", difference.expected),
        absl::StrCat(LevelName(level.level), "|",
                     // "tensor[w].offset": without the name.
                     difference.path.substr(difference.path.rfind(']') + 1)));
  }
  return std::nullopt;
}

// Returns the capabilities that both have, and the quirks of both.
Caps Common(Caps a, const Caps& b) {
  a.kv &= b.kv;
  a.tensors &= b.tensors;
  a.data &= b.data;
  a.deq &= b.deq;
  a.untyped |= b.untyped;
  a.unordered |= b.unordered;
  a.nan_canon |= b.nan_canon;
  a.lossy_utf8 |= b.lossy_utf8;
  return a;
}

std::optional<Signature> AgainstOther(const Reading& reading) {
  const Observation &seen = *reading.seen, &other = *reading.other;
  if (Accepts(seen) && Rejects(other)) {
    return Make("false-accept", absl::StrCat("the other reader rejects it: ", other.answer.text),
                Normalized(other.answer.text));
  }
  if (Rejects(seen) && Accepts(other)) {
    return Make("false-reject", absl::StrCat("the other reader accepts it; ", seen.answer.text),
                Normalized(seen.answer.text));
  }
  if (!Accepts(seen) || !Accepts(other)) return std::nullopt;
  return WrongValues(other.answer, seen.answer, Common(reading.caps, reading.other_caps));
}

}  // namespace

absl::Span<const absl::string_view> MustRules() { return kMustRules; }

Opinion OpinionOf(absl::string_view file) {
  static const Profile& pedantic = *Profile::Find("pedantic");
  const FileReport report = Validate(Source(AsBytes(file)), pedantic, CheckOptions());
  Opinion opinion;
  std::set<std::string> errors, profiles, found;
  bool container_is_clean = report.incomplete.empty() && report.stopped.empty();
  for (const Finding& finding : report.findings) {
    const Rule& rule = *finding.diagnostic.rule;
    const bool is_new = found.insert(rule.id).second;
    if (!is_new) continue;
    if (rule.scope == Scope::kContainer) container_is_clean = false;
    for (const Profile& profile : Profile::BuiltIn()) {
      if (&profile == &pedantic || profile.SeverityOf(rule) != Severity::kError) continue;
      profiles.insert(profile.name());
      if (errors.insert(rule.id).second) opinion.errors.push_back(rule.id);
      if (opinion.first.empty() && rule.scope == Scope::kContainer) opinion.first = rule.id;
    }
    if (opinion.must.empty() && absl::c_linear_search(kMustRules, rule.id)) opinion.must = rule.id;
  }
  if (report.stopped_by != nullptr) opinion.first = report.stopped_by->id;
  opinion.found.assign(found.begin(), found.end());
  opinion.rejected_by.assign(profiles.begin(), profiles.end());
  opinion.plain = container_is_clean && profiles.count("spec") == 0 && report.format == "gguf" &&
                  report.version == 3u && report.endian == Endian::kLittle;
  return opinion;
}

std::optional<Signature> SignatureOf(const Reading& reading, absl::string_view file,
                                     const Opinion& opinion) {
  const Observation& seen = *reading.seen;
  if (!seen.outcome.safe()) return UnsafeSignature(seen, opinion);
  if (reading.other != nullptr) return AgainstOther(reading);
  if (Accepts(seen) && !opinion.must.empty()) {
    return Make("false-accept", absl::StrCat("it accepts a file that breaks ", opinion.must),
                opinion.must);
  }
  // A program that loads models may reject what is no model.
  if (Rejects(seen) && opinion.plain && !reading.caps.models) {
    return Make("false-reject", absl::StrCat("it rejects a valid file: ", seen.answer.text),
                absl::StrCat(seen.answer.reject_class, "|", Normalized(seen.answer.text)));
  }
  const Caps& caps = reading.caps;
  if (!Accepts(seen) || !opinion.plain || !(caps.kv || caps.tensors || caps.data || caps.deq)) {
    return std::nullopt;
  }
  const corpus::Document document = corpus::Disassemble(file);
  const absl::StatusOr<Answer> expected = ExpectedAnswer(document, caps);
  if (!expected.ok()) return std::nullopt;
  return WrongValues(*expected, seen.answer, caps);
}

std::vector<uint64_t> FeaturesOf(const Observation& seen, const Opinion& opinion) {
  // The messages of different rejections differ in more than numbers.
  const std::string did = absl::StrCat(seen.outcome.Name(), "|", seen.answer.reject_class, "|",
                                       Normalized(seen.answer.text), "|", seen.failure.what, "|",
                                       absl::StrJoin(seen.failure.frames, "|"));
  const absl::Hash<std::pair<absl::string_view, absl::string_view>> hash;
  std::vector<uint64_t> features = {hash({"", did})};
  for (const std::string& rule : opinion.found) features.push_back(hash({rule, did}));
  return features;
}

}  // namespace gguf::readers
