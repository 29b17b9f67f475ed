// Checks of the precompiled charsmap of a unigram (T5) vocabulary: a trie of
// texts and their replacements.
//
//   byte 0      n       u32, bytes of the trie
//   byte 4      trie    n / 4 units, an XOR-compressed double array
//   byte 4 + n  texts   the replacements, each ended by a NUL
//
// A unit has its offset in bits 10 to 30 (times 256 when bit 9 is set) and its
// label in bits 0 to 7.  The children of unit i are at i ^ offset ^ label. With
// bit 8 set, i ^ offset is a value instead of a child: bit 31 is set and the
// rest is an index into the texts.  The blob is little endian in every file, as
// SentencePiece wrote it.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "conformance/base/bytes.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

constexpr uint64_t kUnitSize = sizeof(uint32_t);
constexpr uint32_t kIsValue = uint32_t{1} << 31;

struct Charsmap {
  const KeyValue* key;
  Bytes bytes;
  uint64_t trie_size;  // From the header; 0 without one.

  Subject subject() const { return key->subject().Of("value"); }
  bool has_header() const { return bytes.size() >= kUnitSize; }
  // Returns whether there are bytes after the trie.
  bool trie_fits() const { return has_header() && trie_size < bytes.size() - kUnitSize; }

  // 0 when the trie does not fit, as when the file changes meanwhile.
  uint64_t units() const { return trie_fits() ? trie_size / kUnitSize : 0; }
  uint32_t unit(uint64_t i) const {
    return LoadUnsigned<uint32_t>(bytes.data() + (1 + i) * kUnitSize, Endian::kLittle);
  }
  // Returns the position of the children of unit `i`, without their labels.
  uint64_t base(uint64_t i) const {
    const uint32_t packed = unit(i);
    return i ^ uint64_t { packed >> 10 } << ((packed & 1u << 9) >> 6);
  }
  bool has_label(uint64_t i, uint8_t label) const { return (unit(i) & (kIsValue | 0xff)) == label; }
  bool has_value(uint64_t i) const { return (unit(i) >> 8 & 1) != 0; }
  // For a unit that is a value.
  uint64_t text_of(uint64_t i) const { return unit(i) & ~kIsValue; }
  Bytes texts() const { return bytes.subspan(kUnitSize + trie_size); }
  // Returns the file offset of byte `i` of the blob.
  uint64_t offset_of(uint64_t i) const { return key->value.end - bytes.size() + i; }
};

const KeyValue* CharsmapKey(const Model& model) {
  constexpr char kName[] = "tokenizer.ggml.precompiled_charsmap";
  const KeyValue* kv = ArrayKey(model, kName, ValueType::kU8);
  return kv != nullptr ? kv : ArrayKey(model, kName, ValueType::kI8);
}

// Selects files with a charsmap that llama.cpp reads.
Reason OnlyWithCharsmap(const Model& model) {
  if (CharsmapKey(model) == nullptr) return Reason::Silent();
  if (model.vocabulary().Is(TokenizerKind::kUgm)) return {};
  return {"the vocabulary of the charsmap is not a unigram vocabulary", Reason::kNotAbout};
}

Charsmap CharsmapOf(const Model& model) {
  const KeyValue* kv = CharsmapKey(model);
  const Bytes bytes = model.file.At({kv->value.end - kv->length, kv->value.end});
  return {kv, bytes,
          bytes.size() < kUnitSize ? 0 : LoadUnsigned<uint32_t>(bytes.data(), Endian::kLittle)};
}

// Selects, among files with a charsmap, those whose charsmap has a trie.
Reason OnlyWithTrie(const Model& model) {
  return CharsmapOf(model).trie_fits() ? Reason() : Reason::Silent();
}

void SizeFits(const CheckContext& context, Finder& find) {
  const Charsmap charsmap = CharsmapOf(context.model);
  if (charsmap.trie_fits()) return;
  if (!charsmap.has_header()) {
    find(charsmap.key->value, charsmap.subject(),
         "has {length byte|bytes}, too few for the size of its trie",
         {{"length", charsmap.bytes.size()}});
    return;
  }
  find({charsmap.offset_of(0), charsmap.offset_of(kUnitSize)}, charsmap.subject().At(0),
       "begins a trie of {size byte|bytes}, but only {rest byte follows|bytes follow} for "
       "it and its texts",
       {{"size", charsmap.trie_size}, {"rest", charsmap.bytes.size() - kUnitSize}});
}

// Returns the message about an invalid unit, or null.
const char* FaultOfUnit(const Charsmap& charsmap, uint64_t i) {
  // A value is checked with the unit that points to it; the root is not a
  // value.
  if (i > 0 && (charsmap.unit(i) & kIsValue) != 0) return nullptr;
  const uint64_t base = charsmap.base(i);
  // A reader may access any of the 256 labels.
  if ((base | 0xff) >= charsmap.units()) {
    return "points to unit {target} of a trie of {units unit|units}";
  }
  if (!charsmap.has_value(i)) return nullptr;
  if (charsmap.text_of(base) < charsmap.texts().size()) return nullptr;
  return "has a value past the end of the texts, after {texts byte|bytes}";
}

void TrieInBounds(const CheckContext& context, Finder& find) {
  const Charsmap charsmap = CharsmapOf(context.model);
  uint64_t first = 0;
  const char* fault = nullptr;
  while (first < charsmap.units() && fault == nullptr) {
    fault = FaultOfUnit(charsmap, first++);
  }
  if (fault == nullptr) return;
  --first;
  const uint64_t begin = (1 + first) * kUnitSize;
  find({charsmap.offset_of(begin), charsmap.offset_of(begin + kUnitSize)},
       charsmap.subject().At(begin), fault,
       {{"target", charsmap.base(first)},
        {"units", charsmap.units()},
        {"texts", charsmap.texts().size()}});
}

void NewlineReadable(const CheckContext& context, Finder& find) {
  constexpr uint8_t kNewline = '\n';
  const Charsmap charsmap = CharsmapOf(context.model);
  if (charsmap.units() == 0) return;
  const auto report = [&](absl::string_view message) {
    find({charsmap.offset_of(kUnitSize), charsmap.key->value.end}, charsmap.subject(), message, {});
  };
  const uint64_t node = charsmap.base(0) ^ kNewline;
  if (node >= charsmap.units()) {
    return report("maps a newline outside its trie");
  }
  if (!charsmap.has_label(node, kNewline)) return;
  if (!charsmap.has_value(node)) return;
  const uint64_t value = charsmap.base(node);
  if (value >= charsmap.units()) {
    return report("maps a newline outside its trie");
  }
  const Bytes texts = charsmap.texts();
  const uint64_t text = charsmap.text_of(value);
  if (text >= texts.size()) return report("maps a newline outside its texts");
  const bool ends = std::find(texts.begin() + text, texts.end(), 0) != texts.end();
  if (!ends) report("maps a newline to an unterminated text");
}

}  // namespace

constexpr RuleTable kCharsmapRules = {
    {.id = "charsmap-size-fits",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "The trie in precompiled_charsmap shall end before the array does.",
     .why = "Otherwise, readers look for the replacement strings, which follow the trie, outside "
            "the array (GHSA-ppcr-mg43-5hq3).",
     .repair = "Copy the complete precompiled_charsmap from the SentencePiece model.",
     .citation = "Not in the specification; llama.cpp's loader throws \"Index out of array bounds "
                 "in precompiled charsmap\".",
     .requirements = {OnlyWithCharsmap},
     .check = SizeFits},
    {.id = "charsmap-trie-whole-units",
     .severities = {.upload = kError, .llama_cpp = kWarning, .safety = kError},
     .summary = "The size of the trie in precompiled_charsmap shall be a multiple of 4 bytes.",
     .why = "The trie consists of units of 4 bytes: readers round the size down, or read part of "
            "the last unit from the replacement strings that follow.",
     .repair = "Copy the complete precompiled_charsmap from the SentencePiece model.",
     .citation = "Not in the specification; SentencePiece's trie is an array of u32.",
     .requirements = {OnlyWithCharsmap, OnlyWithTrie},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Charsmap charsmap = CharsmapOf(context.model);
           if (!charsmap.trie_fits() || charsmap.trie_size % kUnitSize == 0) {
             return;
           }
           find({charsmap.offset_of(0), charsmap.offset_of(kUnitSize)}, charsmap.subject().At(0),
                "begins a trie of {size byte|bytes}, not a multiple of 4",
                {{"size", charsmap.trie_size}});
         }},
    {.id = "charsmap-trie-in-bounds",
     .severities = {.upload = kError, .llama_cpp = kWarning, .safety = kError},
     .summary = "In the trie in precompiled_charsmap, offsets shall point to units of the trie, "
                "and values to replacement strings.",
     .why = "A reader that does not check the offsets and values follows them outside the array "
            "(GHSA-4383-xr9f-c744).",
     .repair = "Copy the complete precompiled_charsmap from the SentencePiece model.",
     .citation = "Not in the specification; llama.cpp throws \"Index out of array bounds in XCDA "
                 "array\" when it tokenizes text.",
     .requirements = {OnlyWithCharsmap, OnlyWithTrie},
     .check = TrieInBounds},
    {.id = "charsmap-newline-readable",
     .severities = {.llama_cpp = kError},
     .summary = "precompiled_charsmap shall map a newline to a complete replacement string, or not "
                "map it.",
     .why = "llama.cpp tokenizes a newline while it loads the vocabulary, and rejects the file if "
            "it cannot read the replacement string.",
     .repair = "Copy the complete precompiled_charsmap from the SentencePiece model.",
     .citation = "Not in the specification; llama.cpp's loader throws \"Index out of array "
                 "bounds\" or \"Unterminated string in precompiled charsmap\".",
     .requirements = {OnlyWithCharsmap, OnlyWithTrie},
     .check = NewlineReadable},
    {.id = "charsmap-texts-ended",
     .severities = {.upload = kError, .llama_cpp = kWarning, .safety = kError},
     .summary = "The last replacement string in precompiled_charsmap shall end with a NUL byte.",
     .why = "A reader that looks for the NUL byte reads past the end of the array "
            "(GHSA-4383-xr9f-c744).",
     .repair = "Copy the complete precompiled_charsmap from the SentencePiece model.",
     .citation = "Not in the specification; llama.cpp throws \"Unterminated string in precompiled "
                 "charsmap\" when it tokenizes text.",
     .requirements = {OnlyWithCharsmap, OnlyWithTrie},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Charsmap charsmap = CharsmapOf(context.model);
           const uint64_t last = charsmap.bytes.size() - 1;
           if (charsmap.bytes[last] == 0) return;
           find({charsmap.offset_of(last), charsmap.offset_of(last + 1)},
                charsmap.subject().At(last), "is {byte}, not a final NUL",
                {{"byte", charsmap.bytes[last]}});
         }},
};

}  // namespace gguf
