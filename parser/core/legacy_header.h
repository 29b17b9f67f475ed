// LegacyHeader: the header of a legacy (pre-GGUF) file, in place of metadata.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_LEGACY_HEADER_H_
#define GGUF_PARSER_CORE_LEGACY_HEADER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "parser/core/bytes.h"
#include "parser/core/legacy_family.h"
#include "parser/core/tensor_type.h"

namespace gguf {

struct LegacyHeader {
  const LegacyFamily* family = nullptr;

  // Other families that fit the whole file: an unversioned GGML file does not
  // identify its family.
  std::vector<const LegacyFamily*> also;

  // In the order of the family, as bits.  Complete from Progress::kHeader on;
  // the rest of the header is complete from Progress::kKeys on.
  std::vector<Field<uint32_t>> hparams;

  std::optional<Field<uint32_t>> n_mel, n_fft;  // Size of the mel filters.

  // The vocabulary: the number of tokens, whether each is followed by a score,
  // and the bytes.
  Field<uint32_t> tokens;
  bool scored = false;
  Range vocabulary;

  TypeScheme scheme = TypeScheme::kGguf;  // Of the tensors' types.

  // Returns the ftype or data type; null if the family has none, or it was not
  // read.
  const Field<uint32_t>* FindFtype() const {
    const Field<uint32_t>* ftype = Find("ftype");
    return ftype != nullptr ? ftype : Find("data_type");
  }

  // Returns a hyper-parameter; null if the family does not have it, or it was
  // not read.
  const Field<uint32_t>* Find(absl::string_view name) const {
    const size_t i = family->IndexOf(name);
    return i < hparams.size() ? &hparams[i] : nullptr;
  }
};

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_LEGACY_HEADER_H_
