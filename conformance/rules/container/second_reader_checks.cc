// Checks what stable-diffusion.cpp makes of a file that ggml refuses.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <optional>

#include "absl/algorithm/container.h"
#include "conformance/base/limits.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "parser/cursor.h"
#include "parser/value.h"

namespace gguf {
namespace {

// SecondReader: reads a file as the second reader of stable-diffusion.cpp does.  It takes the
// elements of arrays for keys, and every file for one of version 3 in little endian; where only
// the latter leads it astray, the file is sound and the fault is the reader's.
class SecondReader {
 public:
  explicit SecondReader(const File& file) : file_(file), cursor_(file.source(), {8, Size()}) {}

  // Returns the first number with which it crashes, or allocates more than the file holds; nothing
  // if it accepts or refuses the file.
  std::optional<uint64_t> Run() {
    const uint64_t tensors = U64(), keys = U64();
    for (uint64_t i = 0; good_ && i < keys; ++i) ReadKey(0);
    for (uint64_t i = 0; good_ && i < tensors; ++i) ReadTensor();
    return trusted_;
  }

 private:
  static constexpr uint64_t kLongestKey = 4096, kMostDepth = 1000, kMostBytes = 64 << 20;

  uint64_t Size() const { return file_.bytes.size(); }
  uint32_t U32() {
    Field<uint32_t> number;
    good_ = good_ && cursor_.ReadU32("", &number);
    return number.value;
  }
  uint64_t U64() {
    Field<uint64_t> number;
    good_ = good_ && cursor_.ReadU64("", &number);
    return number.value;
  }
  absl::string_view Text(uint64_t size) {
    Bytes bytes;
    good_ = good_ && cursor_.Take("", size, &bytes);
    return AsText(bytes);
  }
  void Trust(uint64_t number) {
    trusted_ = number;
    good_ = false;
  }
  // Returns a number of entries, for which it allocates memory.
  uint64_t Allocated(uint64_t count, uint64_t size) {
    if (!cursor_.Fits(count, size) && count > kMostBytes / size) Trust(count);
    return count;
  }
  void ReadKey(uint64_t depth);
  void ReadTensor();

  const File& file_;
  Cursor cursor_;
  bool good_ = true;
  std::optional<uint64_t> trusted_;
};

void SecondReader::ReadKey(uint64_t depth) {
  PollDeadline();
  const uint64_t length = U64();
  good_ = good_ && length <= kLongestKey;
  const absl::string_view key = Text(length);
  const ValueTypeInfo* type = FindValueType(U32(), 3);
  if (key == "general.alignment") return static_cast<void>(U32());
  good_ = good_ && type != nullptr;
  if (!good_) return;
  if (type->kind == ValueKind::kArray) {
    U32();
    const uint64_t count = U64();
    if (depth == kMostDepth) return Trust(depth);
    for (uint64_t i = 0; good_ && i < count; ++i) ReadKey(depth + 1);
    return;
  }
  const uint64_t size = type->kind == ValueKind::kString ? U64() : type->size;
  if (size > INT64_MAX) return Trust(size);  // It seeks backward.
  good_ = good_ && cursor_.Skip("", size);
}

void SecondReader::ReadTensor() {
  PollDeadline();
  Text(Allocated(U64(), 1));
  const uint64_t n_dims = Allocated(U32(), 8);
  std::optional<uint64_t> weights = 1;
  for (uint64_t i = 0; good_ && i < n_dims; ++i) {
    const uint64_t dim = U64();
    weights = CheckedMultiply(*weights, dim);
    // A byte has at most eight.
    if (good_ && (!weights || *weights / 8 > Size())) return Trust(dim);
  }
  const uint32_t type = U32();
  U64();
  if (good_ && FindTensorType(type, TypeScheme::kGguf) == nullptr) Trust(type);
}

// Returns whether ggml refuses the file.
bool IsRefused(const CheckContext& context) {
  static const Profile& profile = *Profile::Find("llama.cpp");
  Diagnostics found(0);
  return absl::c_any_of(Catalogue(), [&](const Rule* rule) {
    const Rule::Check check = CheckOf(*rule);
    if (rule->scope != Scope::kContainer || profile.SeverityOf(*rule) != Severity::kError ||
        check == nullptr || rule->needs > Needs::kLayout || !IsAbout(*rule, context.model.file) ||
        !WhyNot(*rule, context).empty()) {
      return false;
    }
    Finder find(*rule, &found);
    check(context, find);
    return found.Count(*rule) > 0;
  });
}

Reason OnlyOfLaterVersions(const Model& model) {
  const bool is_other = model.file.version.value < 2 || model.file.encoding.endian == Endian::kBig;
  return is_other ? Reason::Silent() : Reason();
}

// Reports the array that leads the reader astray, if one does.
void SecondReaderUnharmed(const CheckContext& context, Finder& find) {
  const File& file = context.model.file;
  const auto array =
      absl::c_find_if(file.keys, [](const KeyValue& kv) { return kv.element_type != nullptr; });
  if (array == file.keys.end()) return;
  const auto trusted = SecondReader(file).Run();
  if (!trusted || !IsRefused(context)) return;
  find(array->at_value(),
       "leads the second reader of stable-diffusion.cpp astray, which then trusts the number "
       "{number}",
       {{"number", *trusted}});
}

}  // namespace

constexpr RuleTable kSecondReaderRules = {
    {.id = "second-reader-unharmed",
     .severities = {.upload = kError, .safety = kError},
     .summary = "A file that ggml refuses shall not harm a reader that then reads it in its own "
                "way.",
     .why = "stable-diffusion.cpp has a second reader for such files. It takes the elements of "
            "arrays for keys, and then other bytes for lengths and dimensions, which it allocates "
            "without comparing them with the file.",
     .repair = "Correct what ggml refuses (--profile llama.cpp shows it), for example by laying "
               "the data out again.",
     .citation = "Not in the specification; GGUFReader of stable-diffusion.cpp 97d29908.",
     .since = "0.2.0",
     .unbreakable = "it requires bytes that a reader with a lost place takes for a huge number",
     .scope = Scope::kContainer,
     .needs = Needs::kLayout,
     .requirements = {OnlyOfLaterVersions},
     .check = SecondReaderUnharmed},
};

}  // namespace gguf
