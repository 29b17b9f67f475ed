// LegacyHeader: what GGUF's ancestors have in place of metadata.
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

  // Other families that the whole file could as well be of: of an unversioned
  // GGML file, nothing tells for sure.
  std::vector<const LegacyFamily*> also;

  // As the family lists them, as bits.  All are there from Progress::kHeader
  // on, the rest of the header from Progress::kKeys on.
  std::vector<Field<uint32_t>> hparams;

  std::optional<Field<uint32_t>> n_mel, n_fft;  // Of the mel filters.

  // The tokens: how many, whether a score stands behind each, their bytes.
  Field<uint32_t> tokens;
  bool scored = false;
  Range vocabulary;

  TypeScheme scheme = TypeScheme::kGguf;  // Of the tensors' types.

  // The ftype or data type; null when the family has none, or it was not read.
  const Field<uint32_t>* FindFtype() const {
    const Field<uint32_t>* ftype = Find("ftype");
    return ftype != nullptr ? ftype : Find("data_type");
  }

  // Null when the family has no such hyper-parameter, or it was not read.
  const Field<uint32_t>* Find(absl::string_view name) const {
    const size_t i = family->IndexOf(name);
    return i < hparams.size() ? &hparams[i] : nullptr;
  }
};

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_LEGACY_HEADER_H_
