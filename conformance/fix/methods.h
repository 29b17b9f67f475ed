// The methods of fixes.tsv: how a finding is repaired in a draft.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_FIX_METHODS_H_
#define GGUF_CONFORMANCE_FIX_METHODS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/compare/read_source.h"
#include "conformance/fix/draft.h"
#include "conformance/model/model.h"
#include "conformance/rules/file_report.h"
#include "conformance/tables/fixes.h"

namespace gguf {

// A finding to be repaired, with what is known about its file.
struct Attempt {
  const Model& model;
  const FileReport& report;
  const Diagnostic& found;
  const FixRow& row;
  const SourceModel* source;  // Null without --source.
  Draft& draft;

  const File& file() const { return model.file; }
  // The key in which the finding lies; nothing if it lies elsewhere.
  std::optional<size_t> key() const;
  const KeyValue& kv() const { return file().keys[*key()]; }
  // Returns an argument of the finding, without what messages escape; empty if it has none.
  absl::string_view arg(absl::string_view name) const;
  bool has_finding_of(absl::string_view rule) const;
  std::optional<KeyContent> content() const;  // Of key().
};

// Returns whether it changed the draft.  Never does what it cannot prove to be meant.
using Method = bool (*)(const Attempt& attempt);

// Writes what the source has, if it has anything for the finding's key.
bool FixFromSource(const Attempt& attempt);

// Of the place of data.
bool FixVersion(const Attempt& attempt);
bool FixLayout(const Attempt& attempt);
bool FixTrailing(const Attempt& attempt);        // Drops what follows the data.
bool FixAlignment(const Attempt& attempt);       // Lays out with an alignment of 32.
bool FixAlignmentValue(const Attempt& attempt);  // If it shows where the data begins.
bool FixRank(const Attempt& attempt);            // Makes a scalar one element.
bool FixDropTensor(const Attempt& attempt);      // Removes a tensor without data.
bool FixTensorName(const Attempt& attempt);      // Writes the current name.

// Of keys and values in general.
bool FixDuplicate(const Attempt& attempt);  // Removes an equal duplicate.
bool FixLower(const Attempt& attempt);      // Makes a key lower_snake_case.
bool FixStrip(const Attempt& attempt);      // Invisible characters, of the "key" or "value".
bool FixPath(const Attempt& attempt);       // Keeps the name of a file.
bool FixBools(const Attempt& attempt);
bool FixType(const Attempt& attempt);      // The same value in a type that is right.
bool FixWrite(const Attempt& attempt);     // The finding's argument kWrite.
bool FixWriteArg(const Attempt& attempt);  // The finding's argument `value`.
bool FixSet(const Attempt& attempt);       // KEY=TYPE VALUE; without KEY, of the finding's key.
bool FixRemove(const Attempt& attempt);    // The finding's key.
bool FixRename(const Attempt& attempt);    // To the argument "successor".
bool FixCopy(const Attempt& attempt);      // Also under the argument "successor".
bool FixFormat(const Attempt& attempt);    // Of standard_keys.tsv.
bool FixCount(const Attempt& attempt);     // Of numbered keys.
bool FixKind(const Attempt& attempt);      // general.type, as the tensors show.

// Of hyperparameters and of what follows from the tensors.
bool FixHparam(const Attempt& attempt);  // The one value that explains the shapes.
bool FixBlocks(const Attempt& attempt);  // The number of blocks that have tensors.
bool FixFileType(const Attempt& attempt);
bool FixSplit(const Attempt& attempt);
bool FixLength(const Attempt& attempt);  // Of an array.

// Of tokens and templates.
bool FixControl(const Attempt& attempt);       // The type of a control token.
bool FixElement(const Attempt& attempt);       // The number `value`.
bool FixTokens(const Attempt& attempt);        // Names for tokens that cannot be used.
bool FixByteTypes(const Attempt& attempt);     // Normal, of what is no byte.
bool FixPadTokens(const Attempt& attempt);     // A token for each row of the embedding.
bool FixTruncate(const Attempt& attempt);      // To as many elements as tokens.
bool FixDropElements(const Attempt& attempt);  // That refer to no token.
bool FixTemplateNames(const Attempt& attempt);

// Null for none.
Method MethodOf(FixMethod method);

// Returns the types that a key should have, those that all readers accept first: array types have
// the bit kArrayBit + type.
std::vector<int> TypesOf(const Model& model, absl::string_view key);

// Returns content in the type of a key that is known, or, if it is not, in that of `otherwise`;
// nothing if no such type holds it.
std::optional<KeyContent> InTypeOf(const Model& model, absl::string_view key,
                                   const KeyContent& content);

// Sets a key to a text or a number, in the type that it has, or should have.
bool SetText(const Attempt& attempt, absl::string_view key, absl::string_view text);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_FIX_METHODS_H_
