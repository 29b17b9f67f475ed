// What a legacy (pre-GGUF) file is, and who still reads it.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/legacy_format.h"

#include "absl/strings/str_cat.h"

namespace gguf {
namespace {

// Why the file is taken for what it is.
std::string WhyThisFamily(const File& file) {
  const LegacyHeader& header = *file.legacy;
  if (file.version.value != 0) return "as its magic and version say";
  return file.stop
             ? "as its hyper-parameters look, though it cannot be read to its "
               "end"
             : absl::StrCat("as its hyper-parameters look and because all of ",
                            "it, with ", header.tokens.value, " tokens and ",
                            file.tensors.size(), " tensors, can be read so");
}

}  // namespace

std::string AboutLegacy(const File& file) {
  if (file.progress < Progress::kKeys && !file.legacy->also.empty()) {
    return "a model of one of the families of GGML; which, what could be read "
           "does not tell";
  }
  const LegacyFamily& family = *file.legacy->family;
  return absl::StrCat(
      "a model of the family ", family.name, ", ", WhyThisFamily(file),
      ". Still read by: ", family.support.readers, ". ", family.support.advice);
}

}  // namespace gguf
