// The table of GGUF's ancestors.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/legacy/format.h"

namespace gguf {
namespace {

constexpr AncestorFormat kFormats[] = {
    {"ggml", "lmgg", 0, TypeScheme::kQnt0, 1},
    {"ggmf", "fmgg", 1, TypeScheme::kQnt0, 1},
    {"rwkv.cpp", "fmgg", 100, TypeScheme::kRwkv100, 1},
    {"rwkv.cpp", "fmgg", 101, TypeScheme::kRwkv101, 1},
    {"ggjt", "tjgg", 1, TypeScheme::kQnt0, 32},
    {"ggjt", "tjgg", 2, TypeScheme::kQnt1, 32},
    {"ggjt", "tjgg", 3, TypeScheme::kQnt2, 32},
};

}  // namespace

absl::Span<const AncestorFormat> AncestorFormats() { return kFormats; }

}  // namespace gguf
