// The tables of readers, applied to a report.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/readers.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/reader_condition.h"
#include "conformance/rules/reason.h"
#include "parser/assert.h"
#include "parser/tensor_type.h"

namespace gguf {
namespace {

using Effect = ReaderEffect::Effect;
using Rows = std::vector<const ReaderEffect*>;
using Texts = NamedTexts;

constexpr size_t kReasons = 2;

Effect EffectOn(const Reader& reader, const ReaderEffect& row) {
  constexpr Effect ReaderEffect::*kColumns[] = {
      &ReaderEffect::llama_cpp, &ReaderEffect::ollama,
      &ReaderEffect::hugging_face, &ReaderEffect::candle,
      &ReaderEffect::gguf_py};
  return row.*kColumns[reader.column];
}

// What the tables say about one rule.
struct Known {
  Scope scope;
  Rows rows;
};

const Known& KnownOf(const Rule& rule) {
  static const auto& known = *[] {
    auto* all = new absl::flat_hash_map<const Rule*, Known>;
    for (const Check& check : Catalogue()) {
      (*all)[check.rule].scope = ScopeOf(check.rule->id);
    }
    for (const ReaderEffect& row : kReaderEffects) {
      const Rule* rule = FindRule(row.rule);
      if (rule != nullptr) (*all)[rule].rows.push_back(&row);
    }
    return all;
  }();
  return known.at(&rule);
}

// What a rule about models means to who goes by the profile.
Effect EffectByProfile(const Rule& rule) {
  static const Profile& profile = *Profile::Find("llama.cpp");
  switch (profile.SeverityOf(rule)) {
    case Severity::kError:
      return ReaderEffect::kRejects;
    case Severity::kWarning:
      return ReaderEffect::kDegrades;
    default:
      return ReaderEffect::kAccepts;
  }
}

// The first row that holds and says something of the reader.
const ReaderEffect* Decides(const Reader& reader, const Rows& rows,
                            const Texts& texts) {
  for (const ReaderEffect* row : rows) {
    if (EffectOn(reader, *row) != ReaderEffect::kNext && Holds(*row, texts)) {
      return row;
    }
  }
  return nullptr;
}

// Of GGUF's ancestors there are none: what readers do with them is one finding.
Texts FactsOf(const FileReport& file) {
  if (file.format != "gguf") return {};
  std::vector<absl::string_view> types;
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    if ((file.extremes.tensor_types >> type.id & 1) != 0) {
      types.push_back(type.name);
    }
  }
  const auto number = [](const auto& value) {
    return value ? absl::StrCat(*value) : std::string("unknown");
  };
  const bool all_read = file.stopped.empty() && file.incomplete.empty();
  const bool big = file.endian && *file.endian == Endian::kBig;
  return {{"version", number(file.version)},
          {"endian", !file.endian ? "unknown"
                     : big        ? "big"
                                  : "little"},
          {"keys", number(file.keys)},
          {"tensors", all_read ? number(file.tensors) : "unknown"},
          {"types", absl::StrJoin(types, ", ")},
          {"longest_array", absl::StrCat(file.extremes.longest_array)},
          {"largest_dimension", absl::StrCat(file.extremes.largest_dimension)}};
}

// Judges one reader by one report: the worst of what all findings do to it.
class Judge {
 public:
  Judge(const Reader& reader, const FileReport& file)
      : reader_(reader), file_(file), facts_(FactsOf(file)) {}

  ReaderVerdict Run() {
    if (*reader_.also != '\0') {
      const Reader* also = FindReader(reader_.also);
      Assert(also != nullptr, "a reader needs one that is not there");
      verdict_ = Judge(*also, file_).Run();
    }
    verdict_.reader = &reader_;
    JudgeFindings();
    JudgeFile();
    JudgeWhatIsMissing();
    return std::move(verdict_);
  }

 private:
  void JudgeFindings();
  void JudgeFile();
  void JudgeWhatIsMissing();
  Effect EffectOf(const Diagnostic& diagnostic) const;
  Effect WorstOf(const Rule& rule) const;
  std::string Culprits(const std::string& value, const Rows& rows) const;
  // True when the verdict is now this one.
  bool Worsen(Effect effect);
  void SayUnknown(absl::string_view why);

  const Reader& reader_;
  const FileReport& file_;
  const Texts facts_;
  ReaderVerdict verdict_;
};

bool Judge::Worsen(Effect effect) {
  if (effect > verdict_.effect) {
    verdict_.effect = effect;
    verdict_.because.clear();
    verdict_.why.clear();
  }
  return effect == verdict_.effect && effect != ReaderEffect::kAccepts;
}

void Judge::SayUnknown(absl::string_view why) {
  if (Worsen(ReaderEffect::kUnknown) && verdict_.why.empty()) {
    verdict_.why = std::string(why);
  }
}

Effect Judge::EffectOf(const Diagnostic& diagnostic) const {
  const Known& known = KnownOf(*diagnostic.rule);
  const bool model = known.scope == Scope::kModel;
  if (model && reader_.models == Reader::kNo) return ReaderEffect::kAccepts;
  Texts texts = diagnostic.args;
  texts.emplace_back("subject", diagnostic.subject);
  texts.insert(texts.end(), facts_.begin(), facts_.end());
  const ReaderEffect* row = Decides(reader_, known.rows, texts);
  if (row != nullptr) return EffectOn(reader_, *row);
  return model ? EffectByProfile(*diagnostic.rule) : ReaderEffect::kUnknown;
}

// The worst that a finding of the rule could do.
Effect Judge::WorstOf(const Rule& rule) const {
  const Known& known = KnownOf(rule);
  const bool model = known.scope == Scope::kModel;
  if (model && reader_.models == Reader::kNo) return ReaderEffect::kAccepts;
  Effect worst = model && known.rows.empty() ? EffectByProfile(rule)
                                             : ReaderEffect::kAccepts;
  for (const ReaderEffect* row : known.rows) {
    worst = std::max(worst, EffectOn(reader_, *row));
  }
  return worst;
}

void Judge::JudgeFindings() {
  std::vector<const Diagnostic*> all;
  for (const auto* findings : {&file_.findings, &file_.off.findings}) {
    for (const Finding& finding : *findings) {
      all.push_back(&finding.diagnostic);
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Diagnostic* a, const Diagnostic* b) {
                     return a->where.begin < b->where.begin;
                   });
  std::vector<Diagnostic>& because = verdict_.because;
  for (const Diagnostic* diagnostic : all) {
    const auto is_it = [&](const Diagnostic& other) {
      return other.rule == diagnostic->rule &&
             other.where.begin == diagnostic->where.begin &&
             other.subject == diagnostic->subject;
    };
    if (Worsen(EffectOf(*diagnostic)) && because.size() < kReasons &&
        std::none_of(because.begin(), because.end(), is_it)) {
      because.push_back(*diagnostic);
    }
  }
}

// The words of a fact that are in no list of what the reader accepts.
std::string Judge::Culprits(const std::string& value, const Rows& rows) const {
  std::vector<absl::string_view> words = absl::StrSplit(value, ", ");
  for (const ReaderEffect* row : rows) {
    if (row->is != ReaderEffect::kAmong) continue;
    if (EffectOn(reader_, *row) != ReaderEffect::kAccepts) continue;
    const std::vector<absl::string_view> list =
        absl::StrSplit(row->value, ", ");
    words.erase(std::remove_if(words.begin(), words.end(),
                               [&](absl::string_view word) {
                                 return std::count(list.begin(), list.end(),
                                                   word) > 0;
                               }),
                words.end());
  }
  return absl::StrJoin(words, ", ");
}

void Judge::JudgeFile() {
  for (const auto& [fact, value] : facts_) {
    Rows rows;
    for (const ReaderEffect& row : kReaderEffects) {
      const absl::string_view about = row.rule;
      const bool holds = about == kEveryFile || (about == kEveryModel &&
                                                 reader_.models != Reader::kNo);
      if (holds && fact == row.of) rows.push_back(&row);
    }
    const ReaderEffect* row = Decides(reader_, rows, facts_);
    if (row != nullptr && Worsen(EffectOn(reader_, *row)) &&
        verdict_.why.empty()) {
      verdict_.why = absl::StrCat(fact, ": ", Culprits(value, rows));
    }
  }
}

// What was not looked at may hold what the reader refuses.
void Judge::JudgeWhatIsMissing() {
  if (!file_.incomplete.empty() && file_.incomplete != file_.stopped) {
    SayUnknown(file_.incomplete);
  }
  for (const auto* rules : {&file_.not_checked, &file_.off.not_checked}) {
    for (const FileReport::NotChecked& rule : *rules) {
      // Where the parser stopped, its finding has been judged; of what is
      // incomplete all is unknown; and what is no language model is not loaded
      // as one.
      if (rule.meaning != Reason::kUnjudged) continue;
      if (WorstOf(*rule.rule) > ReaderEffect::kUnknown) {
        SayUnknown(absl::StrCat(rule.rule->id, " was not checked"));
      }
    }
  }
  for (const auto* rules : {&file_.more, &file_.off.more}) {
    for (const FileReport::More& more : *rules) {
      if (WorstOf(*more.rule) > ReaderEffect::kUnknown) {
        SayUnknown(
            absl::StrCat("not all findings of ", more.rule->id, " were kept"));
      }
    }
  }
}

}  // namespace

std::vector<ReaderVerdict> JudgeReaders(const FileReport& file) {
  std::vector<ReaderVerdict> verdicts;
  for (const Reader& reader : kReaders) {
    verdicts.push_back(Judge(reader, file).Run());
  }
  return verdicts;
}

const char* EffectName(Effect effect) {
  switch (effect) {
    case ReaderEffect::kNext:
      return "";
    case ReaderEffect::kAccepts:
      return "accepts";
    case ReaderEffect::kDegrades:
      return "degrades";
    case ReaderEffect::kUnknown:
      return "unknown";
    case ReaderEffect::kRejects:
      return "rejects";
    case ReaderEffect::kCrashes:
      return "crashes";
  }
  return "";
}

std::optional<Effect> EffectNamed(absl::string_view name) {
  for (const Effect effect :
       {ReaderEffect::kAccepts, ReaderEffect::kDegrades, ReaderEffect::kUnknown,
        ReaderEffect::kRejects, ReaderEffect::kCrashes}) {
    if (name == EffectName(effect)) return effect;
  }
  return std::nullopt;
}

const Reader* FindReader(absl::string_view name) {
  const Reader* found =
      std::find_if(kReaders.begin(), kReaders.end(),
                   [&](const Reader& reader) { return name == reader.name; });
  return found == kReaders.end() ? nullptr : found;
}

}  // namespace gguf
