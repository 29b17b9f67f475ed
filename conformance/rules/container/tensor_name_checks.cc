// Checks of tensor names, as the format and its readers require them.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "conformance/rules/container/checks.h"
#include "conformance/rules/judged.h"
#include "parser/core/utf8.h"

namespace gguf {
namespace {

// Reports the tensors whose name is wrong.  Formats may use {name} and
// {length}.
template <class Predicate>
void FindNames(const Model& model, Finder& find, absl::string_view format,
               Predicate is_wrong) {
  for (const TensorInfo& tensor : model.odd_tensors()) {
    const absl::string_view name = tensor.name.value;
    if (!is_wrong(name)) continue;
    find(tensor.at_name(), format, {{"name", name}, {"length", name.size()}});
  }
}

constexpr Rule kTensorNameLength = {
    "tensor-name-length",
    Severities().Upload(kWarning).Spec(kError),
    "A tensor's name shall be at most 64 bytes long.",
    "Readers keep names in buffers of a fixed size: they truncate the names or "
    "refuse the file.",
    "Shorten the name.",
    "gguf.md, gguf_tensor_info_t: \"it must be at most 64 bytes long\"."};

void TensorNameLength(const Model& model, Finder& find) {
  FindNames(model, find, "is {length} bytes long",
            [](absl::string_view name) { return name.size() > 64; });
}

constexpr Rule kImageTensorNameLength = {
    "image-tensor-name-length",
    Severities().Upload(kNote).Spec(kError).LlamaCpp(kError),
    "In an image model, too, a tensor's name shall be at most 63 bytes long.",
    "stable-diffusion.cpp accepts names of up to 159 bytes, and ComfyUI-GGUF "
    "names of any length; programs that are built with ggml's default limit "
    "refuse the file.",
    "No change is needed for programs that are made for image models.",
    "gguf.md, gguf_tensor_info_t: \"it must be at most 64 bytes long\"; ggml's "
    "GGML_MAX_NAME is 64, which stable-diffusion.cpp raises to 160.",
    Since("0.2.0")};

constexpr Rule kTensorNameLengthGgml = {
    "tensor-name-length-ggml",
    Severities().Upload(kWarning).LlamaCpp(kError),
    "A tensor's name shall be at most 63 bytes long.",
    "ggml keeps names in 64 bytes, the last of which is NUL, and refuses "
    "longer names.",
    "Shorten the name.",
    "Not in the specification; ggml's GGML_MAX_NAME is 64, NUL included."};

void TensorNameLengthGgml(const Model& model, Finder& find) {
  FindNames(model, find, "is {length} bytes long",
            [](absl::string_view name) { return name.size() > 63; });
}

constexpr Rule kTensorNameNotEmpty = {
    "tensor-name-not-empty",
    Severities().Upload(kWarning).Spec(kWarning).LlamaCpp(kWarning),
    "A tensor's name should not be empty.",
    "Readers cannot look up a tensor without a name.",
    "Name the tensor or leave it out.",
    "Not in the specification; gguf.md requires a name but does not forbid an "
    "empty one."};

void TensorNameNotEmpty(const Model& model, Finder& find) {
  FindNames(model, find, "is empty",
            [](absl::string_view name) { return name.empty(); });
}

constexpr Rule kTensorNameUtf8 = {
    "tensor-name-utf8",
    Severities().Upload(kWarning).Spec(kError).LlamaCpp(kNote),
    "A tensor's name shall be valid UTF-8.",
    "Some readers throw an exception; others replace the invalid bytes, which "
    "may make two names equal.",
    "Encode the name as UTF-8.",
    "gguf.md, gguf_tensor_info_t: the name is a \"standard GGUF string\", "
    "which is UTF-8."};

void TensorNameUtf8(const Model& model, Finder& find) {
  FindNames(model, find, "{name} is not valid UTF-8",
            [](absl::string_view name) { return !IsValidUtf8(name); });
}

constexpr Rule kTensorNameNoNul = {
    "tensor-name-no-nul",
    Severities().Upload(kError).Spec(kError).LlamaCpp(kWarning).Safety(kError),
    "A tensor's name shall not contain a NUL byte.",
    "Readers written in C stop at the NUL and see a different name, perhaps "
    "that of another tensor.",
    "Remove the NUL.",
    "gguf.md is silent; ggml's gguf.cpp compares names up to the first NUL."};

void TensorNameNoNul(const Model& model, Finder& find) {
  FindNames(model, find, "{name} contains a NUL byte",
            [](absl::string_view name) {
              return name.find('\0') != absl::string_view::npos;
            });
}

// Returns whether the name has control or invisible characters.  NUL and bytes
// that are not UTF-8 have rules of their own.
bool HasUnprintable(absl::string_view name) {
  if (std::all_of(name.begin(), name.end(), absl::ascii_isprint)) return false;
  for (size_t at = 0; at < name.size();) {
    const uint32_t c = NextCodePoint(name, &at);
    if (c == kBadCodePoint || c == 0) continue;
    if (IsControl(c) || IsInvisible(c)) return true;
  }
  return false;
}

bool HasParentSegment(absl::string_view name) {
  if (!absl::StrContains(name, "..")) return false;
  for (const absl::string_view segment :
       absl::StrSplit(name, absl::ByAnyChar("/\\"))) {
    if (segment == "..") return true;
  }
  return false;
}

constexpr Rule kTensorNamePlain = {
    "tensor-name-plain",
    Severities().Upload(kWarning).Spec(kNote).LlamaCpp(kNote).Safety(kWarning),
    "A tensor's name should have no control, invisible or "
    "bidirectional-formatting characters and no path segment \"..\".",
    "Names are printed on terminals and used as file names by tools that "
    "unpack a model.",
    "Rename the tensor, with visible characters only and without a path "
    "segment \"..\".",
    "Not in the specification; tensor names in real models consist of letters, "
    "digits, dots, dashes and underscores."};

void TensorNamePlain(const Model& model, Finder& find) {
  FindNames(model, find, "{name} is not plain text",
            [](absl::string_view name) {
              return HasUnprintable(name) || HasParentSegment(name);
            });
}

constexpr Rule kTensorNameUnique = {
    "tensor-name-unique",
    Everywhere(kError),
    "No two tensors shall have the same name.",
    "Some readers use the first tensor, some the last, and some refuse the "
    "file: different readers see different models.",
    "Rename or remove one of the two tensors.",
    "gguf.md is silent; ggml's gguf.cpp refuses the file."};

void TensorNameUnique(const Model& model, Finder& find) {
  for (const auto& [position, first] : model.repeated_tensors()) {
    const TensorInfo& tensor = model.file.tensors[position];
    find(tensor.at_name(),
         "{name} is a duplicate name (tensors {first} and {index})",
         {{"name", tensor.name.value},
          {"index", tensor.index},
          {"first", first}});
  }
}

constexpr Check kChecks[] = {
    {&kTensorNameNotEmpty, Needs::kTensors, TensorNameNotEmpty, Files::kAll},
    {&kTensorNameLength, Needs::kTensors, TensorNameLength, Files::kAll,
     NoImageModels},
    {&kTensorNameLengthGgml, Needs::kTensors, TensorNameLengthGgml, Files::kAll,
     NoImageModels},
    {&kImageTensorNameLength, Needs::kTensors, TensorNameLengthGgml,
     OnlyKind<GgufKind::kImageModel>},
    {&kTensorNameUtf8, Needs::kTensors, TensorNameUtf8, Files::kAll},
    {&kTensorNameNoNul, Needs::kTensors, TensorNameNoNul, Files::kAll},
    {&kTensorNamePlain, Needs::kTensors, TensorNamePlain, Files::kAll},
    {&kTensorNameUnique, Needs::kTensors, TensorNameUnique, Files::kAll},
};

}  // namespace

absl::Span<const Check> TensorNameChecks() { return kChecks; }

}  // namespace gguf
