// Diagnostics: violations found in a file, with position and numbers.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_DIAGNOSTIC_H_
#define GGUF_PARSER_DIAGNOSTIC_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/numeric/int128.h"
#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "parser/rule.h"

namespace gguf {

// The subject of a diagnostic, as a path: `header.version`,
// `kv[llama.block_count].value[7]`, `tensor[blk.0.attn_q.weight].offset`. Cheap
// to construct; Path() escapes and shortens the name.  An entry whose name is
// unknown or empty is identified by its index: `kv[#3].key`.
struct Subject {
  absl::string_view table;  // "header", "kv", "tensor", or "file".
  bool is_entry = false;    // Of a table of entries.
  uint64_t index = 0;
  absl::string_view name;  // From the file; outlives the subject.
  absl::string_view field;
  bool is_element = false;  // Of the field, which is an array.
  uint64_t element = 0;

  Subject Of(absl::string_view new_field) const;
  Subject At(uint64_t new_element) const;
  std::string Path() const;
};

// The bytes that a diagnostic is about, and their name.
struct Location {
  Range where;
  Subject subject;
};

// A word of ggufcheck inside a message, as opposed to text from the file.
struct Trusted {
  std::string text;
};

// A named number or text in a message.  Text is untrusted: messages quote it.
struct Arg {
  using Value = std::variant<uint64_t, int64_t, absl::uint128, absl::string_view, Trusted>;

  template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
  Arg(absl::string_view the_name, Integer number)
      : name(the_name),
        value(std::conditional_t<std::is_signed_v<Integer>, int64_t, uint64_t>(number)) {}
  Arg(absl::string_view the_name, Value the_value) : name(the_name), value(std::move(the_value)) {}

  absl::string_view name;
  Value value;
};

struct Diagnostic {
  const Rule* rule = nullptr;
  Range where;
  std::string subject;
  std::string message;
  std::vector<std::pair<std::string, std::string>> args;
};

// The diagnostics of one file.  Keeps the first few of each rule and counts
// all.
class Diagnostics {
 public:
  explicit Diagnostics(uint64_t keep_per_rule) : keep_(keep_per_rule) {}

  // `format` continues a sentence that begins with the subject, from the verb on.
  // Each {name} in it is replaced by the Arg of that name, and {name block|blocks}
  // by a number and the first word for 1, or the second for any other number.  A
  // diagnostic that is only counted is not formatted.
  void Add(const Rule& rule, Range where, const Subject& subject, absl::string_view format,
           std::initializer_list<Arg> args);

  // In the order of discovery.
  const std::vector<Diagnostic>& kept() const { return kept_; }
  std::vector<Diagnostic> TakeKept() { return std::move(kept_); }
  uint64_t Count(const Rule& rule) const;

 private:
  uint64_t& CountOf(const Rule& rule);

  uint64_t keep_;
  std::vector<Diagnostic> kept_;
  absl::InlinedVector<std::pair<const Rule*, uint64_t>, 4> counts_;
};

}  // namespace gguf

#endif  // GGUF_PARSER_DIAGNOSTIC_H_
