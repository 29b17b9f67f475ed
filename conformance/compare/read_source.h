// ReadSource: derives from the files of a Hugging Face folder what a converter
// writes into the GGUF file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_COMPARE_READ_SOURCE_H_
#define GGUF_CONFORMANCE_COMPARE_READ_SOURCE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/tables/compared_keys.h"

namespace gguf {

using SourceValue = std::variant<int64_t, double, bool, std::string, std::vector<int64_t>,
                                 std::vector<double>, std::vector<std::string>>;

// The tokens that a file must have.
struct SourceTokens {
  std::vector<std::string> texts;         // By id; "[PAD7]" for a gap.
  std::map<uint64_t, std::string> older;  // What older converters write.
  // The number of tokens in the file; those after `texts` are padding.
  uint64_t least = 0;
  std::optional<uint64_t> most;
  std::string from;
};

// What the files of a folder say about the GGUF file that a converter makes of
// them.
struct SourceModel {
  std::string architecture;  // As general.architecture; empty if unknown.

  // A key that the file must have, unless `may_lack`, with `value` or one of
  // `also`.
  struct Key {
    std::string key;  // "{arch}" stands for the file's architecture.
    SourceValue value;
    std::string from;               // "config.json: hidden_size".
    bool may_lack = false;          // Some converters do not write it.
    std::vector<SourceValue> also;  // What other converters write instead.
  };
  std::vector<Key> keys;

  // Globs of keys that the file must not have, with "{arch}".
  std::vector<std::string> absent_keys;

  std::optional<SourceTokens> tokens;  // Nothing if unknown.

  // The tokens that end a text, by generation_config.json: the file must have
  // one of them as its end of text or of turn.  Empty if unknown.
  std::vector<int64_t> end_tokens;

  // A tensor that the file must have, unless it is in `optional_tensors`.
  struct Tensor {
    std::vector<uint64_t> dims;  // In GGUF's order.
    std::string from;            // Its name in the folder.
    // The file has a row for each of its tokens, and no more than `dims` says.
    bool has_row_by_token = false;
  };
  std::map<std::string, Tensor, std::less<>> tensors;
  std::set<std::string> optional_tensors;  // Of these; the file may lack them.

  // What could not be derived: why, by the group of keys.
  std::vector<std::pair<CompareGroup, std::string>> not_compared;
  std::string why_no_tensors;  // Empty if all tensors are in `tensors`.
};

// Returns whether a tensor's name is one in the folder of a model of this architecture, rather
// than in a GGUF file.
bool IsSourceTensorName(absl::string_view name, absl::string_view architecture);

// Returns the first `most` bytes of a file of the folder.  NotFound if there is
// no such file.
using ReadSourceFile =
    std::function<absl::StatusOr<std::string>(const std::string& name, uint64_t most)>;

// Reads config.json, which must be there, and, as far as they are,
// tokenizer.json, tokenizer_config.json, generation_config.json,
// chat_template.jinja, chat_template.json, model.safetensors or its index, and
// the headers of the *.safetensors.
//
// Errors, which name the file: those of `read`, and InvalidArgument for one
// that is not what its name says.
absl::StatusOr<SourceModel> ReadSource(const ReadSourceFile& read);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_COMPARE_READ_SOURCE_H_
