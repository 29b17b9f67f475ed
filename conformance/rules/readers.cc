// Applies the tables of readers, with their conditions on the arguments of findings, to a report.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/readers.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "conformance/model/reason.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/causes/causes.h"
#include "conformance/rules/profile.h"
#include "conformance/tables/architectures.h"
#include "conformance/tables/first_builds.h"
#include "conformance/tables/hparam_rules.h"
#include "conformance/tables/load_steps.h"
#include "parser/tensor_type.h"

namespace gguf {
namespace {

// Splits a text into words and numbers.
std::vector<absl::string_view> WordsOf(absl::string_view text) {
  return absl::StrSplit(text, absl::ByAnyChar(", []"), absl::SkipEmpty());
}

std::vector<uint64_t> NumbersOf(absl::string_view text) {
  std::vector<uint64_t> numbers;
  for (const absl::string_view word : WordsOf(text)) {
    uint64_t number;
    if (absl::SimpleAtoi(word, &number)) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

bool Holds(absl::string_view of, Condition is, absl::string_view value, const NamedTexts& texts) {
  if (is == Condition::kAlways) return true;
  const auto text = absl::c_find_if(texts, [&](const auto& named) { return named.first == of; });
  if (text == texts.end()) return false;
  const std::vector<uint64_t> numbers = NumbersOf(text->second);
  switch (is) {
    case Condition::kAlways:
      return true;
    case Condition::kEquals:
      return text->second == value;
    case Condition::kContains:
      return absl::StrContains(text->second, value);
    case Condition::kEnds:
      return absl::c_any_of(WordsOf(value), [&](absl::string_view word) {
        return absl::EndsWith(text->second, word);
      });
    case Condition::kAmong: {
      const auto words = WordsOf(text->second), allowed = WordsOf(value);
      return absl::c_all_of(words,
                            [&](const auto& word) { return absl::c_linear_search(allowed, word); });
    }
    case Condition::kAbove: {
      const uint64_t bound = NumbersOf(value).at(0);
      return absl::c_any_of(numbers, [&](uint64_t number) { return number > bound; });
    }
    case Condition::kWraps: {
      uint64_t product = 1;  // Unsigned: modulo 2^64 is intended.
      for (const uint64_t number : numbers) product *= number;
      return product == 0;
    }
  }
  return false;
}

bool IsAbout(EnumSet<ReaderId> readers, const Reader& reader) {
  const Reader* const like = FindReader(reader.like);
  return readers.Has(static_cast<ReaderId>(&reader - kReaders.begin())) ||
         (like != nullptr && IsAbout(readers, *like));
}

namespace {

using Rows = std::vector<const ReaderEffectRow*>;

constexpr size_t kReasons = 2;

// Values of the column `rule` in rows that are not about a rule.
constexpr char kEveryFile[] = "file";
constexpr char kEveryModel[] = "model";
// In load_steps.tsv, it stands for every rule.
constexpr absl::string_view kAnyRule = "*";

// Returns the rows of a rule in reader_effects.tsv.
const Rows& RowsOf(const Rule& rule) {
  static const auto& rows = *[] {
    auto* all = new absl::flat_hash_map<const Rule*, Rows>;
    for (const Rule* rule : Catalogue()) (*all)[rule];
    for (const ReaderEffectRow& row : kReaderEffects) {
      const Rule* rule = FindRule(row.rule);
      if (rule != nullptr) (*all)[rule].push_back(&row);
    }
    return all;
  }();
  return rows.at(&rule);
}

// Returns whether a rule without rows has the effect of its severity on the
// reader.  format-gguf decides what readers do with a legacy (pre-GGUF) file.
bool FollowsProfile(const Rule& rule, const Reader& reader) {
  return rule.scope == Scope::kModel ? reader.models != ReaderModels::kNo
                                     : rule.files != Files::kLegacy;
}

// Returns the effect of a rule on a reader that follows the profile.
ReaderEffect EffectByProfile(const Rule& rule) {
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

// Returns the first row for the reader that holds, or null.
const ReaderEffectRow* Decides(const Reader& reader, const Rows& rows, const NamedTexts& texts) {
  for (const ReaderEffectRow* row : rows) {
    if (IsAbout(row->readers, reader) && Holds(row->of, row->is, row->value, texts)) return row;
  }
  return nullptr;
}

// Returns the facts that rows of `file` and `model` test.  Legacy (pre-GGUF)
// formats have none: one finding decides what readers do with them.
NamedTexts FactsOf(const FileReport& file) {
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
          {"kind", file.kind ? WordOf(*file.kind) : "unknown"},
          {"keys", number(file.keys)},
          {"tensors", all_read ? number(file.tensors) : "unknown"},
          // Those of a set of shards are in several files.
          {"model_tensors", all_read && !file.shard ? number(file.tensors) : "unknown"},
          {"types", absl::StrJoin(types, ", ")},
          {"longest_array", absl::StrCat(file.extremes.longest_array)},
          {"largest_dimension", absl::StrCat(file.extremes.largest_dimension)}};
}

// Returns the name of the key that a finding is about, or "".
std::string KeyOf(const Diagnostic& diagnostic) {
  for (const auto& [name, text] : diagnostic.args) {
    if (name == "key") return text;
  }
  absl::string_view key = diagnostic.subject;
  return absl::ConsumePrefix(&key, "kv[") ? std::string(key.substr(0, key.rfind("]."))) : "";
}

// Returns whether a build does not read a key yet.
bool IsBefore(int32_t build, absl::string_view key) {
  const absl::string_view segment = key.substr(0, key.find('.'));
  const uint16_t architecture = FindArchitecture(segment);
  const std::string pattern = absl::StrCat("{arch}", key.substr(segment.size()));
  return absl::c_any_of(kFirstBuilds, [&](const FirstBuild& row) {
    const bool is_it = row.what == FirstOf::kKey && (row.name == key || row.name == pattern) &&
                       Includes(build, row.first) == false;
    return is_it && (row.name == key || kFirstBuilds.Holds(row, architecture));
  });
}

// Returns the step at which the reader meets what the texts of a finding, or of
// a row of `file` or `model`, describe.
LoadStep StepOf(absl::string_view rule, const Reader& reader, const NamedTexts& texts) {
  for (const LoadStepRow& row : kLoadSteps) {
    if ((row.rule == rule || row.rule == kAnyRule) && IsAbout(row.readers, reader) &&
        Holds(row.of, row.is, row.value, texts)) {
      return row.step;
    }
  }
  return LoadStep::kContainer;
}

// Returns whether a reader goes no further, or nothing is known about what follows.
bool Stops(ReaderEffect effect) { return effect >= ReaderEffect::kNewer; }

const char* StageOf(const ReaderVerdict& verdict) {
  if (!Stops(verdict.effect)) return "";
  const RunStage stage = verdict.step <= LoadStep::kData      ? RunStage::kLoad
                         : verdict.step <= LoadStep::kContext ? RunStage::kContext
                                                              : RunStage::kRun;
  return WordOf(stage);
}

// Judge: predicts the effect of one file on one reader: the worst of what the
// reader meets until it stops.
class Judge {
 public:
  // A build of llama.cpp, or kNoBuild for the one that was examined.  `is_newest`: whether it
  // is the version of llama.cpp that the tables follow.
  Judge(const Reader& reader, const FileReport& file, int32_t build, bool is_newest)
      : reader_(reader), file_(file), build_(build), is_newest_(is_newest), facts_(FactsOf(file)) {}

  ReaderVerdict Run() {
    const Reader* const also = FindReader(reader_.also);
    JudgeBuild();
    JudgeFindings();
    JudgeFile();
    Conclude();
    JudgeWhatIsMissing();
    if (also != nullptr && verdict_.effect < ReaderEffect::kRejects) {
      Judge inner(*also, file_, kNoBuild, is_newest_);
      inner.is_translated_ = is_translated_ || IsTranslated();
      ReaderVerdict second = inner.Run();
      if (second.effect >= verdict_.effect) verdict_ = std::move(second);
    }
    verdict_.stage = StageOf(verdict_);
    verdict_.reader = &reader_;
    verdict_.version = build_ != kNoBuild ? BuildText(build_) : reader_.version;
    return std::move(verdict_);
  }

 private:
  // Something that has an effect on the reader: a finding, or its cause in words.
  struct Met {
    LoadStep step;
    ReaderEffect effect;
    const Diagnostic* diagnostic;
    std::string why;
  };

  void JudgeBuild();
  void JudgeFindings();
  void JudgeFile();
  // Gives the verdict: what the reader met until it stopped.
  void Conclude();
  void JudgeWhatIsMissing();
  // Returns whether the reader translates the file's layout for the reader that must load it as
  // well.
  bool IsTranslated() const;
  Met MeetsFinding(const Diagnostic& diagnostic) const;
  ReaderEffect WorstOf(const Rule& rule) const;
  std::string Culprits(const std::string& value, const Rows& rows) const;
  // Returns true if the verdict is now `effect`.
  bool Worsen(ReaderEffect effect);
  void SayUnknown(absl::string_view why);

  const Reader& reader_;
  const FileReport& file_;
  const int32_t build_;
  const bool is_newest_;
  bool is_translated_ = false;  // What follows from the layout does not count.
  const NamedTexts facts_;
  std::vector<Met> met_;
  ReaderVerdict verdict_;
};

bool Judge::Worsen(ReaderEffect effect) {
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

Judge::Met Judge::MeetsFinding(const Diagnostic& diagnostic) const {
  const Rule& rule = *diagnostic.rule;
  NamedTexts texts = diagnostic.args;
  texts.emplace_back("subject", diagnostic.subject);
  texts.emplace_back("rule", rule.id);
  texts.emplace_back("scope", ScopeName(rule.scope));
  texts.emplace_back("key", KeyOf(diagnostic));
  texts.insert(texts.end(), facts_.begin(), facts_.end());
  Met met = {StepOf(rule.id, reader_, texts), ReaderEffect::kAccepts, &diagnostic, ""};
  if (const ReaderEffectRow* row = Decides(reader_, RowsOf(rule), texts)) {
    met.effect = row->effect;
  } else if (FollowsProfile(rule, reader_)) {
    met.effect = EffectByProfile(rule);
  } else if (rule.scope == Scope::kContainer) {
    met.effect = ReaderEffect::kUnknown;
  }
  if (rule.scope == Scope::kModel && build_ != kNoBuild && IsBefore(build_, KeyOf(diagnostic))) {
    met.effect = ReaderEffect::kAccepts;
  }
  if (met.effect == ReaderEffect::kNewer && !is_newest_) met.effect = ReaderEffect::kRejects;
  return met;
}

// Returns the worst effect that a finding of the rule could have.
ReaderEffect Judge::WorstOf(const Rule& rule) const {
  const Rows& rows = RowsOf(rule);
  const bool by_profile = rows.empty() && FollowsProfile(rule, reader_);
  ReaderEffect worst = by_profile ? EffectByProfile(rule) : ReaderEffect::kAccepts;
  for (const ReaderEffectRow* row : rows) {
    if (IsAbout(row->readers, reader_)) worst = std::max(worst, row->effect);
  }
  return worst;
}

bool Judge::IsTranslated() const {
  for (const auto* findings : {&file_.findings, &file_.off.findings}) {
    for (const Finding& finding : *findings) {
      const Diagnostic& diagnostic = finding.diagnostic;
      if (finding.cause == kForeignLayoutCause &&
          Holds("program", Condition::kEquals, reader_.layouts, diagnostic.args)) {
        return true;
      }
    }
  }
  return false;
}

// An old build rejects names that it does not know.
void Judge::JudgeBuild() {
  if (build_ == kNoBuild || !file_.needs) return;
  const std::optional<bool> includes = Includes(build_, file_.needs->build);
  if (includes == true) return;
  met_.push_back({LoadStep::kArchitecture,
                  includes ? ReaderEffect::kRejects : ReaderEffect::kUnknown, nullptr,
                  absl::StrCat("needs ", file_.needs->Words())});
}

void Judge::JudgeFindings() {
  for (const auto* findings : {&file_.findings, &file_.off.findings}) {
    for (const Finding& finding : *findings) {
      if (is_translated_ && finding.cause == kForeignLayoutCause) continue;
      met_.push_back(MeetsFinding(finding.diagnostic));
    }
  }
  absl::c_stable_sort(met_, [](const Met& a, const Met& b) {
    const auto begin = [](const Met& met) {
      return met.diagnostic != nullptr ? met.diagnostic->where.begin : 0;
    };
    return begin(a) < begin(b);
  });
}

void Judge::Conclude() {
  LoadStep& last = verdict_.step;
  for (const Met& met : met_) {
    if (Stops(met.effect)) last = std::min(last, met.step);
  }
  std::vector<Diagnostic>& because = verdict_.because;
  for (const Met& met : met_) {
    if (met.step > last || !Worsen(met.effect)) continue;
    if (met.diagnostic == nullptr) {
      if (verdict_.why.empty()) verdict_.why = met.why;
      continue;
    }
    const auto is_it = [&](const Diagnostic& other) {
      return other.rule == met.diagnostic->rule &&
             other.where.begin == met.diagnostic->where.begin &&
             other.subject == met.diagnostic->subject;
    };
    if (because.size() < kReasons && absl::c_none_of(because, is_it)) {
      because.push_back(*met.diagnostic);
    }
  }
}

// Returns the words of a fact that no list of the reader's accepted values has.
std::string Judge::Culprits(const std::string& value, const Rows& rows) const {
  std::vector<absl::string_view> words = absl::StrSplit(value, ", ");
  for (const ReaderEffectRow* row : rows) {
    if (row->is != Condition::kAmong || !IsAbout(row->readers, reader_) ||
        row->effect != ReaderEffect::kAccepts) {
      continue;
    }
    const std::vector<absl::string_view> list = absl::StrSplit(row->value, ", ");
    const auto is_in_list = [&](absl::string_view word) {
      return absl::c_linear_search(list, word);
    };
    words.erase(std::remove_if(words.begin(), words.end(), is_in_list), words.end());
  }
  return absl::StrJoin(words, ", ");
}

void Judge::JudgeFile() {
  for (const auto& [fact, value] : facts_) {
    Rows rows;
    for (const ReaderEffectRow& row : kReaderEffects) {
      const absl::string_view about = row.rule;
      const bool is_model =
          reader_.models != ReaderModels::kNo && !(file_.kind && HasOwnLoader(*file_.kind));
      const bool holds = about == kEveryFile || (about == kEveryModel && is_model);
      if (holds && fact == row.of) rows.push_back(&row);
    }
    if (const ReaderEffectRow* row = Decides(reader_, rows, facts_)) {
      met_.push_back({StepOf(row->rule, reader_, facts_), row->effect, nullptr,
                      absl::StrCat(fact, ": ", Culprits(value, rows))});
    }
  }
}

// A rule that was not checked may hide what the reader rejects.
void Judge::JudgeWhatIsMissing() {
  if (!file_.incomplete.empty() && file_.incomplete != file_.stopped) {
    SayUnknown(file_.incomplete);
  }
  for (const auto* rules : {&file_.not_checked, &file_.off.not_checked}) {
    for (const FileReport::NotChecked& rule : *rules) {
      // If the parser stopped, its finding has been judged.  If the check is
      // incomplete, everything is unknown.  Other kinds of files are not loaded
      // as models.
      if (rule.meaning != Reason::kUnjudged) continue;
      if (is_translated_ && rule.rule->scope == Scope::kModel) continue;
      if (WorstOf(*rule.rule) > ReaderEffect::kUnknown) {
        SayUnknown(absl::StrCat(rule.rule->id, " was not checked"));
      }
    }
  }
  for (const auto* rules : {&file_.more, &file_.off.more}) {
    for (const FileReport::More& more : *rules) {
      if (is_translated_ && more.cause == kForeignLayoutCause) continue;
      if (WorstOf(*more.rule) > ReaderEffect::kUnknown) {
        SayUnknown(absl::StrCat("not all findings of ", more.rule->id, " were kept"));
      }
    }
  }
}

// Returns the step at which a reader of the first shard meets what stops it in
// another one.
LoadStep StepOfShard(const ReaderVerdict& shard) { return std::max(shard.step, LoadStep::kShards); }

// Returns whether what a reader meets in another shard decides, and not what it
// met so far: of two faults that stop it, the earlier one does.
bool ComesFirst(const ReaderVerdict& other, const ReaderVerdict& verdict) {
  if (Stops(verdict.effect) && Stops(other.effect) && StepOfShard(other) != verdict.step) {
    return StepOfShard(other) < verdict.step;
  }
  return other.effect > verdict.effect;
}

}  // namespace

std::vector<ReaderVerdict> JudgeReaders(const FileReport& file, int32_t build) {
  constexpr auto kLlamaCpp = static_cast<size_t>(ReaderId::kLlamaCpp);
  std::vector<ReaderVerdict> verdicts;
  for (const Reader& reader : kReaders) {
    const bool is_it = &reader == &kReaders[kLlamaCpp];
    const bool is_newest = is_it && (build == kNoBuild || Includes(build, NewestBuild()) == true);
    verdicts.push_back(Judge(reader, file, is_it ? build : kNoBuild, is_newest).Run());
  }
  return verdicts;
}

void JudgeSet(std::vector<FileReport>* reports) {
  for (ReaderVerdict& verdict : reports->front().readers) {
    const Reader* const also = FindReader(verdict.reader->also);
    if ((also != nullptr ? also : verdict.reader)->models == ReaderModels::kNo) continue;
    for (size_t i = 1; i < reports->size(); ++i) {
      for (const ReaderVerdict& other : (*reports)[i].readers) {
        if (other.reader != verdict.reader || !ComesFirst(other, verdict)) continue;
        const auto& shard = (*reports)[i].shard;
        verdict.effect = other.effect;
        verdict.step = StepOfShard(other);
        verdict.stage = other.stage;
        verdict.because = other.because;
        verdict.why = absl::StrCat("in shard ", shard ? shard->number : i + 1,
                                   other.why.empty() ? "" : ": ", other.why);
      }
    }
  }
}

const Reader* FindReader(absl::string_view name) {
  const Reader* found =
      absl::c_find_if(kReaders, [&](const Reader& reader) { return name == reader.name; });
  return found == kReaders.end() ? nullptr : found;
}

}  // namespace gguf
