// Counts the tokens of a tokenizer.json while it is parsed.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/tokenizer/huggingface_json.h"

#include <algorithm>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

namespace gguf {
namespace {

using Json = nlohmann::json;

// Follows the parser through
//   {"added_tokens": [{"id": 0, ...}, ...], "model": {"vocab": ...}}
// where vocab is an object of tokens and ids, or an array of pairs.
class TokenCounter : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return Value(); }
  bool boolean(bool) override { return Value(); }
  bool number_integer(number_integer_t) override { return Value(); }
  bool number_unsigned(number_unsigned_t number) override {
    if (depth_ == 3 && outer_ == "added_tokens" && inner_ == "id") {
      added_.push_back(number);
    }
    return Value();
  }
  bool number_float(number_float_t, const string_t&) override { return Value(); }
  bool string(string_t&) override { return Value(); }
  bool binary(binary_t&) override { return Value(); }

  bool key(string_t& name) override {
    if (depth_ == 1) outer_ = name;
    if (depth_ > 1 && depth_ <= 3) inner_ = name;
    if (InVocab() && is_object_) ++vocab_;
    return true;
  }
  bool start_object(std::size_t) override { return Open(true); }
  bool start_array(std::size_t) override { return Open(false); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    fault = position;
    return false;
  }

  std::optional<uint64_t> Tokens() {
    if (!has_vocab_) return std::nullopt;
    std::sort(added_.begin(), added_.end());
    added_.erase(std::unique(added_.begin(), added_.end()), added_.end());
    const auto beyond = std::lower_bound(added_.begin(), added_.end(), vocab_);
    return vocab_ + static_cast<uint64_t>(added_.end() - beyond);
  }

  std::optional<uint64_t> fault;
  bool is_object = false;

 private:
  bool InVocab() const { return in_vocab_ && depth_ == 3; }

  // Handles a scalar, or the start of an object or array.
  bool Value() {
    if (InVocab() && !is_object_) ++vocab_;
    return true;
  }
  bool Open(bool is_object) {
    Value();
    if (depth_ == 0) this->is_object = is_object;
    ++depth_;
    if (depth_ == 3 && outer_ == "model" && inner_ == "vocab") {
      has_vocab_ = in_vocab_ = true;
      is_object_ = is_object;
    }
    return true;
  }
  bool Close() {
    if (depth_ == 3) in_vocab_ = false;
    --depth_;
    return true;
  }

  uint64_t depth_ = 0;  // Open objects and arrays.
  std::string outer_;   // The last key at depth 1,
  std::string inner_;   // and at depth 2 or 3.
  bool has_vocab_ = false;
  bool in_vocab_ = false;
  bool is_object_ = false;  // The vocabulary, not an array.
  uint64_t vocab_ = 0;
  std::vector<uint64_t> added_;
};

}  // namespace

HuggingFaceTokenizer ReadHuggingFaceTokenizer(absl::string_view text) {
  TokenCounter counter;
  Json::sax_parse(text.begin(), text.end(), &counter);
  return {counter.fault, counter.is_object, counter.Tokens()};
}

}  // namespace gguf
