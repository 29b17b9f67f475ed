// Finds what happened to a file on its way: it was never filled, begins again, was joined with
// others or converted.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/base/text.h"
#include "conformance/model/joined_files.h"
#include "conformance/rules/causes/causes.h"

namespace gguf {

std::optional<std::string> FindDamageInTransport(const Model& model) {
  const FileKind& kind = model.file.kind;
  if (kind.damage == Damage::kInTransport) {
    return absl::StrCat("The file is not the model: it is ", kind.what, ".");
  }
  switch (FindTextConversion(model)) {
    case TextConversion::kNone:
      return std::nullopt;
    case TextConversion::kLineEnds:
      return "The file was damaged in transport: its line feeds became carriage returns with line "
             "feeds, as in a text.";
    case TextConversion::kReplacements:
      return "The file was damaged in transport: its bytes that are no UTF-8 became U+FFFD, as in "
             "a text.";
  }
  return std::nullopt;
}

std::optional<std::string> FindSecondBeginning(const Model& model) {
  const auto offset = model.data_faults().second_header;
  if (!offset) return std::nullopt;
  return absl::StrCat("The file begins again at ", *offset,
                      ": a download that was to be resumed started over.");
}

std::optional<std::string> FindJoinedShards(const Model& model) {
  const auto count = CountJoinedShards(model);
  if (!count) return std::nullopt;
  return absl::StrCat("The file is ", *count,
                      " shards joined; readers take the shards as they are, or what gguf-split "
                      "--merge makes of them.");
}

std::optional<std::string> FindNeverFilled(const Model& model) {
  const File& file = model.file;
  if (file.kind.damage == Damage::kNeverFilled) {
    return "The file was never filled: it begins with zeros.";
  }
  const EmptyPlaces& empty = model.data_faults().unfilled;
  if (empty.count == 0) return std::nullopt;
  return absl::StrCat("The file was never filled: ", empty.bytes, " of ",
                      Count(file.size - file.data_begin, "byte"), " of its data are zero.");
}

}  // namespace gguf
