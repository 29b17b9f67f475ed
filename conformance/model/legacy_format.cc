// Describes a legacy (pre-GGUF) file and the readers that still load it.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/legacy_format.h"

#include "absl/strings/str_cat.h"

namespace gguf {
namespace {

// Returns why the file is identified as this family.
std::string WhyThisFamily(const File& file) {
  const LegacyHeader& header = *file.legacy;
  if (file.version.value != 0) return "judging by its magic and version";
  return file.stop ? "judging by its hyperparameters, although it cannot be "
                     "read to its end"
                   : absl::StrCat(
                         "judging by its hyperparameters and because all of ",
                         "it, with ", header.tokens.value, " tokens and ",
                         file.tensors.size(), " tensors, can be read so");
}

}  // namespace

std::string AboutLegacy(const File& file) {
  if (file.progress < Progress::kKeys && !file.legacy->also.empty()) {
    return "a model of one of the families of GGML; the part that could be "
           "read does not tell which";
  }
  const LegacyFamily& family = *file.legacy->family;
  return absl::StrCat(
      "a model of the family ", family.name, ", ", WhyThisFamily(file),
      ". Still read by: ", family.support.readers, ". ", family.support.advice);
}

}  // namespace gguf
