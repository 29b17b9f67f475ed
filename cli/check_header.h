// Checking a file by its beginning: a stream that is still arriving, or a file
// on a web server.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_CHECK_HEADER_H_
#define GGUF_CLI_CHECK_HEADER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"

namespace gguf {

struct HeaderFlags {
  bool only = false;             // Of files and streams; URLs always.
  std::optional<uint64_t> size;  // Of the whole file, whose stream is read.
  bool private_redirects = false;
};

// Whether a path is read that way, and not as a file.
bool IsReadByHeader(const std::string& path, const HeaderFlags& flags);

// Reads no more than the header, the keys and the tensor table take, and judges
// them; rules about data are not checked, "not requested".  What cannot be read
// has a report that is incomplete.
FileReport CheckHeader(const std::string& path, const Profile& profile,
                       ValidateOptions options, const Work& work,
                       const HeaderFlags& flags);

}  // namespace gguf

#endif  // GGUF_CLI_CHECK_HEADER_H_
