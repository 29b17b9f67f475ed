// Chooses among the possible readings of a legacy file.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/legacy/parse_legacy.h"

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "parser/core/cursor.h"
#include "parser/core/deadline.h"
#include "parser/core/legacy_format.h"
#include "parser/legacy/reading.h"

namespace gguf {
namespace {

// Measures how implausible a reading is: the number of hyper-parameters that no
// model has, or that were not read.
size_t Doubts(const File& file) {
  const LegacyHeader& header = *file.legacy;
  size_t doubts = header.family->hparams.size() - header.hparams.size();
  for (size_t i = 0; i < header.hparams.size(); ++i) {
    doubts += !header.family->hparams[i].IsPlausible(header.hparams[i].value);
  }
  return doubts;
}

std::vector<Reading> ReadingsOf(const FileKind& kind) {
  const uint32_t alignment = kind.legacy->alignment;
  std::vector<Reading> readings;
  for (const LegacyFamily& family : kind.legacy->families) {
    readings.push_back({&family, alignment});
  }
  // Files written without padding.
  if (alignment != 1) readings.push_back({readings[0].family, 1});
  return readings;
}

// Returns why the file is identified as this family.
std::string WhyThisFamily(const File& file) {
  const LegacyHeader& header = *file.legacy;
  if (file.version.value != 0) return "judging by its magic and version";
  return file.stop ? "judging by its hyperparameters, although it cannot be read to its end"
                   : absl::StrCat("judging by its hyperparameters and because all of ", "it, with ",
                                  header.tokens.value, " tokens and ", file.tensors.size(),
                                  " tensors, can be read so");
}

}  // namespace

File ParseLegacy(const FileKind& kind, const Source& source, const Limits& limits,
                 Diagnostics* found) {
  const Deadline deadline(limits.seconds);
  const std::vector<Reading> readings = ReadingsOf(kind);
  const auto read = [&](const Reading& reading, Diagnostics* out) {
    return ReadAs(reading, kind, source, limits, deadline, out);
  };
  // The smallest is the best.
  const auto rank = [&](const File& file) {
    return std::make_tuple(file.stop.has_value(), Doubts(file), source.size - file.infos_end);
  };
  std::optional<File> best;
  const Reading* best_reading = nullptr;
  // The values compared: whether the reading stopped, and its implausibility.
  std::vector<std::pair<const LegacyFamily*, std::pair<bool, size_t>>> tried;
  for (const Reading& reading : readings) {
    Diagnostics unused(0);
    File file = read(reading, &unused);
    const std::pair<bool, size_t> trust(file.stop.has_value(), Doubts(file));
    tried.emplace_back(reading.family, trust);
    if (best && rank(file) >= rank(*best)) continue;
    best = std::move(file);
    best_reading = &reading;
    // Only GGML files have an ambiguous family.
    if (!best->stop && best->kind.version) break;
  }
  const std::pair<bool, size_t> trust(best->stop.has_value(), Doubts(*best));
  // A file that was read completely has no diagnostics.
  if (best->stop) best = read(*best_reading, found);
  for (const auto& [family, its_trust] : tried) {
    if (family == best_reading->family || its_trust > trust) continue;
    best->legacy->also.push_back(family);
  }
  return *std::move(best);
}

void ForEachToken(const File& file,
                  const std::function<void(absl::string_view text, uint32_t score)>& each) {
  const LegacyHeader& header = *file.legacy;
  if (header.vocabulary.size() == 0) return;
  Cursor cursor(file.source(), header.vocabulary);
  cursor.set_encoding(file.encoding);
  for (uint32_t i = 0; i < header.tokens.value; ++i) {
    Field<absl::string_view> text;
    Field<uint32_t> score;
    if (!cursor.ReadString("", &text) || (header.scored && !cursor.ReadU32("", &score))) {
      return;  // The bytes have changed.
    }
    each(text.value, score.value);
  }
}

std::string AboutLegacy(const File& file) {
  if (file.progress < Progress::kKeys && !file.legacy->also.empty()) {
    return "a model of one of the families of GGML; the part that could be read does not tell "
           "which";
  }
  const LegacyFamily& family = *file.legacy->family;
  return absl::StrCat("a model of the family ", family.name, ", ", WhyThisFamily(file),
                      ". Still read by: ", family.support.readers, ". ", family.support.advice);
}

}  // namespace gguf
