// Checks of importance matrices: for each tensor of the model, the sums of squared activations and
// the number of summands.
//
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/model/base_model.h"
#include "conformance/rules/companions/companion_tensors.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

// For each tensor of the model, `in_sum2` and `in_sum` are [n, m], where n is the
// tensor's row length and m its number of matrices; `counts` is [1, m].
constexpr std::initializer_list<const char*> kParts = {".in_sum2", ".counts", ".in_sum"};

GroupedTensors EntriesOf(const Model& model) { return GroupBySuffix(model, kParts); }

// The suffix of the names of sums; imatrix.dat has none.
const char* SumsSuffix(const File& file) { return file.legacy ? "" : kParts.begin()[0]; }

// Returns the sums of each tensor of the model.
std::vector<TensorGroup> SumsOf(const Model& model) {
  return GroupBySuffix(model, {SumsSuffix(model.file)}).groups;
}

void CountsMatch(const CheckContext& context, Finder& find) {
  for (const auto& [base, parts] : EntriesOf(context.model).groups) {
    const TensorInfo* const in_sum2 = parts[0];
    if (in_sum2 == nullptr) continue;
    const uint64_t length = DimOf(*in_sum2, 0);
    const uint64_t rows = DimOf(*in_sum2, 1);
    const auto expect = [&](const TensorInfo* tensor, uint64_t n, bool fits) {
      if (tensor == nullptr || fits) return;
      find(tensor->at_dims(),
           "are [{n}, {m}], but {other} of [{length}, {rows}] requires [{right}, {rows}]",
           {{"n", DimOf(*tensor, 0)},
            {"m", DimOf(*tensor, 1)},
            {"right", n},
            {"rows", rows},
            {"other", in_sum2->name.value},
            {"length", length}});
    };
    // Loaders read as many counts as there are rows, whatever their shape.
    expect(parts[1], 1, parts[1] != nullptr && ElementCount(*parts[1]) == rows);
    expect(parts[2], length,
           parts[2] != nullptr && DimOf(*parts[2], 0) == length && DimOf(*parts[2], 1) == rows);
  }
}

constexpr Requirement kOnlyMatrices = OnlyKind<GgufKind::kImportanceMatrix>;

// What is wrong with the numbers of one tensor of an importance matrix.
struct Numbers {
  uint64_t count = 0;
  bool all_zero = true;
  uint64_t wrong = 0, first_wrong = 0;  // NaN, infinite or negative.
  float wrong_value = 0;
};

Numbers Examine(const File& file, const TensorInfo& tensor) {
  Numbers numbers;
  ForEachPiece(file, tensor, [&](Bytes bytes, uint64_t) {
    for (size_t i = 0; i + 4 <= bytes.size(); i += 4, ++numbers.count) {
      const float value =
          FloatFromBits(LoadUnsigned<uint32_t>(bytes.data() + i, file.encoding.endian));
      numbers.all_zero = numbers.all_zero && value == 0;
      if (std::isfinite(value) && value >= 0) continue;
      if (numbers.wrong++ > 0) continue;
      numbers.first_wrong = numbers.count;
      numbers.wrong_value = value;
    }
    return true;
  });
  return numbers;
}

// Reports the tensors of imatrix.dat without a call, or with a negative number of calls.
void FindNoCalls(const File& file, Finder& find) {
  if (!file.legacy) return;
  for (const TensorInfo& tensor : file.tensors) {
    const Range where = file.legacy->numbers[tensor.index];
    const Bytes bytes = file.At(where);
    if (bytes.size() < where.size()) return;  // The bytes have changed.
    const auto calls = static_cast<int32_t>(LoadUnsigned<uint32_t>(bytes.data(), Endian::kLittle));
    if (calls > 0) continue;
    find(where, tensor.subject().Of("calls"), "is {calls}: nothing was collected for this tensor",
         {{"calls", int64_t{calls}}});
  }
}

void NumbersPositive(const CheckContext& context, Finder& find) {
  const File& file = context.model.file;
  bool any_collected = false;
  std::vector<const TensorInfo*> zeros;
  for (const TensorInfo& tensor : file.tensors) {
    const absl::string_view name = tensor.name.value;
    if (!absl::EndsWith(name, SumsSuffix(file)) && !absl::EndsWith(name, kParts.begin()[1]))
      continue;
    if (tensor.type.value != static_cast<uint32_t>(TensorType::kF32)) continue;  // imatrix-type-f32
    const Numbers numbers = Examine(file, tensor);
    if (numbers.count == 0) continue;
    any_collected = any_collected || !numbers.all_zero;
    if (numbers.all_zero) zeros.push_back(&tensor);
    if (numbers.wrong == 0) continue;
    const uint64_t at = DataRange(file, tensor).begin + 4 * numbers.first_wrong;
    find({at, at + 4}, tensor.subject().Of("data"),
         numbers.wrong == 1
             ? "has {value} as number {element}, which is no sum of squares and no count"
             : "has {count} numbers that are no sums of squares and no counts, first {value} as "
               "number {element}",
         {{"count", numbers.wrong},
          {"value", Trusted{absl::StrFormat("%g", numbers.wrong_value)}},
          {"element", numbers.first_wrong}});
  }
  if (!any_collected) return;  // Made without data.
  FindNoCalls(file, find);
  for (const TensorInfo* tensor : zeros) {
    find(DataRange(file, *tensor), tensor->subject().Of("data"),
         "has only zeros: nothing was collected for this tensor", {});
  }
}

// Returns whether quantizers use the sums of a tensor of the base: matrices of blocks.
bool IsWeighed(const TensorInfo& tensor) {
  const absl::string_view name = tensor.name.value;
  return absl::StartsWith(name, "blk.") && absl::EndsWith(name, ".weight") && tensor.rank() >= 2 &&
         DimOf(tensor, 1) > 1 && !absl::StrContains(name, "norm") &&
         !absl::StrContains(name, "ffn_gate_inp") && !absl::StrContains(name, "ssm_conv1d");
}

void CoversBase(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const absl::string_view why_not = context.base->why_not_all_tensors();
  if (!why_not.empty()) return find.CannotCheck(why_not);
  uint64_t all = 0, missing = 0;
  absl::string_view first;
  const char* const suffix = SumsSuffix(model.file);
  const TensorTable& tensors = context.base->tensors();
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    const TensorInfo& tensor = tensors[i];
    if (!IsWeighed(tensor)) continue;
    ++all;
    if (model.FindTensor(absl::StrCat(tensor.name.value, suffix)) != nullptr) continue;
    if (missing++ == 0) first = tensor.name.value;
  }
  if (missing == 0 || missing == all) return;  // imatrix-tensor-in-base reports another model.
  constexpr Subject kTensors = {"file", false, 0, {}, "tensors"};
  find(Range(), kTensors,
       "have no sums for {missing} of the {all} matrices of the base, first {name}",
       {{"missing", missing}, {"all", all}, {"name", first}});
}

}  // namespace

constexpr RuleTable kImatrixRules = {
    {.id = "imatrix-tensor-named",
     .severities = {.upload = kNote, .llama_cpp = kNote},
     .summary = "Every tensor of an importance matrix should have the name of a tensor of the "
                "model, followed by .in_sum2, .counts or .in_sum.",
     .why = "llama.cpp ignores any other tensor.",
     .repair = "Remove the tensor.",
     .citation = "Not in the specification; llama.cpp's imatrix program writes these names.",
     .needs = Needs::kTensors,
     .requirements = {kOnlyMatrices},
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorInfo* tensor : EntriesOf(context.model).others) {
             find(tensor->name.where, tensor->subject(),
                  "ends with none of .in_sum2, .counts and .in_sum", {});
           }
         }},
    {.id = "imatrix-tensors-paired",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "An importance matrix shall have both .in_sum2 and .counts for each tensor that it "
                "covers.",
     .why = "Each sum is divided by its count; llama.cpp rejects the file.",
     .repair = "Collect the importance matrix again.",
     .citation = "Not in the specification; llama.cpp reports \"mismatched sums and counts\".",
     .needs = Needs::kTensors,
     .requirements = {kOnlyMatrices},
     .check =
         [](const CheckContext& context, Finder& find) {
           if (context.model.file.progress < Progress::kTensors)
             return;  // The other one may follow.
           for (const TensorGroup& entry : EntriesOf(context.model).groups) {
             for (const int part : {0, 1}) {
               if (entry.parts[part] != nullptr) continue;
               find(entry.any().name.where, entry.any().subject(), "has no matching {other} tensor",
                    {{"other", Trusted{kParts.begin()[part]}}});
             }
           }
         }},
    {.id = "imatrix-type-f32",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "The sums and counts of an importance matrix shall be F32.",
     .why = "llama.cpp rejects the file; earlier versions read sums and counts as floats whatever "
            "their type, even past the end of the data.",
     .repair = "Collect the importance matrix again, and do not quantize it.",
     .citation = "Not in the specification; llama.cpp's imatrix program writes this type.",
     .needs = Needs::kTensors,
     .requirements = {OnlyLike<GgufKind::kImportanceMatrix>},
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorGroup& entry : EntriesOf(context.model).groups) {
             for (const TensorInfo* tensor : entry.parts) {
               if (tensor != nullptr) ExpectF32(*tensor, find);
             }
           }
         }},
    {.id = "imatrix-counts-match",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "In an importance matrix, .counts shall have one number for each row of .in_sum2, "
                "and .in_sum shall have the shape of .in_sum2.",
     .why = "llama.cpp reads a count for each row, even past the end of the counts.",
     .repair = "Collect the importance matrix again.",
     .citation = "Not in the specification; llama.cpp's imatrix program writes these shapes.",
     .needs = Needs::kTensors,
     .requirements = {OnlyLike<GgufKind::kImportanceMatrix>},
     .check = CountsMatch},
    {.id = "imatrix-numbers-positive",
     .severities = {.upload = kError, .llama_cpp = kWarning},
     .summary =
         "The sums and counts of an importance matrix shall be finite, not negative, and not "
         "all zero.",
     .why = "Quantizers weigh the error of each column by its sum divided by the count. With other "
            "numbers, they choose scales by noise, or stop.",
     .repair = "Collect the importance matrix again, with more text. Experts that no token of the "
               "text reached have zeros, which is no fault as long as others have not.",
     .citation = "Not in the specification; llama.cpp's imatrix program writes sums of squares and "
                 "numbers of tokens.",
     .since = "0.2.0",
     .needs = Needs::kPadding,
     .files = Files::kAll,
     .requirements = {OnlyKind<GgufKind::kImportanceMatrix>},
     .check = NumbersPositive},
    {.id = "imatrix-tensor-in-base",
     .severities = {.upload = kWarning, .llama_cpp = kNote},
     .summary = "Every tensor that an importance matrix covers should exist in its model.",
     .why = "llama.cpp's quantizer passes over the sums of other tensors.",
     .repair = "Use the importance matrix with the model from which it was collected.",
     .citation = "Not in the specification; llama.cpp looks up the sums by the name of the tensor.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .files = Files::kAll,
     .against = Against::kBase,
     .requirements = {OnlyWithBase<GgufKind::kImportanceMatrix>},
     .check =
         [](const CheckContext& context, Finder& find) {
           const absl::string_view why_not = context.base->why_not_all_tensors();
           for (const TensorGroup& sums : SumsOf(context.model)) {
             if (context.base->FindTensor(sums.base) != nullptr) continue;
             if (!why_not.empty()) return find.CannotCheck(why_not);
             find(sums.any().name.where, sums.any().subject(),
                  "is about {name}, which the base does not have", {{"name", sums.base}});
           }
         }},
    {.id = "imatrix-lengths-of-base",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "An importance matrix shall have a sum for each element of a row of a tensor, and "
                "for each of its experts.",
     .why = "The sums weigh the columns of the tensor; llama.cpp refuses to quantize the model.",
     .repair = "Use the importance matrix with the model from which it was collected.",
     .citation = "Not in the specification; llama.cpp throws \"imatrix size ... is different from "
                 "tensor size\".",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .files = Files::kAll,
     .against = Against::kBase,
     .requirements = {OnlyWithBase<GgufKind::kImportanceMatrix>},
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const TensorGroup& group : SumsOf(context.model)) {
             const TensorInfo& sums = group.any();
             const TensorInfo* tensor = context.base->FindTensor(group.base);
             // The quantizer leaves these as they are, or passes over their sums.
             if (tensor == nullptr || tensor->rank() < 2 || group.base == "token_embd.weight" ||
                 absl::EndsWith(group.base, ".ffn_gate_inp.weight")) {
               continue;
             }
             uint64_t found = 1;
             for (uint32_t dim = 0; dim < sums.rank(); ++dim) found *= sums.dims[dim];
             const uint64_t wanted = DimOf(*tensor, 0) * DimOf(*tensor, 2);
             if (found == wanted) continue;
             find(sums.at_dims(),
                  "make {found sum|sums}, but {base} has {wanted column|columns} in the base",
                  {{"found", found}, {"base", group.base}, {"wanted", wanted}});
           }
         }},
    {.id = "imatrix-covers-base",
     .severities = {.upload = kWarning, .llama_cpp = kNote},
     .summary = "An importance matrix should have sums for all matrices of its model's blocks.",
     .why =
         "Quantizers treat the columns of the others as equally important; types of two bits and "
         "fewer they refuse.",
     .repair = "Collect the importance matrix from the whole model. Experts that no token reached "
               "may be missing; then use more text.",
     .citation =
         "Not in the specification; llama.cpp's imatrix program writes sums for all matrices "
         "that it multiplied with.",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .files = Files::kAll,
     .against = Against::kBase,
     .requirements = {OnlyWithBase<GgufKind::kImportanceMatrix>},
     .check = CoversBase},
};

}  // namespace gguf
