// Inputs for tests of the mutator: the corpus, and a file with every feature.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_FUZZ_KIT_MUTATOR_INPUTS_H_
#define GGUF_FUZZ_KIT_MUTATOR_INPUTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "fuzz/kit/corpus_files.h"
#include "fuzz/kit/gguf_mutator.h"
#include "parser/diagnostic.h"
#include "parser/file.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {

inline constexpr size_t kMostBytes = 4096;  // libFuzzer's default.

inline const uint8_t* Data(const std::string& bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

// Returns a mutant no larger than `max_size`, unless the file is larger.
inline std::string Mutant(std::string file, uint32_t seed, size_t max_size = kMostBytes) {
  const size_t size = file.size();
  file.resize(std::max(size, max_size));
  auto* const data = reinterpret_cast<uint8_t*>(&file[0]);
  file.resize(gguf_mutate(data, size, file.size(), seed));
  return file;
}

// Returns the cases of the corpus that are not larger than a mutant.
inline const std::map<std::string, std::string>& Corpus() {
  static const auto& files =
      *new std::map<std::string, std::string>(CorpusFiles("corpus/cases", kMostBytes).value());
  return files;
}

inline std::vector<std::string> ValidFiles() {
  std::vector<std::string> valid;
  for (const auto& [id, file] : Corpus()) {
    if (id.find("/valid-") != std::string::npos) valid.push_back(file);
  }
  return valid;
}

// Returns a valid file of 68 bytes.
inline std::string SmallValidFile() { return Corpus().at("header/valid-one-key"); }

// Returns a view of the bytes.
inline File Parsed(const std::string& bytes) {
  const Limits limits;
  Diagnostics found(limits.findings_per_rule);
  return Parse(AsBytes(bytes), limits, &found);
}

// Returns a file with every kind of value, in one layout.
inline std::string RichFile(uint32_t version, bool big) {
  GgufBuilder b(version, big);
  b.String("general.architecture", "test").U32("k.u32", 0x01020304);
  b.Key("k.f32", 6, b.New().U32(0x3F800000)).Key("k.bool", 7, b.New().U8(1));
  b.Key("k.u16s", 9, b.New().U32(2).Length(2).U16(1).U16(0x0203));
  b.Key("k.strings", 9, b.New().U32(8).Length(2).String("a").String("bc"));
  b.Key("k.nest", 9, b.New().U32(9).Length(1).U32(4).Length(1).U32(7));
  b.Tensor("w", {32, 2}, 8).Tensor("v", {3}, 24);
  return b.Build();
}

}  // namespace gguf

#endif  // GGUF_FUZZ_KIT_MUTATOR_INPUTS_H_
