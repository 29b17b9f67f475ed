// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/case.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "corpus/language/document_reader.h"
#include "corpus/language/expectation.h"
#include "corpus/language/front_matter.h"
#include "corpus/language/lexer.h"

namespace gguf::corpus {
namespace {

constexpr int kMaxBases = 8;

class CaseReader {
 public:
  CaseReader(absl::string_view text, const Loader& load, int bases)
      : parts_(SplitCase(text)),
        lexer_(parts_.statements),
        load_(load),
        bases_(bases) {}

  absl::StatusOr<Case> Read();
  bool has_expect() const { return parts_.has_expect; }

 private:
  bool ReadStatements();
  bool ReadBase(Position at);

  const CaseParts parts_;
  Lexer lexer_;
  const Loader& load_;
  const int bases_;
  absl::Status base_status_;
  Case case_;
};

absl::StatusOr<Case> CaseReader::Read() {
  if (!ReadStatements()) {
    return base_status_.ok() ? lexer_.status() : base_status_;
  }
  if (!case_.base_model.empty()) {
    const absl::StatusOr<std::string> base_model = load_(case_.base_model);
    if (!base_model.ok()) return base_model.status();
  }
  const absl::Status read = ReadExpectations(parts_, &case_.expectations);
  if (!read.ok()) return read;
  case_.dump = absl::StrReplaceAll(parts_.dump, {{"\r\n", "\n"}});
  return std::move(case_);
}

bool CaseReader::ReadStatements() {
  FrontMatterReader front_matter(&lexer_, &case_);
  bool in_front_matter = true;
  while (lexer_.next().kind != Token::Kind::kEnd) {
    if (lexer_.next().kind == Token::Kind::kLineEnd) {
      lexer_.Advance();
      continue;
    }
    in_front_matter = in_front_matter && front_matter.AtWord();
    if (in_front_matter) {
      const bool is_base = lexer_.AtWord("base");
      if (!front_matter.Read()) return false;
      if (is_base && !ReadBase(front_matter.value_at())) return false;
    } else {
      DocumentReader reader(&lexer_, &case_.document, !case_.base.empty());
      if (!reader.ReadStatement()) return false;
      ++case_.edits;
    }
    if (!lexer_.EndLine()) return false;
  }
  return lexer_.status().ok();
}

bool CaseReader::ReadBase(Position at) {
  if (bases_ == kMaxBases) return lexer_.Fail(at, "too many nested bases");
  const absl::StatusOr<std::string> text = load_(case_.base);
  if (!text.ok()) return lexer_.Fail(at, text.status().message());
  absl::StatusOr<Case> base = CaseReader(*text, load_, bases_ + 1).Read();
  if (!base.ok()) {
    base_status_ = absl::InvalidArgumentError(
        absl::StrCat(case_.base, ", ", base.status().message()));
    return false;
  }
  case_.document = std::move(base->document);
  return true;
}

absl::StatusOr<Verdict> VerdictOf(absl::string_view name) {
  for (const Verdict verdict :
       {Verdict::kValid, Verdict::kInvalid, Verdict::kEither}) {
    if (absl::StartsWith(name, absl::StrCat(VerdictName(verdict), "-"))) {
      return verdict;
    }
  }
  return absl::InvalidArgumentError(
      "the name of a case begins with valid-, invalid- or either-");
}

}  // namespace

absl::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kValid:
      return "valid";
    case Verdict::kInvalid:
      return "invalid";
    case Verdict::kEither:
      break;
  }
  return "either";
}

absl::StatusOr<Case> ReadText(absl::string_view text, const Loader& load) {
  return CaseReader(text, load, 0).Read();
}

absl::StatusOr<Case> ReadCase(absl::string_view id, absl::string_view text,
                              const Loader& load) {
  const std::pair<absl::string_view, absl::string_view> names =
      absl::StrSplit(id, absl::MaxSplits('/', 1));
  const absl::StatusOr<Verdict> verdict = VerdictOf(names.second);
  if (!verdict.ok()) return verdict.status();
  CaseReader reader(text, load, 0);
  absl::StatusOr<Case> result = reader.Read();
  if (!result.ok()) return result;
  if (result->title.empty()) {
    return absl::InvalidArgumentError("line 1, column 1: missing title");
  }
  if (!reader.has_expect()) {
    return absl::InvalidArgumentError("missing line === expect");
  }
  result->id = std::string(id);
  result->section = std::string(names.first);
  result->verdict = *verdict;
  return result;
}

}  // namespace gguf::corpus
