// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/text_style.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gguf {

std::string Wrap(absl::string_view text, size_t width, size_t indent,
                 size_t unbroken) {
  std::string out;
  size_t room = width;  // Left on this line, after the indent.
  while (width > indent && text.size() > room) {
    // Do not break inside the indent or the unbroken part.
    const size_t word =
        text.find_first_not_of(' ') + (unbroken > 0 ? unbroken - 1 : 0);
    size_t end = text.rfind(' ', room);
    if (end == absl::string_view::npos || end <= word) {
      end = text.find(' ', std::max(word, room));  // A long word stays whole.
    }
    size_t next = text.find_first_not_of(' ', end);
    // GitHub would execute a line that begins with two colons.
    while (absl::StartsWith(absl::ClippedSubstr(text, next), "::")) {
      end = text.find(' ', next);
      next = text.find_first_not_of(' ', end);
    }
    if (next == absl::string_view::npos) break;
    const size_t last = text.find_last_not_of(' ', end);
    absl::StrAppend(&out, text.substr(0, last + 1), "\n",
                    std::string(indent, ' '));
    text.remove_prefix(next);
    room = width - indent;
    unbroken = 0;
  }
  return absl::StrCat(out, text);
}

}  // namespace gguf
