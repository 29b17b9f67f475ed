// Writes a model as a case of the corpus.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/golden/tiny_case.h"

#include "absl/strings/str_cat.h"
#include "conformance/tables/architectures.h"
#include "conformance/testing/tiny_model.h"
#include "corpus/language/disassemble.h"

namespace gguf {
namespace {

// Returns the source of the model's requirements.
const char* ClauseOf(absl::string_view architecture) {
  const uint16_t number = FindArchitecture(architecture);
  const bool is_loaded = IsIn(number, Group::kLoader);
  if (!IsIn(number, Group::kSpec)) {
    return "Not in the specification; what the loader of llama.cpp asks for.";
  }
  return is_loaded ? "gguf.md, the section of the architecture; and what the loader of llama.cpp "
                     "asks for."
                   : "gguf.md, the section of the architecture.";
}

}  // namespace

const char kTinyCasePrefix[] = "model/valid-tiny-";

std::string TinyCase(absl::string_view architecture) {
  const TinyModel model = MakeTinyModel(architecture);
  return absl::StrCat(
      "# Written by //conformance/golden:tiny_models.\n"
      "title      \"a tiny model of the architecture ",
      architecture, model.tensors.empty() ? ", keys only" : "",
      "\"\n"
      "why        \"A reader that knows the architecture finds every key ",
      model.tensors.empty() ? "" : "and tensor ",
      "that it needs.\"\n"
      "clause     \"",
      ClauseOf(architecture),
      "\"\n"
      "scope      model\n\n",
      corpus::Print(corpus::Disassemble(model.Build())));
}

}  // namespace gguf
