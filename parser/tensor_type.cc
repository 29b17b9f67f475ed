// Looks up tensor types by the ids in files; reads expressions of sizes.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/tensor_type.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "conformance/base/text.h"

namespace gguf {

const TensorTypeInfo* FindTensorType(uint32_t id) {
  return id < kGgufTensorTypes ? &kTensorTypes[id] : nullptr;
}

const TensorTypeInfo* FindTensorType(uint32_t id, TypeScheme scheme) {
  if (scheme == TypeScheme::kGguf || scheme == TypeScheme::kCurrent) {
    const TensorTypeInfo* const info = FindTensorType(id);
    const bool is_left_out =
        scheme == TypeScheme::kCurrent && info != nullptr && info->removed != nullptr;
    return is_left_out ? nullptr : info;
  }
  const int column = static_cast<int>(scheme) - static_cast<int>(TypeScheme::kQnt0);
  for (const TensorTypeInfo& info : kTensorTypes) {
    if (info.legacy_ids[column] == static_cast<int64_t>(id)) return &info;
  }
  return nullptr;
}

const TensorTypeInfo& GetTensorType(TensorType type) {
  constexpr auto kFirstOld = static_cast<uint32_t>(TensorType::kFirstOld);
  const auto id = static_cast<uint32_t>(type);
  return kTensorTypes[id < kFirstOld ? id : id - kFirstOld + kGgufTensorTypes];
}

const std::vector<SizedType>& ForeignTypes() {
  static const auto& types = *new std::vector<SizedType>{
#include "parser/foreign_types.inc"
  };
  return types;
}

const SizedType* FindSizedType(const OwnTypes* own, uint32_t id) {
  if (own != nullptr && own->by_id.count(id) > 0) return &own->by_id.at(id);
  for (const SizedType& type : ForeignTypes()) {
    if (type.id == id) return &type;
  }
  return nullptr;
}

namespace {

// Reads an expression by recursive descent.
class SizeReader {
 public:
  SizeReader(absl::string_view text, uint64_t elements, std::string* error)
      : rest_(text), elements_(elements), error_(error) {}

  std::optional<uint64_t> Read() {
    const uint64_t value = ReadSum();
    if (!IsAtEnd()) Expect("+, * or /");
    if (overflows_ || !error_->empty()) return std::nullopt;
    return value;
  }

 private:
  uint64_t ReadSum() {
    uint64_t sum = ReadProduct();
    while (Take("+")) overflows_ |= __builtin_add_overflow(sum, ReadProduct(), &sum);
    return sum;
  }

  uint64_t ReadProduct() {
    uint64_t product = ReadOperand();
    while (true) {
      if (Take("*")) {
        overflows_ |= __builtin_mul_overflow(product, ReadOperand(), &product);
      } else if (Take("/")) {
        product /= ReadNumber(1, "a number from 1 to 2^64 - 1 after /");
      } else {
        return product;
      }
    }
  }

  uint64_t ReadOperand() {
    if (Take("elements")) return elements_;
    if (!Take("(")) return ReadNumber(0, "elements, or a number below 2^64");
    const uint64_t sum = ReadSum();
    if (!Take(")")) Expect("a closing parenthesis");
    return sum;
  }

  // Returns `least` if a number from there on is not next.
  uint64_t ReadNumber(uint64_t least, absl::string_view expected) {
    const size_t size =
        IsAtEnd() ? 0 : std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    uint64_t number = 0;
    if (!absl::SimpleAtoi(rest_.substr(0, size), &number) || number < least) {
      Expect(expected);
      return least;
    }
    rest_.remove_prefix(size);
    return number;
  }

  bool IsAtEnd() {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return rest_.empty();
  }
  bool Take(absl::string_view word) { return !IsAtEnd() && absl::ConsumePrefix(&rest_, word); }

  // Keeps the first error, and ends the reading.
  void Expect(absl::string_view what) {
    const std::string found = IsAtEnd() ? " at the end" : absl::StrCat(", not ", Quote(rest_));
    if (error_->empty()) *error_ = absl::StrCat(what, found);
    rest_ = "";
  }

  absl::string_view rest_;
  const uint64_t elements_;
  std::string* const error_;
  bool overflows_ = false;
};

}  // namespace

std::optional<uint64_t> EvaluateSize(absl::string_view text, uint64_t elements,
                                     std::string* error) {
  constexpr size_t kMost = 200;  // Bounds the depth of the recursion.
  if (text.size() <= kMost) return SizeReader(text, elements, error).Read();
  *error = absl::StrCat("at most ", kMost, " characters");
  return std::nullopt;
}

}  // namespace gguf
