// Evidence for a case that did not pass, and commands that reproduce it.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "conformance/base/text.h"
#include "conformance/readers/run/cases.h"
#include "conformance/readers/run/runner.h"
#include "corpus/export/collection.h"
#include "corpus/language/assemble.h"
#include "corpus/language/contents.h"

namespace gguf::readers {
namespace {

constexpr size_t kMostMarks = 16;

// Returns the findings of the default profile that have a place in the file.
std::vector<Mark> FindingsOf(const corpus::Case& a_case) {
  std::vector<Mark> marks;
  for (const corpus::Expectation& expectation : a_case.expectations) {
    if (expectation.profile != "upload") continue;
    for (const corpus::ExpectedFinding& finding : expectation.findings) {
      const bool has_place = finding.offset > 0 || finding.length > 0;
      if (!has_place || marks.size() == kMostMarks) continue;
      marks.push_back({finding.offset, finding.length, finding.rule});
    }
  }
  return marks;
}

// Returns the bytes of the entry that a reader misread, if they are known.
std::vector<Mark> MisreadBytes(const corpus::Case& a_case, const Difference& difference) {
  const auto contents = corpus::ContentsOf(a_case.document);
  if (!contents.ok()) return {};
  for (const corpus::Contents::Key& key : contents->keys) {
    if (difference.level == LevelName(2) && key.key == difference.entry) {
      return {{key.begin, key.end - key.begin, difference.path}};
    }
  }
  for (const corpus::Contents::Info& tensor : contents->tensors) {
    if (tensor.name != difference.entry) continue;
    if (difference.level == LevelName(3)) {
      return {{tensor.begin, tensor.end - tensor.begin, difference.path}};
    }
    const auto data = contents->DataOf(tensor);
    if (difference.level == LevelName(2) || !data) continue;
    return {{contents->data_begin + tensor.offset, data->size(), difference.path}};
  }
  return {};
}

// Returns the first byte in which the file differs from that of its base.
std::vector<Mark> FirstChange(const corpus::Case& a_case, const corpus::Image& image,
                              const std::string& cases) {
  if (a_case.base.empty()) return {};
  const auto base = corpus::LoadCase(cases, a_case.base);
  if (!base.ok()) return {};
  const auto other = corpus::Assemble(base->document);
  if (!other.ok()) return {};
  constexpr uint64_t kSearched = 1 << 20;
  const std::string a = image.Part(0, kSearched).ToString();
  const std::string b = other->Part(0, kSearched).ToString();
  const auto [at, unused] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (at == a.end()) return {};
  return {{static_cast<uint64_t>(at - a.begin()), 1, absl::StrCat("differs from ", a_case.base)}};
}

// Returns the bytes that matter for a result, if any are known.
std::vector<Mark> MarksOf(const corpus::Case& a_case, const corpus::Image& image,
                          const std::string& cases, const CaseRecord& record) {
  std::vector<Mark> marks;
  if (record.difference && !record.difference->entry.empty()) {
    marks = MisreadBytes(a_case, *record.difference);
  }
  if (marks.empty()) marks = FindingsOf(a_case);
  if (marks.empty()) marks = FirstChange(a_case, image, cases);
  return marks;
}

std::string TemporaryName(const corpus::Case& a_case) {
  return absl::StrCat("/tmp/", FileNameOf(a_case));
}

std::string AssembleCommand(const std::string& cases, absl::string_view id, const std::string& to) {
  return ShellLine({"ggufcheck", "corpus", "assemble", corpus::CasePath(cases, id), "-o", to});
}

// Returns a shell command that lets the reader read the case again, without a
// runner.  `cases` is the folder of the cases.
std::string ReproCommand(const Reader& reader, const std::string& cases,
                         const corpus::Case& a_case) {
  const std::string path = TemporaryName(a_case);
  std::string line = AssembleCommand(cases, a_case.id, path);
  for (const std::string& id : a_case.set) {
    const auto shard = corpus::LoadCase(cases, id);
    if (!shard.ok()) continue;  // The case could not be written, either.
    absl::StrAppend(&line, " && ", AssembleCommand(cases, id, TemporaryName(*shard)));
  }
  std::vector<std::string> command;
  if (!reader.environment.empty()) command.push_back("env");
  for (const auto& [name, value] : reader.environment) {
    command.push_back(absl::StrCat(name, "=", value));
  }
  for (const std::string& word : reader.command) {
    command.push_back(absl::StrReplaceAll(word, {{kPathMark, path}}));
  }
  absl::StrAppend(&line, " && ");
  if (!reader.folder.empty()) {
    absl::StrAppend(&line, ShellLine({"cd", reader.folder}), " && ");
  }
  if (!reader.bare()) {
    absl::StrAppend(&line, ShellLine({"printf", "%s\\n", path}), " | ");
  }
  absl::StrAppend(&line, ShellLine(command));
  return line;
}

}  // namespace

std::string HexDump(absl::string_view bytes, uint64_t offset) {
  constexpr size_t kRow = 16;
  std::string dump;
  for (size_t begin = 0; begin < bytes.size(); begin += kRow) {
    const absl::string_view row = bytes.substr(begin, kRow);
    std::string hex, ascii;
    for (const char byte : row) {
      absl::StrAppendFormat(&hex, " %02x", static_cast<unsigned char>(byte));
      ascii += absl::ascii_isprint(byte) ? byte : '.';
    }
    absl::StrAppendFormat(&dump, "%08x %-48s  %s\n", offset + begin, hex, ascii);
  }
  return dump;
}

std::string RunCommand(const Reader& reader, const std::string& cases, const corpus::Case& a_case) {
  std::vector<std::string> words = {"ggufcheck", "readers", "run"};
  const auto add = [&](const char* flag, const std::string& value) {
    words.push_back(flag);
    words.push_back(value);
  };
  if (reader.listed) {
    add("--reader", reader.name);
  } else {
    add("--cmd", ShellLine(PortableCommand(reader)));
    if (reader.sanitizer != "none") add("--sanitizer", reader.sanitizer);
    const Reader defaults;
    if (reader.accept_exit != defaults.accept_exit) {
      add("--accept-exit", absl::StrJoin(reader.accept_exit, ","));
    }
    if (reader.reject_exit != defaults.reject_exit) {
      add("--reject-exit", absl::StrJoin(reader.reject_exit, ","));
    }
  }
  if (!cases.empty()) add("--cases", PortablePath(cases));
  words.push_back(a_case.id);
  return ShellLine(words);
}

void AddEvidence(const corpus::Case& a_case, const std::string& cases, absl::string_view text,
                 const corpus::Image& image, std::string repro, CaseRecord* record) {
  record->why = a_case.why;
  record->text = std::string(text);
  record->marks = MarksOf(a_case, image, cases, *record);
  record->size = image.size();
  record->repro = std::move(repro);
  // A quarter of the shown bytes precedes the first mark, which may be at or
  // after the end of the file.
  if (!record->marks.empty()) {
    const uint64_t mark = std::min(record->marks[0].offset, image.size());
    const uint64_t begin = mark - std::min<uint64_t>(mark, kMostHex / 4);
    record->hex_offset = begin / 16 * 16;
  }
  record->hex = absl::BytesToHexString(
      image.Part(record->hex_offset, record->hex_offset + kMostHex).ToString());
}

absl::StatusOr<std::string> Repro(const Reader& reader, const std::string& cases,
                                  const std::string& id) {
  const absl::StatusOr<corpus::Case> a_case = corpus::LoadCase(cases, id);
  if (!a_case.ok()) return a_case.status();
  const auto text = corpus::FolderLoader(cases)(id);
  if (!text.ok()) return text.status();
  const auto image = corpus::Assemble(a_case->document);
  if (!image.ok()) return image.status();
  CaseRecord record;
  AddEvidence(*a_case, cases, *text, *image, ReproCommand(reader, cases, *a_case), &record);

  std::string out =
      absl::StrCat(id, ": ", a_case->title, "\nverdict: ", corpus::VerdictName(a_case->verdict),
                   ", level: ", a_case->level, "\n\n", record.repro, "\n\n");
  for (const Mark& mark : record.marks) {
    absl::StrAppendFormat(&out, "0x%x+%d  %s\n", mark.offset, mark.length, mark.rule);
  }
  absl::StrAppend(&out, record.size, " bytes:\n",
                  HexDump(BytesFromHex(record.hex).value_or(""), record.hex_offset), "\n",
                  record.text);
  return out;
}

}  // namespace gguf::readers
