// Makes seeds and mutants.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/fuzz/mutants.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "corpus/export/collection.h"
#include "corpus/language/assemble.h"
#include "corpus/language/case.h"
#include "corpus/language/image.h"
#include "fuzz/kit/gguf_mutator.h"

namespace gguf::readers {
namespace {

namespace fs = std::filesystem;

// In the case language.  Small files: a mutation then hits what matters.
constexpr const char* kSeeds[] = {
    R"(gguf 3
kv "general.architecture" str "test"
)",
    R"(gguf 3
kv "general.architecture" str "test"
kv "test.u8" u8 200
kv "test.i16" i16 -2
kv "test.u32" u32 0x12345678
kv "test.f32" f32 0.5
kv "test.bool" bool 1
kv "test.u64" u64 0x123456789abcdef0
kv "test.f64" f64 0.1
kv "test.text" str "text"
)",
    R"(gguf 3
kv "general.architecture" str "test"
kv "test.u8s" arr u8 [1 2 3]
kv "test.i32s" arr i32 [7 8 9]
kv "test.u64s" arr u64 [1 2]
kv "test.f32s" arr f32 [0.5 1]
kv "test.texts" arr str ["a" "bc" ""]
)",
    R"(gguf 3
kv "general.architecture" str "test"
tensor "w" F32 [4 2] data { f32 [1 2 3 4 5 6 7 8] }
)",
    R"(gguf 3
kv "general.architecture" str "test"
kv "general.alignment" u32 64
tensor "a" F32 [4 2] data { f32 [1 2 3 4 5 6 7 8] align 64 }
tensor "b" F16 [4 1 2] data { f16 [1 -2 0.5 0 1 2 3 4] align 64 }
tensor "c" I8 [64] data { repeat 4 i8 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16] }
)",
    R"(gguf 3
kv "general.architecture" str "llama"
kv "llama.block_count" u32 1
kv "llama.embedding_length" u32 32
kv "llama.attention.head_count" u32 4
kv "tokenizer.ggml.model" str "llama"
kv "tokenizer.ggml.tokens" arr str ["<unk>" "<s>" "</s>" "a"]
kv "tokenizer.ggml.scores" arr f32 [0 0 0 -1]
kv "tokenizer.ggml.token_type" arr i32 [2 3 3 1]
tensor "token_embd.weight" F32 [32 4] data { repeat 32 f32 [1 2 3 4] }
tensor "output_norm.weight" F32 [32] data { repeat 8 f32 [1 1 1 1] }
)",
};

absl::StatusOr<std::string> BytesOf(const corpus::Document& document) {
  const absl::StatusOr<corpus::Image> image = corpus::Assemble(document);
  if (!image.ok()) return image.status();
  return image->size() > kMostSeed ? "" : image->ToString();
}

absl::StatusOr<std::vector<std::string>> ValidCases(const std::string& folder,
                                                    const std::vector<std::string>& ids) {
  std::vector<std::string> seeds;
  for (const std::string& id : ids) {
    if (!absl::StrContains(id, "/valid-")) continue;
    const absl::StatusOr<corpus::Case> a_case = corpus::LoadCase(folder, id);
    if (!a_case.ok()) return a_case.status();
    absl::StatusOr<std::string> bytes = BytesOf(a_case->document);
    if (!bytes.ok()) return bytes.status();
    if (absl::StartsWith(*bytes, "GGUF")) seeds.push_back(*std::move(bytes));
  }
  return seeds;
}

// Returns a file with one to three mutations, or a mixture of two.
std::string Mutate(std::string file, const std::string& other, Random* random) {
  const size_t room = (*random)() % 8 == 0 ? kMostMutant : kMostSeed;
  std::string mutant(std::max(file.size(), room), '\0');
  auto* const data = reinterpret_cast<uint8_t*>(&mutant[0]);
  size_t size = file.copy(&mutant[0], file.size());
  if ((*random)() % 8 == 0) {
    const auto bytes = [](const std::string& text) {
      return reinterpret_cast<const uint8_t*>(text.data());
    };
    size = gguf_cross_over(bytes(file), file.size(), bytes(other), other.size(), data,
                           mutant.size(), static_cast<uint32_t>((*random)()));
  }
  size = gguf_mutate(data, size, mutant.size(), static_cast<uint32_t>((*random)()));
  mutant.resize(size);
  return mutant;
}

}  // namespace

std::vector<std::string> BuiltInSeeds() {
  std::vector<std::string> seeds;
  for (const char* text : kSeeds) {
    seeds.push_back(*BytesOf(corpus::ReadText(text, nullptr).value().document));
  }
  return seeds;
}

absl::StatusOr<std::vector<std::string>> SeedsIn(const std::string& folder, size_t most) {
  const absl::StatusOr<std::vector<std::string>> ids = corpus::ListCases(folder);
  if (ids.ok() && !ids->empty()) return ValidCases(folder, *ids);
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error);
       !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    std::error_code unreadable;
    if (!it->is_regular_file(unreadable) || it->file_size(unreadable) > most) continue;
    paths.push_back(it->path().string());
  }
  if (error) {
    return absl::ErrnoToStatus(error.value(), absl::StrCat("cannot read ", folder));
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const std::string& path : paths) {
    absl::StatusOr<std::string> bytes = corpus::ReadRegularFile(path);
    if (!bytes.ok()) return bytes.status();
    if (!bytes->empty()) seeds.push_back(*std::move(bytes));
  }
  return seeds;
}

std::string MutantPool::Next(Random* random) {
  std::string file, other;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Half of the mutants are of what was found last.
    constexpr size_t kRecent = 64;
    const size_t recent = std::min(files_.size(), kRecent);
    const size_t from = (*random)() % 2 == 0 ? files_.size() - recent : 0;
    file = files_[from + (*random)() % (files_.size() - from)];
    other = files_[(*random)() % files_.size()];
  }
  return Mutate(std::move(file), other, random);
}

bool MutantPool::Consider(const std::string& mutant, const std::vector<uint64_t>& features) {
  constexpr size_t kMostFeatures = 1 << 20, kMostFiles = 10'000;
  const std::lock_guard<std::mutex> lock(mutex_);
  bool is_new = false;
  for (const uint64_t feature : features) {
    if (features_.size() < kMostFeatures) is_new |= features_.insert(feature).second;
  }
  if (!is_new || files_.size() >= kMostFiles || mutant.empty()) return false;
  files_.push_back(mutant);
  return true;
}

size_t MutantPool::features() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return features_.size();
}

}  // namespace gguf::readers
