// Tests that the byte range of a finding is that of its subject.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "fuzz/kit/mutator_inputs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

constexpr uint32_t kMutants = 1000;

bool IsIn(Range part, Range whole) { return whole.begin <= part.begin && part.end <= whole.end; }
bool IsExactly(Range a, Range b) { return a.begin == b.begin && a.end == b.end; }

// Returns the ranges of the elements of an array, found by walking it.
std::vector<Range> ElementsOf(const File& file, const KeyValue& kv) {
  struct : ValueVisitor {
    std::vector<Range> elements;

    void BeginArray(const ValueTypeInfo&, uint64_t length, uint64_t depth, uint64_t element,
                    Range where) {
      depth == 1 ? elements.resize(length) : Add(element, where);
    }
    void Scalars(const ValueTypeInfo& type, uint64_t count, Bytes, uint64_t offset,
                 uint64_t element, uint64_t step) {
      for (uint64_t i = 0; i < count; ++i) {
        Add(element + i * step, {offset + i * type.size, offset + (i + 1) * type.size});
      }
    }
    void String(absl::string_view, Range where, uint64_t element) { Add(element, where); }
    void Add(uint64_t element, Range where) {
      Range& range = elements.at(element);
      if (range.end == 0) range.begin = where.begin;
      range.end = where.end;
    }
  } visitor;
  if (kv.element_type != nullptr) WalkValue(file, kv, &visitor);
  return visitor.elements;
}

// Parses "[7]".
bool ParseElement(absl::string_view text, uint64_t* element) {
  return absl::ConsumePrefix(&text, "[") && absl::ConsumeSuffix(&text, "]") &&
         absl::SimpleAtoi(text, element);
}

// Returns whether the range of a finding about the entry is the right one.
// `what` is the rest of its subject after the entry's name.
bool IsRight(const File& file, const KeyValue& kv, absl::string_view what, const Diagnostic& d) {
  if (what.empty()) return IsIn(d.where, {kv.key.where.begin, kv.value.end});
  if (what == ".key") return IsExactly(d.where, kv.key.where);
  if (what == ".type") return IsExactly(d.where, kv.type_where());
  if (what == ".value" || absl::StartsWith(what, ".value.")) return IsIn(d.where, kv.value);
  uint64_t element;
  if (!absl::ConsumePrefix(&what, ".value") || !ParseElement(what, &element)) return false;
  const std::vector<Range> elements = ElementsOf(file, kv);
  if (element >= elements.size()) return false;
  // A unit of a charsmap is four elements.
  if (absl::StartsWith(d.rule->id, "charsmap-")) return d.where.begin == elements[element].begin;
  // Of an array in an array, a part may be wrong.
  if (kv.element_type->kind == ValueKind::kArray) return IsIn(d.where, elements[element]);
  return IsExactly(d.where, elements[element]);
}

bool IsRight(const File& file, const TensorInfo& tensor, absl::string_view what,
             const Diagnostic& d) {
  if (what.empty()) return IsIn(d.where, {tensor.name.where.begin, tensor.offset.where.end});
  if (what == ".name") return IsExactly(d.where, tensor.name.where);
  if (what == ".n_dims") return IsExactly(d.where, tensor.n_dims.where);
  if (what == ".dims") return IsExactly(d.where, tensor.dims_where());
  if (what == ".type") return IsExactly(d.where, tensor.type.where);
  if (what == ".calls" && file.legacy) {  // Of an importance matrix.
    return IsExactly(d.where, file.legacy->numbers[tensor.index]);
  }
  if (what == ".offset") return IsExactly(d.where, tensor.offset.where);
  uint64_t dim;
  if (absl::ConsumePrefix(&what, ".dims") && ParseElement(what, &dim)) {
    return IsIn(d.where, tensor.dims_where());
  }
  const uint64_t begin = file.data_begin + tensor.offset.value;
  const uint64_t end = std::min(begin + tensor.bytes.value_or(0), file.size);
  if (what == ".data") return IsIn(d.where, {begin, end});
  // In legacy formats, before the data.
  return what == ".padding" && (d.where.begin >= end || d.where.end <= begin);
}

// Returns whether a finding is about one of these entries, and sets `right` if
// its range is that of one of that name.
template <class Entries>
bool IsAboutOne(const File& file, const Entries& entries, const Diagnostic& d, bool* right) {
  bool is_about = false;
  for (const auto& entry : entries) {
    absl::string_view what = d.subject;
    if (!absl::ConsumePrefix(&what, entry.subject().Path())) continue;
    is_about = true;
    *right |= IsRight(file, entry, what, d);
  }
  return is_about;
}

// Returns where the last entry that was read ends.
uint64_t EndOfRead(const File& file) {
  if (!file.tensors.empty()) return file.tensors.back().offset.where.end;
  return file.keys.empty() ? 0 : file.keys.back().value.end;
}

// Checks the findings of a file; adds the rules that found an element.
void ExpectRightRanges(const std::string& name, const std::string& bytes,
                       std::set<std::string>* of_elements) {
  CheckOptions options;
  options.weights = true;
  const FileReport report = Validate(AsBytes(bytes), *Profile::Find("pedantic"), options);
  const File file = Parsed(bytes);
  for (const Finding& finding : report.findings) {
    const Diagnostic& d = finding.diagnostic;
    ASSERT_TRUE(IsIn(d.where, {0, bytes.size()})) << name << ": " << d.subject;
    bool right = false;
    const bool is_about =
        IsAboutOne(file, file.keys, d, &right) || IsAboutOne(file, file.tensors, d, &right);
    // The entry at which reading stopped is behind those that were read, and may have the name of
    // one.
    const bool is_unread = file.progress < Progress::kTensors && d.where.begin >= EndOfRead(file);
    EXPECT_TRUE(right || !is_about || is_unread)
        << name << ": " << d.rule->id << ": " << d.subject << " is not " << d.where.begin << " to "
        << d.where.end;
    if (absl::StrContains(d.subject, "].value[")) of_elements->insert(d.rule->id);
  }
}

TEST(FindingRangesTest, AreThoseOfTheirSubjects) {
  const auto files = CorpusFiles("corpus/cases", size_t{1} << 16);
  ASSERT_TRUE(files.ok());
  std::set<std::string> of_elements;
  for (const auto& [id, bytes] : *files) ExpectRightRanges(id, bytes, &of_elements);
  uint32_t seed = 0;
  for (auto file = files->begin(); seed < kMutants; ++seed) {
    ExpectRightRanges(absl::StrCat(file->first, " by seed ", seed), Mutant(file->second, seed),
                      &of_elements);
    // A step that visits all of them.
    for (int i = 0; i < 7; ++i) {
      if (++file == files->end()) file = files->begin();
    }
  }
  EXPECT_THAT(of_elements,
              testing::IsSupersetOf({"hparam-array-values-in-range", "head-count-positive",
                                     "head-count-kv-divides", "expert-counts-consistent",
                                     "architecture-hparams-consistent",
                                     "projector-feature-layer-in-range"}));
}

}  // namespace
}  // namespace gguf
