// Writes the report as JSON.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "conformance/base/json.h"
#include "conformance/base/project.h"
#include "conformance/base/text.h"
#include "conformance/readers/report/matrix.h"
#include "conformance/readers/report/reports.h"

namespace gguf::readers {
namespace {

// Sets a text, unless it is empty.
void SetText(const char* name, const std::string& text, Json* json) {
  if (!text.empty()) (*json)[name] = text;
}

Json ScoreJson(const Score& score) { return {{"passed", score.passed}, {"judged", score.judged}}; }

Json ColumnJson(const Column& column) {
  const RunHeader& header = column.run->header;
  const ReaderInfo& reader = header.reader;
  Json json = {{"label", column.run->label},
               {"name", reader.name},
               {"version", reader.version},
               {"date", header.date},
               {"command", reader.command},
               {"caps", reader.caps},
               {"quirks", reader.quirks},
               {"mode", reader.mode},
               {"sanitizer", reader.sanitizer},
               {"suite",
                {{"version", header.corpus.version},
                 {"sha256", header.corpus.sha256},
                 {"tool", absl::StrCat(header.tool.name, " ", header.tool.version)}}},
               {"level", header.level},
               {"selectors", header.selectors},
               {"shards", header.shard.count},
               {"seconds", column.run->seconds},
               {"problems", column.run->problems},
               {"score", ScoreJson(column.score)}};
  Json& levels = json["levels"] = Json::array();
  for (size_t i = 0; i < kLevels; ++i) {
    levels.push_back({{"level", LevelName(i)},
                      {"about", LevelTitle(i)},
                      {"passed", column.levels[i].passed},
                      {"tested", column.levels[i].judged},
                      {"not_tested", column.run->cases.size() - column.levels[i].judged}});
  }
  Json& sections = json["sections"] = Json::object();
  for (const auto& [section, score] : column.sections) {
    sections[section] = ScoreJson(score);
  }
  Json& results = json["results"] = Json::object();
  for (const auto& [result, count] : column.results) {
    results[InfoOf(result).name] = count;
  }
  json["unsafe"] = column.unsafe;
  return json;
}

// Returns a letter for each level: p for pass, f for fail, - for not tested.
std::string LevelLetters(const CaseRecord& cell) {
  std::string letters;
  for (const LevelState state : cell.levels) {
    letters += state == LevelState::kNotTested ? '-' : *JsonName(state);
  }
  return letters;
}

// Returns the result of one reader for one case.
Json CellJson(const CaseRecord* cell) {
  if (cell == nullptr) return nullptr;
  Json json = {{"result", InfoOf(cell->result).name},
               {"outcome", cell->outcome},
               {"levels", LevelLetters(*cell)}};
  if (cell->result != CaseResult::kPass) {
    json["did"] = WhatItDid(*cell);
    SetText("should", WhatItShould(*cell), &json);
  }
  if (cell->difference) {
    json["difference"] = RecordWriter::Write(*cell->difference);
  }
  if (cell->rejection) {
    json["reject"] = RecordWriter::Write(*cell->rejection);
  }
  SetText("stderr", cell->stderr_tail, &json);
  json["seconds"] = cell->seconds;
  json["peak_kib"] = cell->peak_kib;
  if (cell->known) json["known"] = *cell->known;
  SetText("repro", cell->repro, &json);
  return json;
}

// Shortens a text at a character boundary.
std::string Beginning(const std::string& text, size_t most) {
  if (text.size() <= most) return text;
  const size_t size = ValidUtf8Prefix(absl::string_view(text).substr(0, most));
  return absl::StrCat(text.substr(0, size), "\n... (", text.size(), " bytes)\n");
}

// The part of the record's bytes to show.
struct Window {
  size_t skipped = 0;
  size_t size = 0;
};

// Chooses at most `most` bytes, from a hexdump line before the first mark on.
Window FindWindow(const CaseRecord& record, size_t most) {
  constexpr size_t kLine = 16;
  const size_t size = record.hex.size() / 2;
  if (size <= most) return {0, size};
  size_t first = 0;
  if (!record.marks.empty() && record.marks[0].offset > record.hex_offset) {
    first = std::min<uint64_t>(record.marks[0].offset - record.hex_offset, size);
  }
  const size_t line = first / kLine * kLine;
  const size_t skipped = std::min(line - std::min(line, 2 * kLine), size - most);
  return {skipped, most};
}

Json RowJson(const MatrixRow& row, const JsonStyle& style) {
  const CaseRecord& about = *row.about;
  Json json = {{"case", about.id},     {"section", about.section},
               {"title", about.title}, {"verdict", about.verdict},
               {"level", about.level}, {"importance", about.importance},
               {"flags", about.flags}, {"expected", about.expected}};
  SetText("why", about.why, &json);
  SetText("text", Beginning(about.text, style.most_text), &json);
  if (!about.hex.empty()) {
    const Window window = FindWindow(about, style.most_bytes);
    json["hex"] = about.hex.substr(2 * window.skipped, 2 * window.size);
    json["hex_offset"] = about.hex_offset + window.skipped;
    json["size"] = about.size;
    Json& marks = json["marks"] = Json::array();
    for (const Mark& mark : about.marks) {
      marks.push_back(RecordWriter::Write(mark));
    }
  }
  Json& cells = json["readers"] = Json::array();
  for (const CaseRecord* cell : row.cells) cells.push_back(CellJson(cell));
  return json;
}

Json GroupJson(const MatrixGroup& group, const Matrix& matrix) {
  Json json = {{"section", group.section},
               {"importance", group.importance},
               {"readers", Json::array()},
               {"cases", Json::array()}};
  for (const CaseRecord* cell : group.cells) {
    json["readers"].push_back({{"result", CellResult(cell)}, {"outcome", CellOutcome(cell)}});
  }
  for (const size_t row : group.rows) {
    json["cases"].push_back(matrix.rows[row].about->id);
  }
  return json;
}

}  // namespace

std::string JsonReport(const Matrix& matrix, const JsonStyle& style) {
  Json json = {{"schema", "ggufcheck/readers-report/1"},
               {"tool", {{"name", "ggufcheck"}, {"version", kToolVersion}}},
               {"complete", matrix.problems.empty()},
               {"problems", matrix.problems},
               {"readers", Json::array()},
               {"flags", Json::array()},
               {"groups", Json::array()},
               {"cases", Json::array()}};
  for (const Column& column : matrix.columns) {
    json["readers"].push_back(ColumnJson(column));
  }
  for (const FlagRow& flag : matrix.flags) {
    json["flags"].push_back({{"flag", flag.flag}, {"readers", flag.outcomes}});
  }
  for (const MatrixGroup& group : matrix.groups) {
    json["groups"].push_back(GroupJson(group, matrix));
  }
  for (const MatrixRow& row : matrix.rows) {
    json["cases"].push_back(RowJson(row, style));
  }
  return JsonText(json, style.indent) + "\n";
}

}  // namespace gguf::readers
