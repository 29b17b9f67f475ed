// write_seeds KIND SOURCE FOLDER: writes seeds of fuzz targets.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "corpus/export/collection.h"
#include "corpus/language/case.h"
#include "fuzz/kit/corpus_files.h"
#include "fuzz/target.h"
#include "parser/tensor_type.h"

namespace gguf {
namespace {

// A larger seed slows every fuzzer and adds nothing.
constexpr size_t kLargestSeed = 4096;

using Seeds = std::map<std::string, std::string>;  // Name to contents.

// The small cases of the corpus.
absl::StatusOr<Seeds> Cases(const std::string& cases) { return CorpusFiles(cases, kLargestSeed); }

// The small cases of a legacy format.
absl::StatusOr<Seeds> LegacyCases(const std::string& cases) {
  auto files = CorpusFiles(cases, kLargestSeed);
  if (!files.ok()) return files.status();
  for (auto file = files->begin(); file != files->end();) {
    const bool is_legacy = absl::StartsWith(file->first, "legacy/");
    file = is_legacy ? std::next(file) : files->erase(file);
  }
  return files;
}

// The cases of several files: shards, and adapters with their models.
absl::StatusOr<Seeds> Sets(const std::string& cases) {
  const auto files = CorpusFiles(cases, kLargestSeed);
  if (!files.ok()) return files.status();
  Seeds sets;
  for (const auto& [id, bytes] : *files) {
    const auto a_case = corpus::LoadCase(cases, id);
    if (!a_case.ok()) return a_case.status();
    std::vector<std::string> others = a_case->set;
    if (!a_case->base_model.empty()) others.push_back(a_case->base_model);
    std::vector<std::string> set = {bytes};
    for (const std::string& other : others) {
      const auto file = files->find(other);
      if (file != files->end()) set.push_back(file->second);
    }
    if (set.size() > 1) sets.emplace(id, JoinFiles(set));
  }
  return sets;
}

// For each tensor type, its number and blocks of it, or of another type if
// there are none.
absl::StatusOr<Seeds> Blocks(const std::string& folder) {
  const auto read = [&](absl::string_view type) {
    std::ifstream file(absl::StrCat(folder, "/", absl::AsciiStrToLower(type), ".bin"),
                       std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
  };
  Seeds seeds;
  const auto current = AllTensorTypes(), old = OldTensorTypes();
  for (size_t i = 0; i < current.size() + old.size(); ++i) {
    const TensorTypeInfo& info = i < current.size() ? current[i] : old[i - current.size()];
    std::string blocks = read(info.name);
    if (blocks.empty()) blocks = read("Q8_0");
    blocks.resize(std::min<size_t>(blocks.size(), 1000));
    seeds.emplace(info.name, static_cast<char>(i) + blocks);
  }
  return seeds;
}

struct Kind {
  absl::string_view name;
  absl::StatusOr<Seeds> (*make)(const std::string& source);
};

constexpr Kind kKinds[] = {
    {"cases", Cases}, {"legacy", LegacyCases}, {"sets", Sets}, {"blocks", Blocks}};

bool Write(const Seeds& seeds, const std::string& folder) {
  for (const auto& [id, bytes] : seeds) {
    const std::string name = absl::StrReplaceAll(id, {{"/", "-"}});
    std::ofstream file(absl::StrCat(folder, "/", name), std::ios::binary);
    file << bytes;
    if (!file.flush()) return false;
  }
  return true;
}

int Run(absl::string_view name, const std::string& source, const std::string& folder) {
  for (const Kind& kind : kKinds) {
    if (kind.name != name) continue;
    const auto seeds = kind.make(source);
    if (seeds.ok()) return Write(*seeds, folder) ? 0 : 1;
    std::fprintf(stderr, "%s\n", seeds.status().ToString().c_str());
    return 1;
  }
  return 2;
}

}  // namespace
}  // namespace gguf

int main(int argc, char** argv) { return argc == 4 ? gguf::Run(argv[1], argv[2], argv[3]) : 2; }
