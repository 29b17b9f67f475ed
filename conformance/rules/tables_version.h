// The age of the tables, for messages about names that are in no table.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_VERSION_H_
#define GGUF_CONFORMANCE_RULES_TABLES_VERSION_H_

namespace gguf {

// Returns the release and date of the llama.cpp that the tables follow, as in
// readers.tsv: "v0.5.0 of September 2026".
const char* TablesVersion();

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_VERSION_H_
