// Reads the version from readers.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/tables_version.h"

#include "conformance/tables/readers.h"

namespace gguf {

const char* TablesVersion() {
  return kReaders[static_cast<size_t>(ReaderId::kLlamaCpp)].version;
}

}  // namespace gguf
