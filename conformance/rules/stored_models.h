// Finds the models that a ZIP archive, such as a llamafile, stores without compression.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_STORED_MODELS_H_
#define GGUF_CONFORMANCE_RULES_STORED_MODELS_H_

#include <functional>
#include <string>
#include <vector>

#include "conformance/base/bytes.h"
#include "conformance/rules/file_report.h"

namespace gguf {

struct StoredModel {
  std::string name;
  Range where;               // In the archive; of no bytes if the model is not stored as it is.
  const char* why_not = "";  // Why it cannot be checked in place; empty if it can.
};

// Returns the files of an archive whose names end in .gguf or that begin like one, in the order
// of its central directory; at most 1000.  Nothing if the bytes are not those of a ZIP archive,
// which may begin with a program.  Also reads archives with 64-bit sizes (Zip64).
//
// Together the places have no more bytes than the archive: where entries share their data, those
// that exceed it are not checked.
std::vector<StoredModel> FindStoredModels(Bytes archive);

// Returns the report about one of `count` models.
using ModelCheck = std::function<FileReport(const Source& model, size_t count)>;

// Checks the models that an archive, such as a llamafile, stores without compression.  Adds what
// was found, with the places in the archive, and what was not checked to the report about it.
void CheckStoredModels(const Source& file, const ModelCheck& check, FileReport* report);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_STORED_MODELS_H_
