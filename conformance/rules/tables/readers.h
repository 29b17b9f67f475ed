// Programs that read GGUF files: rows of readers.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_READERS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_READERS_H_

#include "conformance/rules/tables/table.h"

namespace gguf {

struct Reader {
  enum Known { kRun, kRead };
  enum Column { kLlamaCpp, kOllama, kHuggingFace, kCandle, kGgufPy };
  enum Models { kNo, kProfile };

  const char* name;
  const char* version;
  Known known;       // Whether it was run, or its source was read.
  Column column;     // Of reader_effects.tsv.
  Models models;     // What it makes of rules about models.
  const char* also;  // Another reader that must take the file; or "".
  const char* how;   // What it is to take a file.
};

extern const Table<Reader> kReaders;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_READERS_H_
