// PathFrom: the path of a file relative to a folder.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_RELATIVE_PATH_H_
#define GGUF_CONFORMANCE_GATE_RELATIVE_PATH_H_

#include <string>

namespace gguf {

// Returns the absolute folder of a file, with links resolved as far as the file
// system permits.
std::string FolderOf(const std::string& path);

// Returns the path of a file relative to a folder that FolderOf() returned,
// such as "models/a.gguf" or "../b.gguf".  The result does not depend on the
// working folder or on how the path is written.  Links to folders are followed,
// a link to the file is not.  Returns "-" unchanged.
std::string PathFrom(const std::string& folder, const std::string& path);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_RELATIVE_PATH_H_
