// Summary: what a model is, in a few facts for people and programs.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_SUMMARY_H_
#define GGUF_CONFORMANCE_MODEL_SUMMARY_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/base/json.h"
#include "conformance/base/limits.h"
#include "conformance/model/model.h"
#include "conformance/model/shard_set.h"
#include "parser/cursor.h"

namespace gguf {

// The files of a model: one file, or its shards.
class ModelFiles {
 public:
  // Parses a file, and returns why that stopped, if it did.  What the source refers to must outlive
  // this object.
  std::optional<Stop> Add(const Source& source, const Limits& limits);

  // Returns the whole model; null without files.  Nothing may be added after this.
  const Model* Whole();

 private:
  std::deque<Model> models_;
  std::optional<ShardSet> set_;
};

struct Fact {
  const char* member;  // Of the JSON.
  const char* label;   // For people.
  Json value;
  std::string text;  // For people, in one or several lines; all text of the file is escaped.
};

// Returns the facts that are known.  `model` is the whole of a set of shards.
std::vector<Fact> SummaryOf(const Model& model);

// Calls `each` with the text of every token, by id, and the number of its type if it has one.
void VisitTokens(
    const Model& model,
    const std::function<void(absl::string_view text, std::optional<int32_t> type)>& each);

// Returns text as JSON has it: with escapes if it is not UTF-8.
std::string Told(absl::string_view text);

struct NamedSummary {
  std::string name;  // The path of the file, escaped.
  std::vector<Fact> facts;
};

// Returns the facts of models in lines of at most `width` columns.  Several models stand side by
// side as far as there is room; an asterisk marks what differs.
std::string SummaryText(const std::vector<NamedSummary>& models, size_t width);

// Returns a file of the schema ggufcheck/show/1 (schemas/show.schema.json).
Json SummaryJson(const NamedSummary& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_SUMMARY_H_
