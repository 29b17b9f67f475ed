// Checks of the names, shapes and types of tensors, as the format and its readers require them.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "conformance/base/text.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "parser/foreign_type.h"
#include "parser/tensor_type.h"

namespace gguf {
namespace {

// Reports the tensors whose name is wrong.  Formats may use {name} and
// {length}.
template <class Predicate>
void FindNames(const Model& model, Finder& find, absl::string_view format, Predicate is_wrong) {
  for (const TensorInfo& tensor : model.unusual_tensors()) {
    const absl::string_view name = tensor.name.value;
    if (!is_wrong(name)) continue;
    find(tensor.at_name(), format, {{"name", name}, {"length", name.size()}});
  }
}

void TensorNameLengthGgml(const CheckContext& context, Finder& find) {
  FindNames(context.model, find, "is {length} bytes long, more than 63",
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
           FindNames(context.model, find, "is {length} bytes long, more than 64",
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

// Checks of tensor shapes and types, as the format and its readers require
// them.

namespace {

Trusted Shape(const TensorInfo& tensor) { return Trusted{tensor.ShapeText()}; }

Trusted TypeName(const TensorInfo& tensor) { return Trusted{tensor.TypeName()}; }

// The convolutions of video models have one dimension more than others.
constexpr uint32_t kVideoDimensions = kMaxDimensions + 1;

bool IsOfVideo(const Model& model, const TensorInfo& tensor) {
  return tensor.n_dims.value == kVideoDimensions && !NoImageModels(model).empty();
}

// Returns the types of other programs that have the tensor's id, and its size if that is known:
// "TQ3_1S of A or TQ3_4S of B".
Trusted ClaimsOn(const TensorInfo& tensor) {
  std::vector<std::string> claims;
  for (const SizedType& type : ForeignTypesOf(tensor.type.value)) {
    TensorInfo claimed = tensor;
    claimed.sized = &type;
    if (tensor.sized != nullptr && ByteSize(claimed, 1) != tensor.bytes) continue;
    std::string claim =
        absl::StrCat(type.name.empty() ? "a type" : type.name, " of ", type.program);
    if (!absl::c_linear_search(claims, claim)) claims.push_back(std::move(claim));
  }
  return Trusted{absl::StrJoin(claims, " or ")};
}

// Calls `report` for each tensor with the type of another program, with the distance to the next
// tensor, or 0 if it is unknown.
template <class Report>
void ForEachForeign(const Model& model, const Report& report) {
  std::vector<uint64_t> spans;
  for (const TensorInfo& tensor : model.unusual_tensors()) {
    if (tensor.sized == nullptr || tensor.sized->program.empty()) continue;
    const bool has_layout = model.file.progress >= Progress::kTensors && model.file.alignment_known;
    if (spans.empty() && has_layout) spans = MeasureSpans(model.file);
    report(tensor, has_layout ? spans[tensor.index] : 0);
  }
}

// Reports the first tensor of each type that has the size that another program gives it.
void TensorLayoutOfType(const CheckContext& context, Finder& find) {
  std::vector<std::pair<const TensorInfo*, uint64_t>> firsts;  // With how many there are.
  ForEachForeign(context.model, [&](const TensorInfo& tensor, uint64_t span) {
    if (!FitsSpan(context.model.file, tensor.bytes, span)) return;
    const auto first =
        absl::c_find_if(firsts, [&](const auto& one) { return one.first->sized == tensor.sized; });
    if (first == firsts.end()) {
      firsts.emplace_back(&tensor, 1);
    } else {
      ++first->second;
    }
  });
  for (const auto& [tensor, count] : firsts) {
    const uint32_t id = tensor->type.value;
    const TensorTypeInfo* const own = FindTensorType(id);
    find(tensor->at_type(),
         absl::StrCat("is {type}, ", own != nullptr ? "{own} in llama.cpp" : "unknown to llama.cpp",
                      ", but {count tensor of this type has|tensors of this type have} the size "
                      "of {claims}: {size byte|bytes} here"),
         {{"type", id},
          {"own", Trusted{own != nullptr ? own->name : "none"}},
          {"count", count},
          {"claims", ClaimsOn(*tensor)},
          {"size", *tensor->bytes}});
  }
}

// Names the programs that define a type, and how its size differs from the tensor's.
void TensorTypeKnown(const CheckContext& context, Finder& find) {
  const File& file = context.model.file;
  ForEachForeign(context.model, [&](const TensorInfo& tensor, uint64_t span) {
    const auto size = tensor.bytes;
    if (FitsSpan(file, size, span)) return;  // tensor-layout-of-type reports it.
    find(tensor.at_type(),
         !size || span == 0 ? "is {type}, {program}, which llama.cpp {known} does not define"
                            : "is {type}, which llama.cpp {known} does not define; it could be "
                              "{program}, but the tensor takes up {span byte|bytes}, and {size} in "
                              "this type",
         {{"type", tensor.type.value},
          {"program", ClaimsOn(tensor)},
          {"known", Trusted{TablesVersion()}},
          {"size", size.value_or(0)},
          {"span", span}});
  });
  for (const TensorInfo& tensor : context.model.unusual_tensors()) {
    if (tensor.type_info() != nullptr || tensor.sized != nullptr) continue;
    const uint32_t id = tensor.type.value;
    if (ForeignTypesOf(id).empty()) {
      find(tensor.at_type(),
           "is {type}, which llama.cpp {known} does not define; update ggufcheck, or describe the "
           "type in [types] of ggufcheck.toml",
           {{"type", id}, {"known", Trusted{TablesVersion()}}});
      continue;
    }
    find(tensor.at_type(),
         "is {type}, which llama.cpp {known} does not define; it is {program}, of different "
         "sizes, and the distances between the tensors do not tell which",
         {{"type", id}, {"known", Trusted{TablesVersion()}}, {"program", ClaimsOn(tensor)}});
  }
}

}  // namespace

void CheckDimensionCounts(const CheckContext& context, Finder& find) {
  for (const TensorInfo& tensor : context.model.unusual_tensors()) {
    if (tensor.n_dims.value <= kMaxDimensions || IsOfVideo(context.model, tensor)) {
      continue;
    }
    find(tensor.at_n_dims(), "is {count}, more than 4", {{"count", tensor.n_dims.value}});
  }
}

constexpr RuleTable kTensorShapeRules = {
    {.id = "image-tensor-dimension-count",
     .severities = {.upload = kWarning, .spec = kError, .llama_cpp = kError, .safety = kWarning},
     .summary = "In an image model, too, a tensor shall have at most 4 dimensions.",
     .why = "The convolution tensors of video models have 5 dimensions. ComfyUI-GGUF reads such "
            "tensors, and stable-diffusion.cpp folds the last two dimensions into one; other "
            "readers refuse the file, or write past the end of an array with room for 4.",
     .repair = "No change is needed for programs that are made for image models.",
     .citation = "gguf.md, gguf_tensor_info_t: \"Currently at most 4\"; ComfyUI-GGUF's "
                 "fix_5d_tensors.py writes such tensors.",
     .since = "0.2.0",
     .unbreakable = "it requires the tensors of an image model",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .requirements = {OnlyKind<GgufKind::kImageModel>},
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorInfo& tensor : context.model.unusual_tensors()) {
             if (!IsOfVideo(context.model, tensor)) continue;
             find(tensor.at_n_dims(), "is {count}, more than 4", {{"count", tensor.n_dims.value}});
           }
         }},
    {.id = "tensor-rank-nonzero",
     .severities = {.upload = kWarning, .spec = kWarning, .llama_cpp = kNote, .safety = kWarning},
     .summary = "A tensor should have at least one dimension.",
     .why = "Readers that use the first dimension without a check crash.",
     .repair = "Write a scalar as a tensor of one element.",
     .citation =
         "Not in the specification; gguf.md gives only the upper bound; ggml accepts scalars.",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorInfo& tensor : context.model.unusual_tensors()) {
             if (tensor.n_dims.value != 0) continue;
             find(tensor.at_n_dims(), "is 0, but even a scalar has 1 dimension", {});
           }
         }},
    {.id = "tensor-dimensions-nonzero",
     .severities = {.upload = kWarning, .spec = kWarning, .llama_cpp = kNote, .safety = kWarning},
     .summary = "No dimension of a tensor should be zero.",
     .why = "Readers divide by dimensions and crash; ggml did until August 2026.",
     .repair = "Leave the empty tensor out.",
     .citation = "Not in the specification; readers have crashed on empty tensors.",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .files = Files::kAll,
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorInfo& tensor : context.model.unusual_tensors()) {
             const auto end = tensor.dims.begin() + tensor.rank();
             if (std::find(tensor.dims.begin(), end, 0) == end && !tensor.zero_beyond) continue;
             find(tensor.at_dims(), "are {dims}, so the tensor is empty",
                  {{"dims", Shape(tensor)}});
           }
         }},
    {.id = "empty-tensor-dimensions-bounded",
     .severities = {.upload = kError, .spec = kWarning, .safety = kError},
     .summary = "The product of the other dimensions of an empty tensor shall be at most 2^24.",
     .why = "Readers that loop over the rows of a tensor take hours for a file of 128 bytes.",
     .repair = "Leave the empty tensor out.",
     .citation = "Not in the specification; ggml's ggml_nrows() is 2^62 for [0, 2^31, 2^31].",
     .since = "0.2.0",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .check =
         [](const CheckContext& context, Finder& find) {
           constexpr uint64_t kMost = uint64_t{1} << 24;
           for (const TensorInfo& tensor : context.model.unusual_tensors()) {
             if (ElementCount(tensor).value_or(1) != 0) continue;
             std::optional<uint64_t> others = tensor.beyond;
             for (uint32_t i = 0; i < tensor.rank(); ++i) {
               MultiplyDimension(tensor.dims[i], &others);
             }
             if (others.value_or(0) <= kMost) continue;
             find(tensor.at_dims(),
                  "are {dims}: the tensor is empty, but the product of its other dimensions is "
                  "{count}",
                  {{"dims", Shape(tensor)}, {"count", *others}});
           }
         }},
    {.id = "tensor-elements-representable",
     .severities = Everywhere(kError),
     .summary = "A tensor's dimensions and their product, zeros counted as 1, shall be below 2^63.",
     .why =
         "In readers that do not check, the product overflows: a huge tensor gets a small buffer.",
     .repair = "Correct the dimensions.",
     .citation = "Follows from gguf_tensor_info_t and the 64-bit sizes of every reader; readers "
                 "have treated a tensor of shape [2^32, 2^32] as empty.",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorInfo& tensor : context.model.unusual_tensors()) {
             if (ElementCount(tensor)) continue;
             find(tensor.at_dims(), "are {dims}, whose product is not below 2^63",
                  {{"dims", Shape(tensor)}});
           }
         }},
    {.id = "tensor-type-known",
     .severities = Everywhere(kError),
     .summary = "A tensor's type shall be one that the format defines.",
     .why = "The size of the tensor's data is unknown, and readers have used the type number as a "
            "table index without a bounds check.",
     .repair = "Write the tensor with a current type. If the type is newer than the tables of this "
               "ggufcheck, update ggufcheck; the message names the version of llama.cpp that the "
               "tables follow. If your programs read the type, describe it in [types] of "
               "ggufcheck.toml: its size is then checked.",
     .citation = "gguf.md, ggml_type: the list of types.",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .check = TensorTypeKnown},
    {.id = "tensor-layout-of-type",
     .severities = {.upload = kWarning, .llama_cpp = kError, .safety = kWarning},
     .summary = "A tensor shall have a type of llama.cpp, not one of another program that uses "
                "the same type number or one beyond llama.cpp's.",
     .why = "llama.cpp refuses the file, or computes different sizes and loads wrong weights. The "
            "programs are told apart by the distances between the tensors.",
     .repair = "Load the file with the program that the message names, or look for a version of "
               "the file that uses llama.cpp's types.",
     .citation = "Not in the specification, which leaves no numbers to other programs; the types "
                 "of ik_llama.cpp, bitnet.cpp and forks of llama.cpp. The rule is wrong where two "
                 "programs give a type the same size: the message names both.",
     .since = "0.2.0",
     .unbreakable = "it requires tensors of the sizes of another program's type",
     .scope = Scope::kContainer,
     .needs = Needs::kLayout,
     .check = TensorLayoutOfType},
    {.id = "tensor-type-not-removed",
     .severities = Everywhere(kError),
     .summary = "A tensor's type shall not be one that was removed from the format.",
     .why = "Readers refuse the file; older readers divide by a block size of zero.",
     .repair = "Quantize the model again; types 31 to 33 are Q4_0 with interleaved rows.",
     .citation = "gguf.md, ggml_type: \"support has been removed\".",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorInfo& tensor : context.model.unusual_tensors()) {
             const TensorTypeInfo* type = tensor.type_info();
             if (type == nullptr || type->removed == nullptr) continue;
             find(tensor.at_type(), "is {type} ({name}), removed on {removed}",
                  {{"type", type->id},
                   {"name", TypeName(tensor)},
                   {"removed", Trusted{type->removed}}});
           }
         }},
    {.id = "tensor-type-in-spec",
     .severities = {.spec = kWarning},
     .summary = "A tensor's type should be in the written specification.",
     .why = "Readers that follow only the specification do not know newer types.",
     .repair = "No change is needed if your readers know the type.",
     .citation = "gguf.md, ggml_type: the list of July 2026 ends at type 39; NVFP4, Q1_0 and Q2_0 "
                 "are newer.",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorInfo& tensor : context.model.unusual_tensors()) {
             const TensorTypeInfo* type = tensor.type_info();
             if (type == nullptr || type->removed != nullptr || type->in_spec) {
               continue;
             }
             find(tensor.at_type(), "is {type} ({name}), newer than the written specification",
                  {{"type", type->id}, {"name", TypeName(tensor)}});
           }
         }},
    {.id = "tensor-row-whole-blocks",
     .severities = Everywhere(kError),
     .summary = "A tensor's first dimension shall be a multiple of its type's block size.",
     .why = "Rows are stored block by block; a partial block is undefined and has no storage.",
     .repair = "Pad the rows, or store the tensor in a type with smaller blocks.",
     .citation = "gguf.md is silent; ggml's gguf.cpp refuses the file.",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorInfo& tensor : context.model.unusual_tensors()) {
             const Blocks blocks = tensor.blocks();
             if (blocks.elements == 0) {
               find.CannotCheck("a tensor's type is unknown, and so are its blocks");
               continue;
             }
             if (HasWholeBlocks(tensor, blocks)) continue;
             find(
                 tensor.at_dims(), "are {dims}, but {type} has blocks of {block} elements",
                 {{"dims", Shape(tensor)}, {"type", TypeName(tensor)}, {"block", blocks.elements}});
           }
         }},
    {.id = "tensor-bytes-representable",
     .severities = Everywhere(kError),
     .summary = "The size of a tensor's data in bytes, padding included, shall be below 2^64.",
     .why = "In readers that do not check, the size overflows: a huge tensor gets a small buffer.",
     .repair = "Correct the dimensions.",
     .citation = "Follows from gguf_tensor_info_t and the 64-bit sizes of every reader; "
                 "CVE-2026-33298 describes a reader in which the size overflowed.",
     .scope = Scope::kContainer,
     .needs = Needs::kTensors,
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorInfo& tensor : context.model.unusual_tensors()) {
             if (tensor.bytes) continue;
             const Blocks blocks = tensor.blocks();
             if (!ElementCount(tensor) || blocks.elements == 0 || !HasWholeBlocks(tensor, blocks)) {
               find.CannotCheck("a tensor's type or shape is wrong, so its size is unknown");
               continue;
             }
             find(tensor.at_dims(), "are {dims} of {type}, whose size in bytes is not below 2^64",
                  {{"dims", Shape(tensor)}, {"type", TypeName(tensor)}});
           }
         }},
};

}  // namespace gguf
