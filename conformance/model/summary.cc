// Gathers the facts of a summary, and lays them out.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/summary.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/numeric/int128.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "conformance/base/text.h"
#include "conformance/base/text_style.h"
#include "conformance/model/context_size.h"
#include "conformance/model/file_name.h"
#include "parser/parse.h"
#include "parser/parse_legacy.h"

namespace gguf {
namespace {

using absl::string_view;

uint64_t Saturated(absl::uint128 number) {
  return number > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(number);
}

// Returns "8,192".
std::string Grouped(uint64_t number) {
  std::string text = absl::StrCat(number);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

// Returns a number in units of a thousand each: "4.92 GB" or "512 bytes".
std::string Scaled(uint64_t number, const std::array<const char*, 4>& units, string_view one) {
  double left = static_cast<double>(number);
  size_t unit = 0;
  for (; left >= 999.5 && unit < units.size(); ++unit) left /= 1000;
  if (unit == 0) return absl::StrCat(number, one);
  return absl::StrFormat("%.*f %s", left < 9.995 ? 2 : left < 99.95 ? 1 : 0, left, units[unit - 1]);
}

std::string SizeText(uint64_t bytes) {
  return Scaled(bytes, {"kB", "MB", "GB", "TB"}, bytes == 1 ? " byte" : " bytes");
}

// A JSON object, and the same in words.
struct Parts {
  Json value = Json::object();
  std::vector<std::string> texts;

  void Add(const std::string& member, Json of_member, std::string text) {
    value[member] = std::move(of_member);
    texts.push_back(std::move(text));
  }
};

class Gatherer {
 public:
  explicit Gatherer(const Model& model) : model_(model), file_(model.file) {}

  std::vector<Fact> Gather() {
    AddFormat();
    if (file_.progress < Progress::kHeader) return std::move(facts_);
    AddString("name", "name", "general.name");
    AddArchitecture();
    AddSizes();
    if (!file_.legacy) AddContext();
    AddTypes();
    file_.legacy ? AddLegacy() : AddTokenizer();
    if (!file_.legacy) AddRope();
    AddTemplates();
    AddString("licence", "licence", "general.license");
    return std::move(facts_);
  }

 private:
  void Add(const char* member, const char* label, Json value, std::string text) {
    facts_.push_back({member, label, std::move(value), std::move(text)});
  }

  std::optional<string_view> StringAt(string_view key) const {
    const KeyValue* kv = model_.FindKey(key);
    return kv == nullptr ? std::nullopt : file_.String(*kv);
  }

  void Add(const char* member, const char* label, Parts parts) {
    if (parts.texts.empty()) return;
    Add(member, label, std::move(parts.value), absl::StrJoin(parts.texts, ", "));
  }

  void AddString(const char* member, const char* label, string_view key) {
    if (const auto text = StringAt(key)) Add(member, label, Told(*text), Escape(*text));
  }

  void AddFormat() {
    uint64_t size = 0;
    const ShardSet* const set = model_.shard_set();
    const size_t read = model_.tensors().files();
    for (size_t i = 0; i < read; ++i) {
      size += std::min(model_.tensors().file(i).size, UINT64_MAX - size);
    }
    const uint64_t version = file_.legacy ? file_.kind.version.value_or(0) : file_.version.value;
    const std::string format = file_.kind.format;
    std::string text = absl::StrCat(format.size() == 4 ? absl::AsciiStrToUpper(format) : format,
                                    version == 0 ? "" : absl::StrCat(" v", version));
    if (file_.progress >= Progress::kHeader && file_.encoding.endian == Endian::kBig) {
      text += ", big endian";
    }
    absl::StrAppend(&text, ", ", SizeText(size));
    if (set != nullptr) absl::StrAppend(&text, " in ", read, " of ", set->count(), " shards");
    const Json shards = set == nullptr ? Json() : Json{{"present", read}, {"count", set->count()}};
    Add("file", "file",
        {{"format", format}, {"version", version}, {"size", size}, {"shards", shards}},
        std::move(text));
    if (file_.stop) {
      Add("incomplete", "read", true, absl::StrCat("in part: ", file_.stop->Why()));
    }
  }

  void AddArchitecture() {
    Parts parts;
    if (file_.legacy) {
      const char* const family = file_.legacy->family->name;
      parts.Add("name", family, family);
      return Add("architecture", "architecture", std::move(parts));
    }
    if (const auto name = StringAt("general.architecture")) {
      parts.Add("name", Told(*name), Escape(*name));
    }
    if (file_.progress >= Progress::kKeys) {
      const GgufKind kind = model_.kind().kind;
      parts.value["kind"] = WordOf(kind);
      if (kind != GgufKind::kLanguageModel) parts.texts.emplace_back(KindWords(kind));
    }
    constexpr std::pair<const char*, Symbol> kNumbers[] = {
        {"blocks", Symbol::kNLayerAll},    {"embedding length", Symbol::kNEmbd},
        {"heads", Symbol::kNHead},         {"KV heads", Symbol::kNHeadKv},
        {"experts", Symbol::kExpertCount}, {"used experts", Symbol::kExpertUsedCount}};
    for (const auto& [label, symbol] : kNumbers) {
      const auto number = model_.hparams().Get(symbol);
      if (!number || *number <= 0) continue;
      const std::string member = absl::StrReplaceAll(absl::AsciiStrToLower(label), {{" ", "_"}});
      parts.Add(member, *number, absl::StrCat(label, " ", Grouped(*number)));
    }
    Add("architecture", "architecture", std::move(parts));
  }

  struct TypeShare {
    uint64_t tensors = 0;
    absl::uint128 parameters = 0, bytes = 0;
  };

  void AddSizes() {
    absl::uint128 parameters = 0, bytes = 0;
    for (uint32_t i = 0; i < model_.tensors().size(); ++i) {
      PollDeadline();
      const TensorInfo& tensor = model_.tensors()[i];
      TypeShare& share = shares_[tensor.TypeName()];
      ++share.tensors;
      share.parameters += ElementCount(tensor).value_or(0);
      share.bytes += tensor.bytes.value_or(0);
      parameters += ElementCount(tensor).value_or(0);
      bytes += tensor.bytes.value_or(0);
    }
    if (parameters == 0) return;
    bytes_ = bytes;
    const double bits = 8 * static_cast<double>(bytes) / static_cast<double>(parameters);
    Add("parameters", "parameters", Saturated(parameters),
        absl::StrFormat(
            "%s (%.2f bits each) in %s",
            Scaled(Saturated(parameters), {"thousand", "million", "billion", "trillion"}, ""), bits,
            Count(model_.tensors().size(), "tensor")));
  }

  void AddTypes() {
    std::vector<std::pair<std::string, TypeShare>> types(shares_.begin(), shares_.end());
    absl::c_stable_sort(
        types, [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
    constexpr size_t kMostTypes = 12;
    Json value = Json::array();
    std::vector<std::string> lines;
    for (const auto& [name, share] : types) {
      const double part =
          bytes_ == 0 ? 0 : static_cast<double>(share.bytes) / static_cast<double>(bytes_);
      value.push_back({{"type", name},
                       {"tensors", share.tensors},
                       {"parameters", Saturated(share.parameters)},
                       {"bytes", Saturated(share.bytes)}});
      lines.push_back(absl::StrFormat("%s %.1f %% (%s, %s)", Escape(name), 100 * part,
                                      Count(share.tensors, "tensor"),
                                      SizeText(Saturated(share.bytes))));
    }
    if (lines.size() > kMostTypes) {
      const size_t more = lines.size() - kMostTypes;
      lines.resize(kMostTypes);
      lines.push_back(absl::StrCat("and ", more, " more"));
    }
    if (!lines.empty()) Add("types", "types", std::move(value), absl::StrJoin(lines, "\n"));
  }

  void AddContext() {
    const Hparams& hparams = model_.hparams();
    const auto length = hparams.Get(Symbol::kNCtxTrain);
    if (!length || *length <= 0) return;
    Add("context_length", "context", *length, absl::StrCat(Grouped(*length), " tokens"));
    const auto size = WhyNoModel(model_.kind()).empty() ? ContextSizeOf(hparams) : std::nullopt;
    if (!size) return;
    const uint64_t state = size->recurrent_state;
    Add("memory", "KV cache", {{"kv_cache", size->kv_cache}, {"recurrent_state", state}},
        absl::StrCat(size->kv_cache == 0 ? "none" : SizeText(size->kv_cache) + " in F16",
                     state == 0 ? "" : absl::StrCat(", and a state of ", SizeText(state))));
  }

  // The families of legacy formats name their numbers themselves.
  void AddLegacy() {
    const LegacyHeader& legacy = *file_.legacy;
    Parts parts;
    for (size_t i = 0; i < legacy.hparams.size(); ++i) {
      const HyperParameter& hparam = legacy.family->hparams[i];
      const uint32_t value = legacy.hparams[i].value;
      if (hparam.kind == HyperParameter::kFloat) continue;
      parts.Add(hparam.name, value, absl::StrCat(hparam.name, " ", Grouped(value)));
    }
    Add("hyperparameters", "header", std::move(parts));
  }

  void AddTokenizer() {
    const auto name = StringAt("tokenizer.ggml.model");
    const Vocabulary& vocabulary = model_.vocabulary();
    if (!name && vocabulary.size() == 0) return;
    const auto pre = StringAt("tokenizer.ggml.pre");
    Json value = {{"model", name ? Json(Told(*name)) : Json()},
                  {"pre", pre ? Json(Told(*pre)) : Json()},
                  {"tokens", vocabulary.size()}};
    std::string text =
        absl::StrCat(name ? Escape(*name) : "no model", pre ? ", " : "", pre ? Escape(*pre) : "",
                     ", ", Grouped(vocabulary.size()), " tokens");
    Json special = Json::array();
    constexpr string_view kPrefix = "tokenizer.ggml.", kEnd = "_token_id";
    constexpr size_t kMostSpecial = 24;
    for (const KeyValue& kv : file_.keys) {
      string_view role = kv.key.value;
      if (!absl::ConsumePrefix(&role, kPrefix) || !absl::ConsumeSuffix(&role, kEnd)) continue;
      const auto id = IntegerOf(file_, kv);
      if (!id || special.size() == kMostSpecial) continue;
      const bool exists = *id >= 0 && static_cast<uint64_t>(*id) < vocabulary.size();
      const string_view token = exists ? vocabulary.tokens()[*id] : "";
      special.push_back(
          {{"role", Told(role)}, {"id", *id}, {"text", exists ? Json(Told(token)) : Json()}});
      absl::StrAppend(&text, "\n", Escape(role), " ", *id, " ",
                      exists ? Quote(token, 40) : "(no such token)");
    }
    value["special"] = std::move(special);
    Add("tokenizer", "tokenizer", std::move(value), std::move(text));
  }

  void AddRope() {
    const Hparams& hparams = model_.hparams();
    Parts parts;
    const auto add_float = [&](const char* member, Symbol symbol) {
      const KeyValue* const kv = hparams.Key(symbol);
      const auto number = kv == nullptr ? std::nullopt : FloatOf(file_, *kv);
      if (number) parts.Add(member, *number, absl::StrFormat("%s %.7g", member, *number));
    };
    add_float("base", Symbol::kRopeFreqBase);
    if (const auto scaling = hparams.Text(Symbol::kRopeScalingType)) {
      parts.Add("scaling", Told(*scaling), absl::StrCat("scaling ", Escape(*scaling)));
    }
    add_float("factor", Symbol::kRopeScalingFactor);
    const auto dims = hparams.Get(Symbol::kRopeDimensionCount);
    const bool is_stated = hparams.Key(Symbol::kRopeDimensionCount) != nullptr;
    if (dims && *dims > 0 && (is_stated || !parts.texts.empty())) {
      parts.Add("dimensions", *dims, absl::StrCat(Grouped(*dims), " dimensions"));
    }
    Add("rope", "rope", std::move(parts));
  }

  void AddTemplates() {
    constexpr size_t kMostLines = 5, kMostNamed = 16, kLongestLine = 160;
    Json value = Json::array();
    std::vector<std::string> lines;
    for (const Template& each : model_.templates()) {
      if (value.size() == kMostNamed) break;
      std::vector<std::string> first;
      string_view rest = each.text;
      while (first.size() < kMostLines && !rest.empty()) {
        const string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        const string_view shown = line.substr(0, kLongestLine);
        first.push_back(Told(shown.substr(0, ValidUtf8Prefix(shown))));
      }
      value.push_back(
          {{"name", Told(each.name)}, {"bytes", each.text.size()}, {"first_lines", first}});
      const std::string name = each.name.empty() ? "" : absl::StrCat(Escape(each.name), ": ");
      const size_t breaks = absl::c_count(each.text, '\n');
      lines.push_back(
          absl::StrCat(name, Count(breaks + 1, "line"), ", ", SizeText(each.text.size())));
      for (const std::string& line : first) {
        if (each.name.empty()) lines.push_back(absl::StrCat("| ", Visible(line)));
      }
    }
    if (!lines.empty()) Add("templates", "template", std::move(value), absl::StrJoin(lines, "\n"));
  }

  const Model& model_;
  const File& file_;
  std::vector<Fact> facts_;
  std::map<std::string, TypeShare> shares_;  // By the name of the type.
  absl::uint128 bytes_ = 0;
};

// Lays text out in lines of at most `width` columns.
std::vector<std::string> Lines(string_view text, size_t width) {
  std::vector<std::string> lines;
  for (const string_view line : absl::StrSplit(text, '\n')) {
    for (string_view part : absl::StrSplit(Wrap(line, width, 2), '\n')) {
      do {  // What has no space is cut.
        size_t at = 0, columns = 0;
        for (; at < part.size() && columns < width; ++columns) NextCodePoint(part, &at);
        lines.emplace_back(part.substr(0, at));
        part.remove_prefix(at);
      } while (!part.empty());
    }
  }
  return lines;
}

size_t Columns(string_view text) {
  size_t columns = 0;
  for (size_t at = 0; at < text.size(); ++columns) NextCodePoint(text, &at);
  return columns;
}

std::string TextOf(const NamedSummary& model, string_view member) {
  const auto fact = absl::c_find_if(model.facts, [&](const Fact& f) { return f.member == member; });
  return fact == model.facts.end() ? "-" : fact->text;
}

// Returns the lines of a row: a label and cells beside it.
std::string RowText(string_view label, const std::vector<std::string>& cells, size_t label_width,
                    size_t width) {
  std::vector<std::vector<std::string>> columns;
  size_t height = 0;
  for (const std::string& cell : cells) {
    columns.push_back(Lines(cell, width));
    height = std::max(height, columns.back().size());
  }
  std::string out;
  for (size_t i = 0; i < height; ++i) {
    std::string line(i == 0 ? label : "");
    line.resize(label_width, ' ');
    for (size_t c = 0; c < columns.size(); ++c) {
      const std::string cell = i < columns[c].size() ? columns[c][i] : "";
      absl::StrAppend(&line, c == 0 ? "" : "  ", cell, std::string(width - Columns(cell), ' '));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&out, line, "\n");
  }
  return out;
}

}  // namespace

std::optional<Stop> ModelFiles::Add(const Source& source, const Limits& limits) {
  Diagnostics found(1);
  models_.emplace_back(Parse(source, limits, &found), limits);
  return models_.back().file.stop;
}

const Model* ModelFiles::Whole() {
  std::vector<ShardSet::Shard> shards;
  bool is_split = false;
  for (Model& model : models_) {
    const auto name = ParseShardName(model.file.name);
    if (!name || !name->is_of_set()) break;
    shards.push_back({model.file.name, *name, &model});
    is_split |= model.hparams().may_be_shard();
  }
  if (is_split && shards.size() == models_.size()) set_.emplace(std::move(shards));
  return models_.empty() ? nullptr : &models_.front().whole();
}

std::vector<Fact> SummaryOf(const Model& model) { return Gatherer(model).Gather(); }

std::string Told(string_view text) {
  return IsValidUtf8(text) ? std::string(text) : Escape(text, text.size());
}

void VisitTokens(const Model& model,
                 const std::function<void(string_view text, std::optional<int32_t> type)>& each) {
  if (model.file.legacy && model.file.progress >= Progress::kKeys) {
    ForEachToken(model.file, [&](string_view text, uint32_t) { each(text, std::nullopt); });
  }
  if (model.file.legacy) return;
  const Vocabulary& vocabulary = model.vocabulary();
  for (uint64_t id = 0; id < vocabulary.size(); ++id) {
    const bool is_typed = id < vocabulary.type_count();
    each(vocabulary.tokens()[id],
         is_typed ? std::optional(vocabulary.type_number(id)) : std::nullopt);
  }
}

std::string SummaryText(const std::vector<NamedSummary>& models, size_t width) {
  constexpr size_t kLabel = 15, kNarrowest = 20;
  const size_t room = std::max(width, kLabel + kNarrowest) - kLabel;
  const size_t most = (room + 2) / (kNarrowest + 2);
  std::string out;
  for (size_t begin = 0; begin < models.size(); begin += most) {
    const auto some = absl::MakeConstSpan(models).subspan(begin, most);
    const size_t column = (room + 2) / some.size() - 2;
    std::vector<std::string> names;
    std::vector<const Fact*> rows;  // The first fact of each member.
    for (const NamedSummary& model : some) {
      // The folders would fill a narrow column.
      names.push_back(some.size() == 1 ? model.name : model.name.substr(model.name.rfind('/') + 1));
      for (const Fact& fact : model.facts) {
        const auto is_same = [&](const Fact* row) {
          return string_view(row->member) == fact.member;
        };
        if (absl::c_none_of(rows, is_same)) rows.push_back(&fact);
      }
    }
    absl::StrAppend(&out, begin == 0 ? "" : "\n", RowText("", names, kLabel, column));
    for (const Fact* row : rows) {
      std::vector<std::string> cells;
      for (const NamedSummary& model : some) cells.push_back(TextOf(model, row->member));
      const bool differs = std::set<std::string>(cells.begin(), cells.end()).size() > 1;
      absl::StrAppend(
          &out, RowText(absl::StrCat(differs ? "* " : "  ", row->label), cells, kLabel, column));
    }
  }
  return out;
}

Json SummaryJson(const NamedSummary& model) {
  Json json = {{"path", model.name}};
  Json lines = Json::array();
  for (const Fact& fact : model.facts) {
    json[fact.member] = fact.value;
    lines.push_back({{"label", fact.label}, {"text", fact.text}});
  }
  json["shown"] = std::move(lines);
  return json;
}

}  // namespace gguf
