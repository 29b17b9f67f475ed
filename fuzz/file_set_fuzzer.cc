// For a few files of any bytes, a check of them as the shards of a model, or of
// one as the adapter of another, terminates, findings lie in their files, and a
// second check gives the same reports.  Digests that were written, read and
// compared with the same file find no difference.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "conformance/model/base_model.h"
#include "conformance/model/digest.h"
#include "conformance/model/file_name.h"
#include "conformance/model/model.h"
#include "conformance/model/tensor_data.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/validate.h"
#include "fuzz/check_file.h"
#include "fuzz/target.h"
#include "gguf_mutator.h"
#include "parser/diagnostic.h"
#include "parser/file.h"
#include "parser/parse.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size)
    __attribute__((weak));

namespace gguf {
namespace {

using FileBytes = std::vector<std::string>;

// Mostly the names of one set in order; sometimes a number is wrong.
FileBytes NamesOf(const FileBytes& files, Choice* choice) {
  const size_t count = choice->OneIn(4) ? choice->Below(6) : std::max<size_t>(2, files.size());
  FileBytes names;
  for (size_t i = 0; i < files.size(); ++i) {
    const size_t number = choice->OneIn(8) ? choice->Below(6) : i + 1;
    names.push_back("M-7B-v1.0" + ShardSuffix(number, count));
  }
  return names;
}

// Returns the digest as `ggufcheck digest` writes it and `check --digest` reads
// it; nothing for a file that the former rejects.
std::optional<FileDigest> DigestOf(const std::string& bytes) {
  Diagnostics unused(0);
  const File file = Parse(AsBytes(bytes), Limits(), &unused);
  if (file.stop || !file.alignment_known || !PlaceTensors(file).data_end) {
    return std::nullopt;
  }
  const auto digest = DigestFile(file, DataRanges(file), {});
  Require(digest.has_value());
  const auto manifest = ReadDigests(WriteDigests({{"a\xFF/m.gguf", *digest}}));
  Require(manifest.ok() && manifest->Find("m.gguf") != nullptr);
  return *manifest->Find("m.gguf");
}

void RequireSameTwice(const std::vector<FileReport>& reports, const std::vector<FileReport>& again,
                      const FileBytes& files) {
  Require(reports.size() == files.size() && again.size() == files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    RequireInside(reports[i], files[i].size());
    Require(Same(reports[i], again[i]));
  }
}

void CheckSet(const FileBytes& files, const Profile& profile, const CheckOptions& options,
              const Expected& expected, Choice* choice) {
  const FileBytes names = NamesOf(files, choice);
  std::vector<ShardFile> shards;
  for (size_t i = 0; i < files.size(); ++i) {
    shards.push_back({Source(AsBytes(files[i]), names[i]), "", expected});
    if (choice->OneIn(16)) shards.back().why_unread = "not there";
    shards.back().source.header_only = choice->OneIn(16);
  }
  RequireSameTwice(ValidateSet(shards, profile, options), ValidateSet(shards, profile, options),
                   files);
}

void CheckAdapter(const FileBytes& files, const Profile& profile, const CheckOptions& options,
                  Expected expected) {
  Diagnostics unused(0);
  const Model model(Parse(AsBytes(files[1]), Limits(), &unused), Limits());
  // `ggufcheck check` accepts no other base.
  if (model.file.legacy || model.file.stop) return;
  const BaseModel base(model);
  expected.base = &base;
  RequireSameTwice({Validate(AsBytes(files[0]), profile, options, expected)},
                   {Validate(AsBytes(files[0]), profile, options, expected)}, {files[0]});
}

void CheckDigests(const FileBytes& files, const Profile& profile) {
  const auto digest = DigestOf(files[0]);
  if (!digest) return;
  const auto differs = [&](const std::string& file) {
    CheckOptions options;
    options.digest = "a manifest";
    Expected expected;
    expected.digest = &*digest;
    const FileReport report = Validate(AsBytes(file), profile, options, expected);
    RequireInside(report, file.size());
    const std::vector<const Rule*> rules = RulesAgainst(Against::kDigests);
    return std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
      return std::count(rules.begin(), rules.end(), finding.diagnostic.rule) > 0;
    });
  };
  Require(!differs(files[0]));
  for (const std::string& file : files) differs(file);
}

size_t Store(const std::string& bytes, uint8_t* data, size_t max_size) {
  return bytes.copy(reinterpret_cast<char*>(data), max_size);
}

}  // namespace
}  // namespace gguf

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gguf::Choice choice(data, size);
  const gguf::FileBytes files = gguf::SplitFiles({reinterpret_cast<const char*>(data), size});
  const gguf::Profile& profile = gguf::AnyProfile(&choice);
  gguf::Expected expected;
  const gguf::CheckOptions options = gguf::AnyOptions(&choice, &expected);
  switch (choice.Below(files.size() > 1 ? 3 : 1)) {
    case 0:
      gguf::CheckDigests(files, profile);
      break;
    case 1:
      gguf::CheckSet(files, profile, options, expected, &choice);
      break;
    default:
      gguf::CheckAdapter(files, profile, options, expected);
      break;
  }
  return 0;
}

// Mutates one of the files.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  if (LLVMFuzzerMutate != nullptr && seed % 16 == 0) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  gguf::FileBytes files = gguf::SplitFiles({reinterpret_cast<const char*>(data), size});
  std::string& file = files[seed % files.size()];
  const size_t others = size - file.size();
  const size_t room = std::max(max_size, size) - others;
  const size_t used = file.size();
  file.resize(room);
  file.resize(gguf_mutate(reinterpret_cast<uint8_t*>(file.data()), used, room, seed / 7));
  return gguf::Store(gguf::JoinFiles(files), data, max_size);
}

// Adds the first file of another input.
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b,
                                            size_t b_size, uint8_t* out, size_t max_size,
                                            unsigned int seed) {
  gguf::FileBytes files = gguf::SplitFiles({reinterpret_cast<const char*>(a), a_size});
  const gguf::FileBytes others = gguf::SplitFiles({reinterpret_cast<const char*>(b), b_size});
  if (files.size() < gguf::kMostFiles) files.emplace_back();
  files[seed % files.size()] = others[seed / 5 % others.size()];
  return gguf::Store(gguf::JoinFiles(files), out, max_size);
}
