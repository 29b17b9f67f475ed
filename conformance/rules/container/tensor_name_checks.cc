// Checks of tensor names, as the format and its readers require them.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "conformance/rules/judged.h"
#include "conformance/rules/rule_tables.h"
#include "parser/core/utf8.h"

namespace gguf {
namespace {

// Reports the tensors whose name is wrong.  Formats may use {name} and
// {length}.
template <class Predicate>
void FindNames(const Model& model, Finder& find, absl::string_view format, Predicate is_wrong) {
  for (const TensorInfo& tensor : model.odd_tensors()) {
    const absl::string_view name = tensor.name.value;
    if (!is_wrong(name)) continue;
    find(tensor.at_name(), format, {{"name", name}, {"length", name.size()}});
  }
}

void TensorNameLengthGgml(const CheckContext& context, Finder& find) {
  FindNames(context.model, find, "is {length} bytes long",
            [](absl::string_view name) { return name.size() > 63; });
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
  for (const absl::string_view segment : absl::StrSplit(name, absl::ByAnyChar("/\\"))) {
    if (segment == "..") return true;
  }
  return false;
}

}  // namespace

constexpr RuleTable kTensorNameRules = {
    {.id = "tensor-name-not-empty",
     .severities = {.upload = kWarning, .spec = kWarning, .llama_cpp = kWarning},
     .summary = "A tensor's name should not be empty.",
     .why = "Readers cannot look up a tensor without a name.",
     .repair = "Name the tensor or leave it out.",
     .citation =
         "Not in the specification; gguf.md requires a name but does not forbid an empty one.",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .files = Files::kAll,
     .check =
         [](const CheckContext& context, Finder& find) {
           FindNames(context.model, find, "is empty",
                     [](absl::string_view name) { return name.empty(); });
         }},
    {.id = "tensor-name-length",
     .severities = {.upload = kWarning, .spec = kError},
     .summary = "A tensor's name shall be at most 64 bytes long.",
     .why = "Readers keep names in buffers of a fixed size: they truncate the names or refuse the "
            "file.",
     .repair = "Shorten the name.",
     .citation = "gguf.md, gguf_tensor_info_t: \"it must be at most 64 bytes long\".",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .files = Files::kAll,
     .requirements = {NoImageModels},
     .check =
         [](const CheckContext& context, Finder& find) {
           FindNames(context.model, find, "is {length} bytes long",
                     [](absl::string_view name) { return name.size() > 64; });
         }},
    {.id = "tensor-name-length-ggml",
     .severities = {.upload = kWarning, .llama_cpp = kError},
     .summary = "A tensor's name shall be at most 63 bytes long.",
     .why = "ggml keeps names in 64 bytes, the last of which is NUL, and refuses longer names.",
     .repair = "Shorten the name.",
     .citation = "Not in the specification; ggml's GGML_MAX_NAME is 64, NUL included.",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .files = Files::kAll,
     .requirements = {NoImageModels},
     .check = TensorNameLengthGgml},
    {.id = "image-tensor-name-length",
     .severities = {.upload = kNote, .spec = kError, .llama_cpp = kError},
     .summary = "In an image model, too, a tensor's name shall be at most 63 bytes long.",
     .why = "stable-diffusion.cpp accepts names of up to 159 bytes, and ComfyUI-GGUF names of any "
            "length; programs that are built with ggml's default limit refuse the file.",
     .repair = "No change is needed for programs that are made for image models.",
     .citation = "gguf.md, gguf_tensor_info_t: \"it must be at most 64 bytes long\"; ggml's "
                 "GGML_MAX_NAME is 64, which stable-diffusion.cpp raises to 160.",
     .since = "0.2.0",
     .unbreakable = "it requires the tensors of an image model",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .requirements = {OnlyKind<GgufKind::kImageModel>},
     .check = TensorNameLengthGgml},
    {.id = "tensor-name-utf8",
     .severities = {.upload = kWarning, .spec = kError, .llama_cpp = kNote},
     .summary = "A tensor's name shall be valid UTF-8.",
     .why = "Some readers throw an exception; others replace the invalid bytes, which may make two "
            "names equal.",
     .repair = "Encode the name as UTF-8.",
     .citation =
         "gguf.md, gguf_tensor_info_t: the name is a \"standard GGUF string\", which is UTF-8.",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .files = Files::kAll,
     .check =
         [](const CheckContext& context, Finder& find) {
           FindNames(context.model, find, "{name} is not valid UTF-8",
                     [](absl::string_view name) { return !IsValidUtf8(name); });
         }},
    {.id = "tensor-name-no-nul",
     .severities = {.upload = kError, .spec = kError, .llama_cpp = kWarning, .safety = kError},
     .summary = "A tensor's name shall not contain a NUL byte.",
     .why = "Readers written in C stop at the NUL and see a different name, perhaps that of "
            "another tensor.",
     .repair = "Remove the NUL.",
     .citation = "gguf.md is silent; ggml's gguf.cpp compares names up to the first NUL.",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .files = Files::kAll,
     .check =
         [](const CheckContext& context, Finder& find) {
           FindNames(context.model, find, "{name} contains a NUL byte", [](absl::string_view name) {
             return name.find('\0') != absl::string_view::npos;
           });
         }},
    {.id = "tensor-name-plain",
     .severities = {.upload = kWarning, .spec = kNote, .llama_cpp = kNote, .safety = kWarning},
     .summary = "A tensor's name should have no control, invisible or bidirectional-formatting "
                "characters and no path segment \"..\".",
     .why = "Names are printed on terminals and used as file names by tools that unpack a model.",
     .repair = "Rename the tensor, with visible characters only and without a path segment \"..\".",
     .citation = "Not in the specification; tensor names in real models consist of letters, "
                 "digits, dots, dashes and underscores.",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .files = Files::kAll,
     .check =
         [](const CheckContext& context, Finder& find) {
           FindNames(context.model, find, "{name} is not plain text", [](absl::string_view name) {
             return HasUnprintable(name) || HasParentSegment(name);
           });
         }},
    {.id = "tensor-name-unique",
     .severities = Everywhere(kError),
     .summary = "No two tensors shall have the same name.",
     .why = "Some readers use the first tensor, some the last, and some refuse the file: different "
            "readers see different models.",
     .repair = "Rename or remove one of the two tensors.",
     .citation = "gguf.md is silent; ggml's gguf.cpp refuses the file.",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .files = Files::kAll,
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const auto& [position, first] : context.model.repeated_tensors()) {
             const TensorInfo& tensor = context.model.file.tensors[position];
             find(tensor.at_name(), "{name} is a duplicate name (tensors {first} and {index})",
                  {{"name", tensor.name.value}, {"index", tensor.index}, {"first", first}});
           }
         }},
};

}  // namespace gguf
