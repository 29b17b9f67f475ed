// Causes: what explains several findings of a file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_CAUSES_CAUSES_H_
#define GGUF_CONFORMANCE_RULES_CAUSES_CAUSES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/model/model.h"
#include "conformance/rules/file_report.h"
#include "parser/sniff.h"

namespace gguf {

// A kind of cause.
struct CauseKind {
  const char* id;
  const char* repair;
  // The rules whose findings it explains; none for all.
  std::vector<const char*> rules = {};

  // What finds it: one or two of these.
  // Returns the message about a file that has the cause.
  std::optional<std::string> (*find)(const Model& model) = nullptr;
  // The rule whose first finding is the message, whether or not the profile has it.
  const char* found_by = nullptr;
  // What the beginning of the file shows.
  Damage damage = Damage::kNone;

  // Whether it says what happened to the whole file.  Of these kinds, a file has only the first.
  bool is_of_whole_file = false;
};

// The cause of a file in a layout of another program than llama.cpp.
inline constexpr char kForeignLayoutCause[] = "foreign-layout";

// All kinds; those that explain most first.
const std::vector<CauseKind>& CauseKinds();

// Adds the causes of a file to its report, which has all findings, and marks the findings that they
// explain.
void AddCauses(const Model& model, FileReport* report);

// Counts the findings of each cause, after some have been removed.
void CountCauses(FileReport* report);

// A hyperparameter with another value of which all tensors have the right shapes.
struct WrongHparam {
  std::string message;
  std::string key;
  int64_t value = 0;
  bool is_certain = false;  // No other key explains the shapes as well.
};

// Returns nothing if the shapes are right, or no single value explains them.
std::optional<WrongHparam> FindWrongHparam(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_CAUSES_CAUSES_H_
