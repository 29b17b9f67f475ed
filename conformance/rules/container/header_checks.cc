// Checks of the header, as the format and its readers require it.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/container/checks.h"
#include "parser/core/structure_rules.h"

namespace gguf {
namespace {

constexpr Rule kHeaderVersionCurrent = {
    "header-version-current",
    Severities().Upload(kWarning).Spec(kWarning),
    "The version should be 3.",
    "Versions 1 and 2 are superseded; some readers no longer accept them. "
    "Neither version allows big-endian files, which version 3 introduced.",
    "Convert the file with a current writer; the metadata need not change.",
    "gguf.md, gguf_header_t: \"Must be `3` for version described in this "
    "spec, which introduces big-endian support\"."};

void HeaderVersionCurrent(const Model& model, Finder& find) {
  if (model.file.version.value == 3) return;
  find(model.file.version.where, {"header", false, 0, {}, "version"},
       model.file.encoding.endian == Endian::kBig
           ? "is {version}, and big-endian files are new in version 3"
           : "is {version}, superseded by version 3",
       {{"version", model.file.version.value}});
}

constexpr Rule kHeaderVersionLoadable = {
    "header-version-loadable",
    Severities().LlamaCpp(kError),
    "The version shall be 2 or 3.",
    "llama.cpp has refused version 1 since November 2023.",
    "Convert the file with a current writer; the metadata need not change.",
    "Not in the specification; ggml's gguf.cpp refuses version 1."};

void HeaderVersionLoadable(const Model& model, Finder& find) {
  if (model.file.version.value != 1) return;
  find(model.file.version.where, {"header", false, 0, {}, "version"},
       "is 1, which llama.cpp no longer reads", {});
}

constexpr Rule kHeaderEndianLittle = {
    "header-endian-little",
    Severities().Upload(kNote).Spec(kNote).LlamaCpp(kError),
    "The file should be little endian.",
    "Nearly every machine is little endian, and llama.cpp refuses a file whose "
    "byte order is not the machine's.",
    "Convert the file to little endian, unless it is for big-endian machines "
    "only.",
    "gguf.md, file structure: \"Models are little-endian by default\"; ggml's "
    "gguf.cpp refuses a byte order that is not the machine's."};

void HeaderEndianLittle(const Model& model, Finder& find) {
  if (model.file.encoding.endian == Endian::kLittle) return;
  find(model.file.version.where, {"header", false, 0, {}, "version"},
       "shows that the file is big endian", {});
}

constexpr Check kChecks[] = {
    {&kHeaderMagic, Needs::kMagic, nullptr},
    {&kHeaderVersionKnown, Needs::kHeader, nullptr},
    {&kHeaderVersionCurrent, Needs::kHeader, HeaderVersionCurrent},
    {&kHeaderVersionLoadable, Needs::kHeader, HeaderVersionLoadable},
    {&kHeaderEndianLittle, Needs::kHeader, HeaderEndianLittle},
    {&kHeaderCountsFit, Needs::kTensors, nullptr},
    {&kFileComplete, Needs::kTensors, nullptr, Files::kAll},
};

}  // namespace

absl::Span<const Check> HeaderChecks() { return kChecks; }

}  // namespace gguf
