// Makes files with the builder of the parser's tests.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/testing/tensor_files.h"

#include <random>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/model/model.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"
#include "parser/diagnostic.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {

NamedWeights Random(const std::string& name, std::vector<uint64_t> dims) {
  uint64_t n = 1;
  for (const uint64_t dim : dims) n *= dim;
  std::seed_seq seed(name.begin(), name.end());
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal(0, 0.02f);
  NamedWeights tensor = {name, std::move(dims), std::vector<float>(n)};
  for (float& weight : tensor.weights) weight = normal(random);
  return tensor;
}

std::vector<NamedWeights> TwoBlocks() {
  return {Random("blk.0.attn_q.weight", {256, 64}), Random("blk.0.attn_q.bias", {64}),
          Random("blk.1.attn_q.weight", {256, 64}), Random("blk.1.attn_q.bias", {64})};
}

std::string FileOf(const std::vector<NamedWeights>& tensors, uint32_t type) {
  GgufBuilder b;
  b.String("general.architecture", "llama");
  b.data_bytes = 0;
  for (const NamedWeights& tensor : tensors) {
    b.Tensor(tensor.name, tensor.dims, type);
    const size_t size = tensor.weights.size() * sizeof(float);
    b.after_data.append(reinterpret_cast<const char*>(tensor.weights.data()), size);
    b.after_data.resize((b.after_data.size() + 31) / 32 * 32);
  }
  return b.Build();
}

FileReport Check(const std::string& bytes, const Origin& origin) {
  Profile profile = *Profile::Find("spec");
  for (const Rule* rule : RulesAgainst(Against::kOrigin)) {
    profile.Override(*rule, Severity::kError);
  }
  Expected expected;
  expected.origin = &origin;
  return Validate({AsBytes(bytes), "a.gguf"}, profile, {}, expected);
}

std::vector<std::string> FindingsOf(const FileReport& report) {
  std::vector<std::string> found;
  for (const Finding& finding : report.findings) {
    const Diagnostic& d = finding.diagnostic;
    if (!absl::StartsWith(d.rule->id, "compare-")) continue;
    found.push_back(absl::StrCat(d.rule->id, ": ", d.subject, " ", d.message));
  }
  return found;
}

std::vector<std::string> Found(const std::vector<NamedWeights>& base,
                               const std::vector<NamedWeights>& file) {
  const std::string base_bytes = FileOf(base);
  Diagnostics unused(1);
  const Model model(Parse(AsBytes(base_bytes), Limits(), &unused));
  return FindingsOf(Check(FileOf(file), Origin(model)));
}

}  // namespace gguf
