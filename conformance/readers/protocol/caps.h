// Caps: the parts of a file that an implementation under test reports, and the
// differences (quirks) that it asks to be excused.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROTOCOL_CAPS_H_
#define GGUF_CONFORMANCE_READERS_PROTOCOL_CAPS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gguf::readers {

// The capabilities and quirks of docs/reader-protocol.md.
struct Caps {
  bool kv = false;
  bool tensors = false;
  bool data = false;
  bool deq = false;
  bool models = false;  // Judges models, not only containers.
  bool legacy = false;  // Reads the legacy (pre-GGUF) formats.

  bool untyped = false;
  bool unordered = false;
  bool nan_canon = false;
  bool lossy_utf8 = false;
  bool meta_only = false;

  // The words of those that are set.
  std::vector<std::string> CapNames() const;
  std::vector<std::string> QuirkNames() const;
};

// Parses "kv,tensors,untyped", or "-" for none.  An unknown word is an error;
// "ancestors" is the old name of "legacy".
absl::StatusOr<Caps> ParseCaps(absl::string_view words);

// Writes what ParseCaps() parses.
std::string CapsWord(const Caps& caps);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROTOCOL_CAPS_H_
