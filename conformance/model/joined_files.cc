// Parses what follows the data, and counts the characters that conversions leave.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/joined_files.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "conformance/base/limits.h"
#include "parser/diagnostic.h"
#include "parser/parse.h"

namespace gguf {
namespace {

// What the header of a later shard takes, if the file is not in memory.
constexpr uint64_t kMostRead = 16 << 20;

// Returns the part of a file from `begin` on, as a file of its own.
Source PartOf(const File& file, uint64_t begin, std::string* buffer) {
  const uint64_t end = file.bytes.size() == file.size ? file.size : begin + kMostRead;
  const Bytes bytes = file.Read({begin, std::min(end, file.size)}, buffer);
  return Source(bytes, file.size - begin, "");
}

bool IsShard(const Model& model) {
  return model.FindKey("split.count") != nullptr && model.FindKey("split.no") != nullptr;
}

uint64_t CountOf(absl::string_view text, absl::string_view what) {
  uint64_t count = 0;
  for (size_t at = text.find(what); at != absl::string_view::npos;
       at = text.find(what, at + what.size())) {
    ++count;
  }
  return count;
}

// Returns whether the file is not as its tables say.
bool IsBroken(const Model& model) {
  const File& file = model.file;
  if (file.legacy || !file.kind.is_gguf) return false;
  if (file.stop) return file.stop->kind == Stop::kDamage;
  if (!file.alignment_known) return true;
  const auto end = PaddedDataEnd(model);
  return !end || *end < file.size;
}

}  // namespace

std::optional<uint64_t> PaddedDataEnd(const Model& model) {
  const File& file = model.file;
  if (file.progress < Progress::kTensors || !file.alignment_known || file.legacy) {
    return std::nullopt;
  }
  const auto end = model.placement().data_end;
  if (!end || *end < file.data_begin) return std::nullopt;
  const auto size = CheckedAlignUp(*end - file.data_begin, file.alignment);
  return size ? CheckedAdd(file.data_begin, *size) : std::nullopt;
}

std::optional<uint64_t> CountJoinedShards(const Model& model) {
  constexpr uint64_t kMostShards = 1000;
  const File& file = model.file;
  auto end = PaddedDataEnd(model);
  if (!end || *end >= file.size || !IsShard(model)) return std::nullopt;
  uint64_t count = 1;
  uint64_t begin = 0;  // Of the last shard.
  std::string buffer;
  while (end && *end < file.size - begin && count < kMostShards) {
    PollDeadline();
    begin += *end;
    Diagnostics ignored(0);
    const Model next(Parse(PartOf(file, begin, &buffer), Limits(), &ignored));
    if (!IsShard(next)) break;
    ++count;
    end = PaddedDataEnd(next);
  }
  return count > 1 ? std::optional<uint64_t>(count) : std::nullopt;
}

TextConversion FindTextConversion(const Model& model) {
  constexpr uint64_t kMostRead = 256 << 10;
  constexpr uint64_t kFewest = 8;  // One alone may be a chance.
  if (!IsBroken(model)) return TextConversion::kNone;
  const File& file = model.file;
  std::string buffer;
  const uint64_t begin = file.size - std::min(file.size, kMostRead);
  const absl::string_view text = AsText(file.Read({begin, file.size}, &buffer));
  const uint64_t lines = CountOf(text, "\n");
  if (lines >= kFewest && CountOf(text, "\r\n") == lines) return TextConversion::kLineEnds;
  const uint64_t replacements = CountOf(text, "\xef\xbf\xbd");
  // Half of the bytes of binary data are no ASCII.
  if (replacements >= kFewest && 3 * replacements >= text.size() / 8) {
    return TextConversion::kReplacements;
  }
  return TextConversion::kNone;
}

}  // namespace gguf
