// Which of GGUF's ancestors a file is, and who still reads it.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/legacy_format.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "parser/assert.h"

namespace gguf {
namespace {

// What there is to say about a format.  The first row that fits is the one.
struct FormatRow {
  const char* format;
  const char* family;  // Empty for any.
  uint32_t version;    // 0 for any.
  LegacyFormat is;
};

constexpr char kReplaced[] =
    "which llama.cpp does not load since GGUF replaced it in August 2023";
constexpr char kNever[] = "which never was a format of llama.cpp";
constexpr char kConvertLlama[] =
    "Convert it with convert_llama_ggml_to_gguf.py of a llama.cpp of late "
    "2024, "
    "or convert the original model.";
constexpr char kConvertOriginal[] =
    "Convert the original model with llama.cpp's convert_hf_to_gguf.py.";

constexpr FormatRow kFormats[] = {
    {"ggml", "llama", 0, {kReplaced, "KoboldCpp", kConvertLlama}},
    {"ggml", "replit", 0, {kReplaced, "none that is known", kConvertOriginal}},
    {"ggml", "", 0, {kReplaced, "KoboldCpp", kConvertOriginal}},
    {"ggmf", "", 0, {kReplaced, "KoboldCpp", kConvertLlama}},
    {"ggjt", "", 3, {kReplaced, "KoboldCpp, candle", kConvertLlama}},
    {"ggjt", "", 0, {kReplaced, "KoboldCpp", kConvertLlama}},
    {"whisper-ggml",
     "",
     0,
     {kNever, "whisper.cpp", "Keep it: whisper.cpp has no other format."}},
    {"rwkv.cpp", "", 0, {kNever, "rwkv.cpp, KoboldCpp", kConvertOriginal}},
};

// What shows the format of the file.
std::string HowRecognized(const File& file) {
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

const LegacyFormat& LegacyFormatOf(const File& file) {
  const absl::string_view format = file.kind.format;
  const absl::string_view family = file.legacy->family->name;
  for (const FormatRow& row : kFormats) {
    if (format != row.format) continue;
    if (*row.family != 0 && family != row.family) continue;
    if (row.version != 0 && row.version != file.version.value) continue;
    return row.is;
  }
  Assert(false, "a format without a row");
  return kFormats[0].is;
}

std::string AboutLegacy(const File& file) {
  if (file.progress < Progress::kKeys && !file.legacy->also.empty()) {
    return "a model of one of the families of GGML; which, what could be read "
           "does not tell";
  }
  const LegacyFormat& format = LegacyFormatOf(file);
  return absl::StrCat("a model of the family ", file.legacy->family->name, ", ",
                      HowRecognized(file), ". Still read by: ", format.readers,
                      ". ", format.advice);
}

}  // namespace gguf
