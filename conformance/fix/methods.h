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
using Method = bool (*)(const Attempt& a);

// By subject.  Each method says what it does, and what the row's `value` is.
using MethodTable = std::vector<std::pair<FixMethod, Method>>;
extern const MethodTable kLayoutMethods;
extern const MethodTable kKeyMethods;
extern const MethodTable kModelMethods;

// Writes what the source has, if it has anything for the finding's key.
bool FixFromSource(const Attempt& a);

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
bool SetText(const Attempt& a, absl::string_view key, absl::string_view text);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_FIX_METHODS_H_
