// Finds what shows that the data section is not the one that was published: places that were never
// filled, and a second header (DataFaults in tensor_data.h).
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_DATA_FAULTS_H_
#define GGUF_CONFORMANCE_MODEL_DATA_FAULTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/model/tensor_data.h"
#include "parser/file.h"

namespace gguf {

// Judges maximal runs of zero bytes in the data of tensors.  Sorts them, and joins those with only
// padding between them.
void JudgeZeroRuns(const File& file, const Placement& placement, std::vector<Range> runs,
                   DataFaults* faults);

// Returns what shows without reading the data: the holes of the file, if they are known, with a few
// bytes around each; and a second header, where a resumed download that is too long has it, or
// before the place where the parser stopped.  `placement` is null if the tensors have none.
DataFaults FaultsWithoutScan(const File& file, const Placement* placement);

// Returns the first bytes of the file, at least 64 and at most `most`: they do not occur in data by
// chance.  Empty for a legacy file, or if the file is shorter.
absl::string_view Beginning(const File& file, size_t most);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_DATA_FAULTS_H_
