// The layout of legacy (pre-GGUF) files, top to bottom; and the choice among the possible
// readings of a file.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/parse_legacy.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "parser/cursor.h"
#include "parser/legacy_format.h"
#include "parser/legacy_rules.h"
#include "parser/tensor_type.h"

namespace gguf {
namespace {

// The size of counts, lengths and dimensions.
constexpr uint32_t kLengthBytes = 4;

// One interpretation of a file: the same bytes mean different things in each.
struct Reading {
  const LegacyFamily* family;
  uint32_t alignment;  // Of tensor data, from the start of the file.
};

class Parser {
 public:
  Parser(const FileKind& kind, const Source& source, const Limits& limits, const Deadline& deadline,
         const Reading& reading, Diagnostics* found)
      : limits_(limits),
        deadline_(deadline),
        family_(*reading.family),
        cursor_(source, limits.metadata_bytes, found) {
    file_.bytes = source.prefix;
    file_.size = source.size;
    file_.name = source.name;
    file_.kind = kind;
    file_.kind.format = family_.format;
    file_.alignment = reading.alignment;
    file_.encoding = {kind.endian, kLengthBytes};
    file_.legacy.emplace();
    file_.legacy->family = reading.family;
    cursor_.set_encoding(file_.encoding);
  }

  File Run() {
    ReadMagic() && ReadHeader() && (family_.is_imatrix() ? ReadSums() : ReadTensors());
    file_.infos_end = cursor_.offset();
    file_.stop = cursor_.stop();
    return std::move(file_);
  }

 private:
  bool ReadMagic();
  bool ReadHeader();
  bool ReadPart(const HeaderPart& part);
  bool ReadHparams();
  bool ReadNumbers(const HeaderPart& part);
  bool ReadMelFilters();
  bool ReadVocabularySize();
  bool ReadTokens(bool scored);
  bool CheckFits(absl::string_view field, const Field<uint32_t>& count, uint64_t size_of_each);
  bool InTime(uint64_t index);
  bool ReadTensors();
  bool ReadTensor(TensorInfo* tensor);
  bool ReadDimensions(TensorInfo* tensor);
  bool ReadData(TensorInfo* tensor);
  bool ReadSums();
  bool ReadSumsOf(TensorInfo* tensor);

  LegacyHeader& header() { return *file_.legacy; }

  const Limits& limits_;
  const Deadline& deadline_;
  const LegacyFamily& family_;
  Cursor cursor_;
  File file_;
};

// Returns the type scheme of a file whose hyper-parameters were read.  An
// unversioned file stores the quantization version there, if anywhere.
TypeScheme SchemeOf(const FileKind& kind, const LegacyHeader& header) {
  constexpr TypeScheme kByQuantizationVersion[] = {TypeScheme::kQnt0, TypeScheme::kQnt1,
                                                   TypeScheme::kQnt2};
  if (kind.legacy->version != 0) return kind.legacy->scheme;
  const size_t ftype = header.family->IndexOf("ftype");
  if (ftype == header.hparams.size()) return TypeScheme::kCurrent;  // Silero.
  if (header.family->hparams[ftype].kind != HyperParameter::kPackedFtype) {
    return kind.legacy->scheme;
  }
  // whisper.cpp still writes such files, with today's types.
  const uint32_t version = header.hparams[ftype].value / kFtypesPerVersion;
  if (version < 2) return kByQuantizationVersion[version];
  return kind.format == absl::string_view("whisper-ggml") ? TypeScheme::kCurrent
                                                          : TypeScheme::kQnt2;
}

bool Parser::ReadMagic() {
  cursor_.set_subject({"header"});
  Bytes magic;
  if (family_.is_imatrix()) return true;
  if (!cursor_.Take("magic", 4, &magic)) return false;
  file_.progress = Progress::kMagic;
  const uint32_t known = file_.kind.legacy->version;
  if (known == 0) return true;
  if (!cursor_.ReadU32("version", &file_.version)) return false;
  return file_.version.value == known ||
         cursor_.Fail(kLegacyVersionKnown, "version", file_.version.where,
                      "is {version}, which is no version of {format}",
                      {{"format", Trusted{family_.format}}, {"version", file_.version.value}});
}

bool Parser::ReadHeader() {
  for (const HeaderPart& part : family_.parts) {
    if (!ReadPart(part)) return false;
  }
  file_.progress = Progress::kKeys;
  return true;
}

bool Parser::ReadPart(const HeaderPart& part) {
  cursor_.set_subject({"header"});
  Field<absl::string_view> text;
  switch (part.kind) {
    case HeaderPart::kEnd:
      return true;
    case HeaderPart::kString:
      return cursor_.ReadString(part.name, &text);
    case HeaderPart::kHyperParameters:
      return ReadHparams();
    case HeaderPart::kNumbers:
      return ReadNumbers(part);
    case HeaderPart::kMelFilters:
      return ReadMelFilters();
    case HeaderPart::kVocabularySize:
      return ReadVocabularySize();
    case HeaderPart::kTokens:
      return ReadTokens(/*scored=*/false);
    case HeaderPart::kScoredTokens:
      return ReadTokens(/*scored=*/true);
  }
  return false;
}

bool Parser::ReadHparams() {
  for (const HyperParameter& hparam : family_.hparams) {
    Field<uint32_t> value;
    if (!cursor_.ReadU32(hparam.name, &value)) return false;
    header().hparams.push_back(value);
  }
  header().scheme = SchemeOf(file_.kind, header());
  if (const auto* size = header().Find("n_vocab")) header().tokens = *size;
  file_.progress = Progress::kHeader;
  return true;
}

bool Parser::CheckFits(absl::string_view field, const Field<uint32_t>& count,
                       uint64_t size_of_each) {
  return cursor_.Fits(count.value, size_of_each) ||
         cursor_.FailToFit(kLegacyCountsFit, field, count.where, count.value, size_of_each,
                           "is {count}, but the rest of the file is too short for that many "
                           "entries of at least {size} bytes",
                           {{"count", count.value}, {"size", size_of_each}});
}

bool Parser::ReadNumbers(const HeaderPart& part) {
  const uint64_t entry_bytes = uint64_t{part.words} * 4;
  Field<uint32_t> count;
  count.value = 1;
  if (part.count != nullptr) {
    if (const Field<uint32_t>* hparam = header().Find(part.count)) {
      count = *hparam;
    } else if (!cursor_.ReadU32(part.count, &count)) {
      return false;
    }
    if (!CheckFits(part.count, count, entry_bytes)) return false;
  }
  const uint64_t begin = cursor_.offset();
  Bytes numbers;
  if (!cursor_.Take(part.name, count.value * entry_bytes, &numbers)) return false;
  header().numbers.push_back({begin, cursor_.offset()});
  return true;
}

// The product of the two counts has at most 64 bits.
bool Parser::ReadMelFilters() {
  Field<uint32_t> n_mel, n_fft;
  Bytes filters;
  cursor_.set_subject({"filters"});
  if (!cursor_.ReadU32("n_mel", &n_mel) || !cursor_.ReadU32("n_fft", &n_fft)) {
    return false;
  }
  header().n_mel = n_mel;
  header().n_fft = n_fft;
  const uint64_t count = uint64_t{n_mel.value} * n_fft.value;
  if (!cursor_.Fits(count, 4)) {
    return cursor_.FailToFit(
        kLegacyCountsFit, "n_mel", n_mel.where, count, 4,
        "is {n_mel} and n_fft {n_fft}, but the rest of the file is too short for that many floats",
        {{"n_mel", n_mel.value}, {"n_fft", n_fft.value}});
  }
  return cursor_.Take("data", count * 4, &filters);
}

bool Parser::ReadVocabularySize() {
  cursor_.set_subject({"vocabulary"});
  return cursor_.ReadU32("size", &header().tokens);
}

bool Parser::ReadTokens(bool scored) {
  const Field<uint32_t>& count = header().tokens;
  const uint64_t begin = cursor_.offset();
  if (!CheckFits("size", count, scored ? 8 : 4)) return false;
  for (uint64_t i = 0; i < count.value; ++i) {
    Field<absl::string_view> text;
    Field<uint32_t> score;
    cursor_.set_subject({"token", true, i, {}});
    if (!InTime(i) || !cursor_.ReadString("text", &text) ||
        (scored && !cursor_.ReadU32("score", &score))) {
      return false;
    }
  }
  header().scored = scored;
  header().vocabulary = {begin, cursor_.offset()};
  return true;
}

bool Parser::InTime(uint64_t index) {
  return !deadline_.passed_before(index) || cursor_.StopAtLimit(deadline_.why());
}

bool Parser::ReadTensors() {
  constexpr uint64_t kHeaderBytes = 12;
  while (cursor_.remaining() > 0) {
    TensorInfo tensor;
    tensor.index = file_.tensors.size();
    tensor.scheme = header().scheme;
    cursor_.set_subject({"tensor", true, tensor.index, {}});
    if (cursor_.remaining() < kHeaderBytes) {
      return cursor_.Fail(
          kLegacyRecordsWhole, "", {cursor_.offset(), file_.size},
          "would begin {count byte|bytes} before the end of the file, too few for a tensor",
          {{"count", cursor_.remaining()}});
    }
    if (tensor.index == limits_.tensors) {
      return cursor_.StopAtLimit(absl::StrCat("the limit of ", limits_.tensors, " tensors"));
    }
    if (!InTime(tensor.index) || !ReadTensor(&tensor)) return false;
    file_.tensors.push_back(tensor);
  }
  file_.tensor_count.value = file_.tensors.size();
  file_.progress = Progress::kTensors;
  return true;
}

bool Parser::ReadTensor(TensorInfo* tensor) {
  Field<uint32_t> name_length;
  Bytes name;
  if (!cursor_.ReadU32("n_dims", &tensor->n_dims) ||
      !cursor_.ReadU32("name_length", &name_length) || !cursor_.ReadU32("type", &tensor->type) ||
      !ReadDimensions(tensor)) {
    return false;
  }
  // Zeros after the last tensor could be read as any number of tensors.
  if (name_length.value == 0) {
    return cursor_.Fail(kLegacyRecordsWhole, "name_length", name_length.where,
                        "is 0, so this is not a tensor", {});
  }
  if (!cursor_.Take("name", name_length.value, &name)) return false;
  tensor->name.value = AsText(name);
  tensor->name.where = {cursor_.offset() - name.size(), cursor_.offset()};
  cursor_.set_subject(tensor->subject());
  return ReadData(tensor);
}

bool Parser::ReadDimensions(TensorInfo* tensor) {
  const uint32_t count = tensor->n_dims.value;
  if (count > kMaxDimensions) {
    return cursor_.Fail(kLegacyDimensionCount, "n_dims", tensor->n_dims.where,
                        "is {count}, more than 4", {{"count", count}});
  }
  const uint64_t begin = cursor_.offset();
  for (uint32_t i = 0; i < count; ++i) {
    Field<uint32_t> dim;
    if (!cursor_.ReadU32("dims", &dim)) return false;
    tensor->dims[i] = dim.value;
  }
  tensor->dims_range = {begin, cursor_.offset()};
  return true;
}

bool Parser::ReadData(TensorInfo* tensor) {
  constexpr uint64_t kMostDimension = (uint64_t{1} << 31) - 1;
  if (tensor->type_info() == nullptr) {
    return cursor_.Fail(kLegacyTensorTypeKnown, "type", tensor->type.where,
                        "is {type}, which this version of the format does not define",
                        {{"type", tensor->type.value}});
  }
  const auto largest = std::max_element(tensor->dims.begin(), tensor->dims.end());
  tensor->bytes = ByteSize(*tensor, file_.alignment);
  if (*largest > kMostDimension || !tensor->bytes) {
    return cursor_.Fail(kLegacyTensorSizeKnown, "dims", tensor->dims_where(),
                        "are {dims}, which no tensor of {type} (in blocks of {block}) can have",
                        {{"dims", Trusted{tensor->ShapeText()}},
                         {"type", Trusted{tensor->type_info()->name}},
                         {"block", tensor->type_info()->block_elements}});
  }
  // Cannot wrap: the offset lies inside the file.
  const uint64_t begin = *CheckedAlignUp(cursor_.offset(), uint64_t{file_.alignment});
  if (!cursor_.Skip("padding", begin - cursor_.offset())) return false;
  tensor->offset = {begin, {begin, begin}};
  return cursor_.Skip("data", *tensor->bytes);
}

bool Parser::ReadSums() {
  constexpr uint64_t kLeastBytes = 12;  // Of an entry: three numbers.
  const Field<uint32_t>& entries = header().hparams[0];
  if (!CheckFits("n_entries", entries, kLeastBytes)) return false;
  for (uint64_t i = 0; i < entries.value; ++i) {
    TensorInfo tensor;
    tensor.index = i;
    tensor.scheme = header().scheme;
    cursor_.set_subject({"tensor", true, i, {}});
    if (i == limits_.tensors) {
      return cursor_.StopAtLimit(absl::StrCat("the limit of ", limits_.tensors, " tensors"));
    }
    if (!InTime(i) || !ReadSumsOf(&tensor)) return false;
    file_.tensors.push_back(tensor);
  }
  file_.tensor_count.value = file_.tensors.size();
  cursor_.set_subject({"header"});
  Field<uint32_t> chunks;
  Field<absl::string_view> dataset;
  if (cursor_.remaining() > 0 &&
      (!cursor_.ReadU32("chunks", &chunks) || !cursor_.ReadString("dataset", &dataset))) {
    return false;
  }
  if (cursor_.remaining() > 0) {
    return cursor_.Fail(kLegacyRecordsWhole, "dataset", dataset.where,
                        "ends {count byte|bytes} before the end of the file",
                        {{"count", cursor_.remaining()}});
  }
  file_.progress = Progress::kTensors;
  return true;
}

bool Parser::ReadSumsOf(TensorInfo* tensor) {
  Field<uint32_t> calls, sums;
  if (!cursor_.ReadString("name", &tensor->name)) return false;
  cursor_.set_subject(tensor->subject());
  if (!cursor_.ReadU32("calls", &calls) || !cursor_.ReadU32("dims", &sums) ||
      !CheckFits("dims", sums, 4)) {
    return false;
  }
  header().numbers.push_back(calls.where);
  tensor->n_dims = {1, sums.where};
  tensor->dims[0] = sums.value;
  tensor->dims_range = sums.where;
  tensor->type = {static_cast<uint32_t>(TensorType::kF32), sums.where};
  return ReadData(tensor);
}

File ReadAs(const Reading& reading, const FileKind& kind, const Source& source,
            const Limits& limits, const Deadline& deadline, Diagnostics* found) {
  return Parser(kind, source, limits, deadline, reading, found).Run();
}

// Measures how implausible a reading is: the number of hyper-parameters that no
// model has, or that were not read, and one more if no tensor is named as in a
// block of the family.
size_t Doubts(const File& file) {
  const LegacyHeader& header = *file.legacy;
  size_t doubts = header.family->hparams.size() - header.hparams.size();
  for (size_t i = 0; i < header.hparams.size(); ++i) {
    doubts += !header.family->hparams[i].IsPlausible(header.hparams[i].value);
  }
  const bool has_block = absl::c_any_of(file.tensors, [&](const TensorInfo& tensor) {
    return header.family->FindStack(tensor.name.value) != nullptr;
  });
  return doubts + (!file.tensors.empty() && !has_block);
}

std::vector<Reading> ReadingsOf(const FileKind& kind) {
  const uint32_t alignment = kind.legacy->alignment;
  std::vector<Reading> readings;
  for (const LegacyFamily& family : kind.legacy->families) {
    readings.push_back({&family, alignment});
  }
  // Files written without padding.
  if (alignment != 1) readings.push_back({readings[0].family, 1});
  return readings;
}

// Returns why the file is identified as this family.
std::string WhyThisFamily(const File& file) {
  const LegacyHeader& header = *file.legacy;
  if (file.version.value != 0) return "judging by its magic and version";
  return file.stop ? "judging by its hyperparameters, although it cannot be read to its end"
                   : absl::StrCat("judging by its hyperparameters and because all of ", "it, with ",
                                  header.tokens.value, " tokens and ", file.tensors.size(),
                                  " tensors, can be read so");
}

}  // namespace

File ParseLegacy(const FileKind& kind, const Source& source, const Limits& limits,
                 Diagnostics* found) {
  const Deadline deadline(limits.seconds);
  const std::vector<Reading> readings = ReadingsOf(kind);
  const auto read = [&](const Reading& reading, Diagnostics* out) {
    return ReadAs(reading, kind, source, limits, deadline, out);
  };
  // The smallest is the best.
  const auto rank = [&](const File& file) {
    return std::make_tuple(file.stop.has_value(), Doubts(file), source.size - file.infos_end);
  };
  std::optional<File> best;
  const Reading* best_reading = nullptr;
  // The values compared: whether the reading stopped, and its implausibility.
  std::vector<std::pair<const LegacyFamily*, std::pair<bool, size_t>>> tried;
  for (const Reading& reading : readings) {
    Diagnostics unused(0);
    File file = read(reading, &unused);
    const std::pair<bool, size_t> trust(file.stop.has_value(), Doubts(file));
    tried.emplace_back(reading.family, trust);
    if (best && rank(file) >= rank(*best)) continue;
    best = std::move(file);
    best_reading = &reading;
    // Only GGML files have an ambiguous family.
    if (!best->stop && best->kind.version) break;
  }
  const std::pair<bool, size_t> trust(best->stop.has_value(), Doubts(*best));
  // A file that was read completely has no diagnostics.
  if (best->stop) best = read(*best_reading, found);
  for (const auto& [family, its_trust] : tried) {
    if (family == best_reading->family || its_trust > trust) continue;
    best->legacy->also.push_back(family);
  }
  return *std::move(best);
}

void ForEachToken(const File& file,
                  const std::function<void(absl::string_view text, uint32_t score)>& each) {
  const LegacyHeader& header = *file.legacy;
  if (header.vocabulary.size() == 0) return;
  Cursor cursor(file.source(), header.vocabulary);
  cursor.set_encoding(file.encoding);
  for (uint32_t i = 0; i < header.tokens.value; ++i) {
    Field<absl::string_view> text;
    Field<uint32_t> score;
    if (!cursor.ReadString("", &text) || (header.scored && !cursor.ReadU32("", &score))) {
      return;  // The bytes have changed.
    }
    each(text.value, score.value);
  }
}

std::string AboutLegacy(const File& file) {
  if (file.progress < Progress::kKeys && !file.legacy->also.empty()) {
    return "a model of one of the families of GGML; the part that could be read does not tell "
           "which";
  }
  const LegacyFamily& family = *file.legacy->family;
  if (family.is_imatrix()) {
    return absl::StrCat("an importance matrix in the format before GGUF. Still read by: ",
                        family.support.readers, ". ", family.support.advice);
  }
  return absl::StrCat("a model of the family ", family.name, ", ", WhyThisFamily(file),
                      ". Still read by: ", family.support.readers, ". ", family.support.advice);
}

}  // namespace gguf
