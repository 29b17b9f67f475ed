// The parts of a conforming file name, made of the file's metadata.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_NAMING_NAME_PROPOSAL_H_
#define GGUF_CONFORMANCE_RULES_NAMING_NAME_PROPOSAL_H_

#include <string>

#include "absl/strings/string_view.h"
#include "conformance/model/model.h"

namespace gguf {

// A version in the metadata: "v1.0-rc1" has number "1.0" and words "rc1".
struct StatedVersion {
  std::string number;  // With dots between its numbers; empty if there is none.
  std::string words;
};

StatedVersion ParseVersion(absl::string_view text);

// The parts that a name has for its words; empty for those without any.
struct ProposedParts {
  std::string base_name;
  std::string size_label;  // "3.8B-ContextLength4k"
  std::string finetune;
  std::string version;
};

// Returns the parts of a name that loses no word of the metadata.  What cannot
// be in a base name or a version is in another part: a context length such as
// 4k in the size label, as in the example of gguf.md, and other words in the
// fine-tune.
ProposedParts PropositionOf(const Model& model);

// Returns a name that follows the convention, made of the file's keys and
// tensors; empty if they do not suffice.
std::string ProposeFileName(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_NAMING_NAME_PROPOSAL_H_
