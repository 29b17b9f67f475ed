// The files of a fuzzing run: seeds, mutants of them, and those mutants that
// showed something new.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_FUZZ_MUTANTS_H_
#define GGUF_CONFORMANCE_READERS_FUZZ_MUTANTS_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"

namespace gguf::readers {

using Random = std::mt19937_64;

// The most bytes of a seed, and of a mutant.
inline constexpr size_t kMostSeed = 4096;
inline constexpr size_t kMostMutant = 64 << 10;

// Returns small valid files that need no folder.
std::vector<std::string> BuiltInSeeds();

// Returns the valid cases of a folder of cases of at most kMostSeed bytes; of
// any other folder, the files of at most `most` bytes.
absl::StatusOr<std::vector<std::string>> SeedsIn(const std::string& folder,
                                                 size_t most = kMostSeed);

// The files from which mutants are made.  Thread-safe.
class MutantPool {
 public:
  // Requires a seed.
  explicit MutantPool(std::vector<std::string> seeds) : files_(std::move(seeds)) {}

  // Returns a new mutant.
  std::string Next(Random* random);

  // Keeps a mutant if it has a feature that no earlier one had.  Returns
  // whether it did.
  bool Consider(const std::string& mutant, const std::vector<uint64_t>& features);

  size_t features() const;

 private:
  mutable std::mutex mutex_;  // Guards the members below.
  std::vector<std::string> files_;
  absl::flat_hash_set<uint64_t> features_;
};

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_FUZZ_MUTANTS_H_
