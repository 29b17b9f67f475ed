// PathFrom: where a file is, as seen from a folder.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_RELATIVE_PATH_H_
#define GGUF_CONFORMANCE_GATE_RELATIVE_PATH_H_

#include <string>

namespace gguf {

// The folder of a file, absolute and without links; as good as the file system
// tells.
std::string FolderOf(const std::string& path);

// The path of a file relative to a folder that FolderOf() returned, the same
// from wherever and through whichever folders it was named: "models/a.gguf",
// "../b.gguf".  Links to folders are followed, a link to the file is not.  "-"
// is itself.
std::string PathFrom(const std::string& folder, const std::string& path);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_RELATIVE_PATH_H_
