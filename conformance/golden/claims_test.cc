// Checks that no file switches off what protects its readers by what it says of
// itself: its kind, its architecture, its place among shards.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/limits.h"
#include "conformance/golden/case_bytes.h"
#include "conformance/golden/golden.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "corpus/language/assemble.h"
#include "corpus/language/case.h"
#include "gtest/gtest.h"
#include "parser/diagnostic.h"
#include "parser/parse.h"

namespace gguf {
namespace {

std::string Number(uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> 8 * i & 0xff);
  return text;
}

std::string String(absl::string_view text) { return absl::StrCat(Number(text.size(), 8), text); }

// What a file may say of itself.
struct Claim {
  const char* key;
  std::string value;  // Its type and bytes; empty to remove the key.
};

std::vector<Claim> Claims() {
  std::vector<Claim> claims;
  const auto text = [](absl::string_view value) { return Number(8, 4) + String(value); };
  for (const char* type : {"model", "adapter", "imatrix", "mmproj", "dataset", "a.b"}) {
    claims.push_back({"general.type", text(type)});
  }
  for (const char* architecture : {"llama", "mamba", "bert", "clip", "controlvector", "flux",
                                   "graniteswitch", "gpt-oss", "whisper", "not.known"}) {
    claims.push_back({"general.architecture", text(architecture)});
  }
  for (const uint64_t number : {0, 1, 2, 65535}) {
    claims.push_back({"split.count", Number(2, 4) + Number(number, 2)});
    claims.push_back({"split.no", Number(2, 4) + Number(number, 2)});
  }
  for (const char* key : {"general.type", "general.architecture", "split.count", "split.no"}) {
    claims.push_back({key, ""});
  }
  return claims;
}

// Returns the bytes of the file with the claim.  A key is removed by another
// name, so that all entries keep their index.
std::string WithClaim(const File& file, const Claim& claim) {
  constexpr uint64_t kHeader = 24;
  const auto bytes = [&](uint64_t begin, uint64_t end) {
    return std::string(AsText(file.bytes.subspan(begin, end - begin)));
  };
  uint64_t begin = kHeader, end = kHeader;  // Of the entry.
  bool found = false;
  for (const KeyValue& kv : file.keys) {
    begin = end;
    end = kv.value.end;
    found = kv.key.value == claim.key;
    if (found) break;
  }
  std::string entry;
  if (claim.value.empty()) {
    if (!found) return "";
    entry = String("z.removed") + bytes(begin + 8 + std::string(claim.key).size(), end);
  } else {
    entry = String(claim.key) + claim.value;
  }
  if (!found) begin = end;
  std::string made = bytes(0, 16) + Number(file.key_count.value + !found, 8);
  absl::StrAppend(&made, bytes(kHeader, begin), entry, bytes(end, file.infos_end));
  const uint64_t data = std::min<uint64_t>(file.data_begin, file.size);
  if (data < file.size) made.resize(*CheckedAlignUp(made.size(), file.alignment));
  return made + bytes(data, file.size);
}

// The subjects of the errors of a file.
std::set<std::string> Errors(Bytes bytes) {
  // These are about the claims.
  const std::set<std::string> exempt = {
      "architecture-present", "architecture-string",
      // Programs for image models are made for a fifth dimension.
      "tensor-dimension-count",
      // About names, which have other meanings in files of other kinds.
      "control-vector-direction-named",
      // About the graph of the stated architecture: another one has another graph.
      "attention-has-projections", "graph-tensors-present", "model-weights-computable"};
  std::set<std::string> errors;
  const FileReport report = Validate(bytes, *Profile::Find("safety"), CheckOptions());
  for (const Finding& finding : report.findings) {
    const std::string rule = finding.diagnostic.rule->id;
    if (finding.severity == Severity::kError && exempt.count(rule) == 0) {
      errors.insert(finding.diagnostic.subject);
    }
  }
  return errors;
}

TEST(ClaimsTest, NoClaimRemovesAnErrorOfSafety) {
  const corpus::Loader load = corpus::FolderLoader(CasesFolder());
  const std::vector<Claim> claims = Claims();
  size_t cases = 0, files = 0;
  const std::vector<std::string> ids = corpus::ListCases(CasesFolder()).value();
  for (const std::string& id : ids) {
    const corpus::Case a_case = corpus::ReadCase(id, load(id).value(), load).value();
    const CaseBytes content = CaseBytes::Make(corpus::Assemble(a_case.document).value()).value();
    constexpr size_t kMostBytes = 1 << 16;
    if (content.bytes().size() > kMostBytes) continue;
    const std::set<std::string> errors = Errors(content.bytes());
    if (errors.empty()) continue;
    Diagnostics unused(0);
    const File file = Parse({content.bytes(), content.bytes().size(), ""}, Limits(), &unused);
    const bool is_plain = !file.legacy && file.progress == Progress::kTensors &&
                          file.version.value >= 2 && file.encoding.endian == Endian::kLittle &&
                          file.alignment_known && file.alignment <= kMostBytes;
    if (!is_plain) continue;
    ++cases;
    for (const Claim& claim : claims) {
      const std::string made = WithClaim(file, claim);
      if (made.empty()) continue;
      ++files;
      const std::set<std::string> left = Errors(AsBytes(made));
      for (const std::string& subject : errors) {
        if (absl::StrContains(subject, claim.key)) continue;
        EXPECT_EQ(left.count(subject), 1u)
            << id << ": " << subject << " is no error with " << claim.key << " of "
            << claim.value.substr(std::min<size_t>(claim.value.size(), 12));
      }
    }
  }
  std::cout << cases << " cases, " << files << " files\n";
  EXPECT_GT(cases, 100u);
}

TEST(ClaimsTest, UploadIsAtLeastAsSevereAsSafety) {
  for (const Rule* rule : Catalogue()) {
    EXPECT_GE(rule->severities.upload, rule->severities.safety) << rule->id;
  }
}

}  // namespace
}  // namespace gguf
