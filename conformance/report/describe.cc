// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/describe.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/engine/catalogue.h"
#include "conformance/model/gguf_kind.h"
#include "conformance/model/reason.h"
#include "conformance/report/report.h"

namespace gguf {
namespace {

// Returns whether the file could be opened.
bool IsSeen(const FileReport& file) {
  return file.size || file.version || file.incomplete.empty();
}

// Returns whether rules of this scope (weights, or rules that need a base) were
// not checked because they were not requested.
bool Unasked(const FileReport& file, Scope scope) {
  return std::any_of(file.not_checked.begin(), file.not_checked.end(),
                     [&](const FileReport::NotChecked& rule) {
                       return rule.meaning == Reason::kNotRequested &&
                              ScopeOf(rule.rule->id) == scope;
                     });
}

// Returns whether only the header and the tables were requested.
bool HeaderOnly(const FileReport& file) {
  return std::any_of(
      Catalogue().begin(), Catalogue().end(), [&](const Check& check) {
        return check.needs == Needs::kPadding &&
               std::any_of(file.not_checked.begin(), file.not_checked.end(),
                           [&](const FileReport::NotChecked& rule) {
                             return rule.rule == check.rule &&
                                    rule.meaning == Reason::kNotRequested;
                           });
      });
}

}  // namespace

std::string Describe(const FileReport& file) {
  if (!IsSeen(file)) return "";
  std::vector<std::string> parts;
  // whisper.cpp and rwkv.cpp define their own format names.
  std::string format = file.format.size() == 4
                           ? absl::AsciiStrToUpper(file.format)
                           : file.format;
  if (format == "unknown") format = "unknown format";
  if (file.version) absl::StrAppend(&format, " v", *file.version);
  parts.push_back(format);
  if (file.endian) {
    parts.push_back(*file.endian == Endian::kLittle ? "little endian"
                                                    : "big endian");
  }
  if (file.shard) {
    parts.push_back(
        absl::StrCat("shard ", file.shard->number, " of ", file.shard->count));
  } else if (file.kind && *file.kind != GgufKind::kLanguageModel) {
    parts.push_back(KindWords(*file.kind));
  }
  if (file.tensors) parts.push_back(Count(*file.tensors, "tensor"));
  if (file.keys) parts.push_back(Count(*file.keys, "key"));
  if (file.size) parts.push_back(Count(*file.size, "byte"));
  if (file.tensors.value_or(0) > 0) {
    if (HeaderOnly(file)) {
      parts.push_back("only its header read");
    } else if (Unasked(file, Scope::kContainer)) {
      parts.push_back("weights not read");
    }
    if (Unasked(file, Scope::kModel)) parts.push_back("without its base");
  }
  if (!file.profile.empty()) parts.push_back("profile " + file.profile);
  if (file.needs) parts.push_back("needs " + file.needs->Words());
  return absl::StrJoin(parts, ", ");
}

}  // namespace gguf
