// What a testee shows of a file, and the quirks for which it asks to be
// excused.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROTOCOL_CAPS_H_
#define GGUF_CONFORMANCE_READERS_PROTOCOL_CAPS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gguf::readers {

// docs/reader-protocol.md says what each means.
struct Caps {
  bool kv = false;
  bool tensors = false;
  bool data = false;
  bool deq = false;
  bool models = false;     // Judges models, not containers alone.
  bool ancestors = false;  // Reads the formats that came before GGUF.

  bool untyped = false;
  bool unordered = false;
  bool nan_canon = false;
  bool lossy_utf8 = false;
  bool meta_only = false;

  // Those that are set, as ParseCaps() knows them.
  std::vector<std::string> CapNames() const;
  std::vector<std::string> QuirkNames() const;
};

// "kv,tensors,untyped", or "-" for none.  An unknown word is an error.
absl::StatusOr<Caps> ParseCaps(absl::string_view words);

// The other way round.
std::string CapsWord(const Caps& caps);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROTOCOL_CAPS_H_
