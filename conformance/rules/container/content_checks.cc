// Checks that the file is the one that was published: that its data was filled, that it holds one
// file, and nothing that runs.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "conformance/base/bytes.h"
#include "conformance/model/joined_files.h"
#include "conformance/model/tensor_data.h"
#include "conformance/rules/first_string.h"
#include "conformance/rules/rule_tables.h"
#include "kernels/byte_scan.h"
#include "parser/sniff.h"

namespace gguf {
namespace {

constexpr Subject kData = {"file", false, 0, {}, "data"};
constexpr Subject kFile = {"file"};

Reason OnlyWithKnownZeros(const Model& model) {
  if (model.data_faults().looked_for_empty) return {};
  return {"the file system was not asked for holes, and the weights were not read",
          Reason::kNotRequested};
}

// Returns the name of the tensor in which the empty place begins, or which follows it.
absl::string_view TensorAt(const Model& model, uint64_t offset) {
  const std::vector<uint32_t>& order = model.placement().by_begin;
  for (const uint32_t i : order) {
    const TensorInfo& tensor = model.file.tensors[i];
    if (DataRange(model.file, tensor).end > offset) return tensor.name.value;
  }
  return "";
}

// A payload that Sniff() would also see in a text, such as a word that begins with "BZh", has bytes
// that no text has; a script is a text.
bool IsProgram(absl::string_view bytes) {
  constexpr size_t kBeginning = 32;
  const bool is_script = absl::StartsWith(bytes, "#!") || absl::StartsWith(bytes, "<?");
  if (!is_script && !absl::StartsWith(bytes, "\x80") &&
      absl::c_none_of(bytes.substr(0, kBeginning),
                      [](char c) { return static_cast<unsigned char>(c) < 9; })) {
    return false;
  }
  if (!Sniff(AsBytes(bytes)).is_program) return false;
  return !absl::StartsWith(bytes, "\x80") || absl::EndsWith(bytes, ".");  // How a pickle ends.
}

// Returns the bytes of an array of bytes; empty for another value.
absl::string_view BytesOf(const File& file, const KeyValue& kv) {
  if (kv.element_type == nullptr || kv.depth != 1 || kv.element_type->size != 1) return "";
  if (kv.length > kv.value.size()) return "";
  return AsText(file.At({kv.value.end - kv.length, kv.value.end}));
}

void FindProgramsInValues(const File& file, Finder& find) {
  const auto report = [&](const KeyValue& kv, Range where, absl::string_view bytes) {
    find(where, kv.subject().Of("value"), "has {what} in it",
         {{"what", Trusted{Sniff(AsBytes(bytes)).what}}});
  };
  for (const KeyValue& kv : file.keys) {
    // Tokens may begin like anything; so may the table of a tokenizer's normalizer.
    if (absl::StartsWith(kv.key.value, "tokenizer.ggml.")) continue;
    const absl::string_view bytes = BytesOf(file, kv);
    if (!bytes.empty()) {
      if (IsProgram(bytes)) report(kv, kv.value, bytes);
      continue;
    }
    if (!kv.MayHold(ValueKind::kString)) continue;
    const FirstString program = FindString(file, kv, IsProgram);
    if (program.count > 0) report(kv, program.where, program.text);
  }
}

// Returns what kind of program or archive follows the data; null if none.
const char* ProgramAfter(const File& file, uint64_t end) {
  constexpr uint64_t kBeginning = 1024;
  constexpr uint64_t kEndOfZip = 22 + 65535;  // With the longest comment.
  std::string buffer;
  const Bytes begin = file.Read({end, std::min(file.size, end + kBeginning)}, &buffer);
  const FileKind kind = Sniff(begin.subspan(std::min(begin.size(), CountLeadingZeros(begin))));
  if (kind.is_program) return kind.what;
  const uint64_t tail = std::max(end, file.size - std::min(file.size, kEndOfZip));
  const Bytes rest = file.Read({tail, file.size}, &buffer);
  return absl::StrContains(AsText(rest), "PK\x05\x06") ? "a ZIP archive" : nullptr;
}

void FindPrograms(const CheckContext& context, Finder& find) {
  const File& file = context.model.file;
  FindProgramsInValues(file, find);
  const auto end = PaddedDataEnd(context.model);
  if (!end || *end >= file.size) return;
  const char* const what = ProgramAfter(file, *end);
  if (what == nullptr) return;
  find({*end, file.size}, kFile, "has {what} after its data: {count byte|bytes}",
       {{"what", Trusted{what}}, {"count", file.size - *end}});
}

}  // namespace

constexpr RuleTable kContentRules = {
    {.id = "tensor-data-filled",
     .severities = {.upload = kError, .spec = kError, .llama_cpp = kWarning, .safety = kError},
     .summary = "The data section shall have no places that were never filled.",
     .why = "Downloads reserve the space of a file before they fill it. Weights that were never "
            "written are zeros; such a model loads, and answers with garbage. A run of zeros is "
            "reported if it has a whole page of 4 KiB, begins or ends inside a row, and crosses "
            "from one tensor into another, reaches the end of the data or has 1 MiB. A model that "
            "was pruned to zeros in such places is reported, too.",
     .repair = "Fetch the file again, and compare its SHA-256 with the publisher's.",
     .citation = "Not in the specification; whole rows of zeros, such as the padding of a "
                 "vocabulary, are allowed.",
     .since = "0.2.0",
     .needs = Needs::kLayout,
     .requirements = {OnlyWithKnownZeros},
     .check =
         [](const CheckContext& context, Finder& find) {
           const EmptyPlaces& empty = context.model.data_faults().unfilled;
           if (empty.count == 0) return;
           find(empty.first, kData,
                "is zero in {count place|places} where no rows of zeros are, {bytes byte|bytes} in "
                "all, from tensor {tensor} on: it was never filled",
                {{"count", empty.count},
                 {"bytes", empty.bytes},
                 {"tensor", TensorAt(context.model, empty.first.begin)}});
         }},
    {.id = "tensor-rows-filled",
     .severities = {.upload = kWarning, .spec = kWarning, .llama_cpp = kNote, .safety = kWarning},
     .summary = "Whole pages of zeros should not begin and end inside the rows of a tensor.",
     .why = "Weights are zero by rows, if at all. Pages of 4 KiB that are zero from the middle of "
            "one row to the middle of another were probably lost on their way. Models that were "
            "pruned, and tensors that hold masks or tables, may have such zeros.",
     .repair =
         "Compare the file's SHA-256 with the publisher's, and fetch it again if they differ.",
     .citation = "Not in the specification; file systems and downloads lose data by pages.",
     .since = "0.2.0",
     .needs = Needs::kLayout,
     .requirements = {OnlyWithKnownZeros},
     .check =
         [](const CheckContext& context, Finder& find) {
           const DataFaults& faults = context.model.data_faults();
           const EmptyPlaces& empty = faults.ragged;
           if (empty.count == 0 || faults.unfilled.count > 0) return;
           find(empty.first, kData,
                "has {count place|places} with pages of zeros that begin and end inside a row, "
                "{bytes byte|bytes} in all; the first is in tensor {tensor}",
                {{"count", empty.count},
                 {"bytes", empty.bytes},
                 {"tensor", TensorAt(context.model, empty.first.begin)}});
         }},
    {.id = "header-once",
     .severities = {.upload = kError, .spec = kError, .llama_cpp = kWarning, .safety = kError},
     .summary = "The file's own header shall not occur in it a second time.",
     .why = "A download that was to be resumed began again from the start, behind what it had. "
            "All that follows is in the wrong place. Without --weights, only files that are too "
            "long or whose tables are broken are searched. A tensor that holds a copy of the file "
            "on purpose is reported, too.",
     .repair = "Fetch the file again from its beginning.",
     .citation = "Follows from gguf_file_t: a file has one header.",
     .since = "0.2.0",
     .needs = Needs::kMagic,
     .check =
         [](const CheckContext& context, Finder& find) {
           const auto offset = context.model.data_faults().second_header;
           if (!offset) return;
           const uint64_t end = std::min(*offset + 4, context.model.file.size);
           find({*offset, end}, kFile,
                "begins again at {offset}: a download that was to be resumed started over",
                {{"offset", *offset}});
         }},
    {.id = "shards-not-joined",
     .severities = {.upload = kError, .spec = kError, .llama_cpp = kWarning},
     .summary = "A file shall hold one shard, not several.",
     .why = "Shards are complete files with tables of their own. Readers of joined shards find the "
            "tensors of the first one only.",
     .repair = "Fetch the shards as they were published. Readers take them as they are; to make "
               "one file of them, use gguf-split --merge.",
     .citation = "Not in the specification, by which a file ends with its tensor data.",
     .since = "0.2.0",
     .needs = Needs::kLayout,
     .check =
         [](const CheckContext& context, Finder& find) {
           const auto count = CountJoinedShards(context.model);
           if (!count) return;
           const uint64_t end = *PaddedDataEnd(context.model);
           find({end, context.model.file.size}, kFile,
                "has {count shard|shards} of a model, one after the other", {{"count", *count}});
         }},
    {.id = "file-not-converted",
     .severities = {.upload = kError, .spec = kError, .llama_cpp = kWarning, .safety = kError},
     .summary = "The file shall not have been converted as if it were a text.",
     .why = "Programs that take the file for a text change bytes everywhere in it: the weights are "
            "lost, not only the tables. Only files that are broken are examined: it is reported if "
            "each of many line feeds follows a carriage return, or if much is U+FFFD.",
     .repair = "Transfer the original again as binary data: for Git, mark *.gguf as binary in "
               ".gitattributes; for FTP, use binary mode.",
     .citation = "Follows from gguf_file_t, which is binary.",
     .since = "0.2.0",
     .needs = Needs::kMagic,
     .check =
         [](const CheckContext& context, Finder& find) {
           const TextConversion found = FindTextConversion(context.model);
           if (found == TextConversion::kNone) return;
           find({0, 4}, kFile,
                found == TextConversion::kLineEnds
                    ? "was converted as a text: each line feed follows a carriage return"
                    : "was converted as a text: bytes that are no UTF-8 became U+FFFD",
                {});
         }},
    {.id = "file-holds-no-program",
     .severities = {.upload = kError, .spec = kNote, .llama_cpp = kNote, .safety = kError},
     .summary = "Nothing in a value or after the data shall be a program, an archive or a pickle.",
     .why =
         "The file is also something else: other programs may run or unpack what readers of GGUF "
         "skip. Values are compared with the first bytes of such files; tokens are left out.",
     .repair = "Remove the value, or truncate the file at the end of its data; do not trust the "
               "rest without knowing how it came there.",
     .citation = "Not in the specification; hubs scan uploads for the same kinds of files.",
     .since = "0.2.0",
     .check = FindPrograms},
};

}  // namespace gguf
