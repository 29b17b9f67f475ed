// Checks a file's name against the naming convention.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/judged.h"
#include "conformance/rules/naming/checks.h"

namespace gguf {
namespace {

constexpr Rule kFileNameConvention = {
    "file-name-convention",
    Severities().Spec(kWarning),
    "The file's name should follow the GGUF naming convention.",
    "People and tools read size, version and quantization from the name.",
    "Name it BaseName-SizeLabel-FineTune-Version-Encoding.gguf, for example "
    "Mixtral-8x7B-v0.1-KQ2.gguf; base name and version are required.",
    "gguf.md, naming convention: \"At a minimum all model files should have at "
    "least BaseName, SizeLabel, Version\"."};

void FileNameConvention(const Model& model, Finder& find) {
  if (model.name_parts()) return;
  find({0, 0}, {"file", false, 0, {}, "name"},
       "{name} does not follow the convention", {{"name", model.file.name}});
}

constexpr Check kChecks[] = {
    {&kFileNameConvention, Needs::kName, FileNameConvention, OnlyNamed},
};

}  // namespace

absl::Span<const Check> FileNameChecks() { return kChecks; }

}  // namespace gguf
