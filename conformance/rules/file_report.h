// FileReport: what a check found in one file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_FILE_REPORT_H_
#define GGUF_CONFORMANCE_RULES_FILE_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/base/bytes.h"
#include "conformance/compare/comparison.h"
#include "conformance/model/context_size.h"
#include "conformance/model/reason.h"
#include "conformance/tables/build.h"
#include "conformance/tables/kinds.h"
#include "conformance/tables/load_steps.h"
#include "conformance/tables/reader_effects.h"
#include "conformance/tables/readers.h"
#include "kernels/weight_stats.h"
#include "parser/diagnostic.h"
#include "parser/rule.h"

namespace gguf {

struct Finding {
  Severity severity = Severity::kOff;
  Diagnostic diagnostic;
  std::string cause = {};        // The id of the cause that explains it; empty if none does.
  std::string replacement = {};  // The bytes that repair it, as many as it has; empty if none do.
};

// What explains findings of a file (rules/causes).  It depends on the file alone, and not on the
// profile: it may explain none.
struct Cause {
  std::string id;    // Unique in the report.
  std::string kind;  // Of kCauseKinds.
  std::string message;
  std::string repair;
  uint64_t findings = 0;  // That it explains, kept or not.
};

// The first version of llama.cpp that knows everything that a file uses.
struct NeededBuild {
  int32_t build = kNoBuild;
  std::string because;  // "architecture qwen35"; no text from the file.

  // Returns "llama.cpp of February 2026 or newer (b7990) for architecture qwen35".
  std::string Words() const {
    const std::string month = MonthWords(build);
    return "llama.cpp" +
           (month.empty() ? " " + BuildText(build) + " or newer"
                          : " of " + month + " or newer (" + BuildText(build) + ")") +
           " for " + because;
  }
};

// Whether a rule compared a file with the model of --base, and if none did,
// why.
struct WithBase {
  bool compared = false;
  std::string why_not;
};

// The prediction of what a reader will do with a file.
struct ReaderVerdict {
  const Reader* reader = nullptr;
  std::string version;  // That of the reader's row, or the requested one.
  ReaderEffect effect = ReaderEffect::kAccepts;
  LoadStep step = LoadStep::kRun;  // The last one that the reader reaches.
  // load, context or run: what the reader was doing when it stopped; empty if it did not.
  std::string stage;

  // The findings that cause the effect: the first ones, at most two.
  std::vector<Diagnostic> because;
  // The cause in words if it is not a finding: a limit of the reader, or
  // missing information.  Contains no text from the file; may be empty.
  std::string why;

  // Returns what the reader did before it stopped, if it loaded the model: "loads it and dies when
  // it makes a context".
  std::string Story() const {
    if (stage.empty() || stage == "load") return "";
    const bool in_context = stage == "context";
    const std::string before = in_context ? "loads it" : "makes a context";
    const std::string doing = in_context ? "makes a context" : "computes";
    return before + (effect == ReaderEffect::kCrashes ? " and dies when it " + doing
                     : in_context                     ? " and refuses to make a context"
                                                      : " and refuses to compute");
  }
  // Returns the reader's name, with the version if it was requested.
  std::string Name() const {
    const std::string name = reader->name;
    return version == reader->version ? name : name + " " + version;
  }
};

// FileReport: the result of checking one file.  Owns its strings.
struct FileReport {
  std::string path;     // As given by the user; "-" for standard input.
  std::string profile;  // If not the run's: a name.
  uint64_t index = 0;   // Position among all files of a run, from 0.
  std::optional<uint64_t> size;
  // How long the check took; of a set of shards, an equal share.  Not in JSON.
  std::optional<double> seconds;
  std::string format = "unknown";
  // For a legacy (pre-GGUF) format: its model, its readers, what to do.
  std::string about;
  std::optional<uint32_t> version;
  std::optional<Endian> endian;
  std::optional<GgufKind> kind;  // Null if not all keys could be read.
  std::optional<uint64_t> keys;  // The number read, not announced.
  std::optional<uint64_t> tensors;

  // From the file name, if the file was checked as one of a set of shards.
  struct Shard {
    uint32_t number;  // From 1, unless the name is wrong.
    uint32_t count;
    // Of the first file of the set: "pass", "fail" or "incomplete", the result
    // of all of them together; empty for the others.
    std::string result = {};
  };
  std::optional<Shard> shard;

  // Maxima that some readers limit, over the keys and tensors that were read.
  struct Extremes {
    uint64_t tensor_types = 0;  // A bit for the id of each known type.
    uint64_t largest_dimension = 0;
    uint64_t longest_array = 0;  // In elements; not of nested arrays.
  } extremes;

  // The first build of llama.cpp that knows all that the file uses, if known.
  std::optional<NeededBuild> needs;

  // What a context of a model takes, if known.
  std::optional<ContextSize> context;

  // The ones that say most first.
  std::vector<Cause> causes;

  // By offset, then by rule in the order of the catalogue.
  std::vector<Finding> findings;

  struct Counts {
    uint64_t error = 0;
    uint64_t warning = 0;
    uint64_t note = 0;

    // Returns the count of a severity, which is not kOff.
    uint64_t& of(Severity severity) {
      return severity == Severity::kError ? error : severity == Severity::kWarning ? warning : note;
    }
  } counts;  // Of all findings, kept or not.

  // Findings that the user has accepted, with the reason.  They are neither in
  // `findings` nor counted.
  struct Known {
    Finding finding;
    std::string reason;
  };
  std::vector<Known> known;

  struct More {
    const Rule* rule;
    Severity severity;
    uint64_t count;
    std::string cause = {};  // That of the rule's kept findings, if all have the same.
  };
  std::vector<More> more;  // Rules with more findings than were kept.

  struct NotChecked {
    const Rule* rule;
    SharedText why;
    Reason::Meaning meaning;
  };
  std::vector<NotChecked> not_checked;

  // The same for the rules that the profile turns off, which do not affect the
  // verdict; for all of them with CheckOptions::readers.
  struct Off {
    std::vector<Finding> findings;
    std::vector<More> more;
    std::vector<NotChecked> not_checked;
  } off;

  // Empty without --base, and if the parser stopped.
  std::optional<WithBase> with_base;

  // The damage that stopped the parser; empty if it read everything, or if a
  // limit stopped it.
  std::string stopped;
  const Rule* stopped_by = nullptr;  // The rule that it breaks, or null.

  struct TensorStats {
    std::string name;  // As in the file: any bytes.
    std::string type;
    std::vector<uint64_t> dims;  // In file order.
    WeightStats weights;
  };
  std::vector<TensorStats> stats;  // Of the tensors that were read.

  // How the tensors differ from those of the base, if the file was compared.
  std::vector<ComparedTensor> compared;

  // Predicts which programs will accept the file (JudgeReaders); empty unless
  // requested.
  std::vector<ReaderVerdict> readers;

  // Why the environment or a limit kept the check from completing; empty if it
  // completed.  An incomplete check is never a pass, whatever was found.
  std::string incomplete;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_FILE_REPORT_H_
