// Checks that compare a file with recorded digests.  No built-in profile turns
// these rules on; `check --digest` and `check --sha256` do.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "conformance/base/name_hash.h"
#include "conformance/model/digest.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

constexpr char kManifest[] = "Not in the specification; the manifest that ggufcheck digest writes.";

// Requires digests to compare.
Reason OnlyWithDigests(const CheckContext& context) {
  if (context.wanted_digest == nullptr) {
    return "the file is not in the manifest of digests";
  }
  return context.found_digest ? Reason() : "the file has no digests: a tensor is misplaced";
}

void TensorEqual(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  // By name, the last of each name first: they are compared in their order.
  NameMap<std::vector<const TensorDigest*>> wanted;
  const std::vector<TensorDigest>& tensors = context.wanted_digest->tensors;
  for (auto tensor = tensors.rbegin(); tensor != tensors.rend(); ++tensor) {
    wanted[tensor->name].push_back(&*tensor);
  }
  for (const TensorInfo& info : model.file.tensors) {
    const TensorDigest& found = context.found_digest->tensors[info.index];
    const auto other = wanted.find(found.name);
    if (other == wanted.end() || other->second.empty()) {
      find(info.name.where, info.subject(), "is not in the manifest", {});
      continue;
    }
    const std::string& sha256 = other->second.back()->sha256;
    if (found.sha256 != sha256) {
      find(DataRange(model.file, info), info.subject().Of("data"),
           "has SHA-256 {found}, but {wanted} is recorded",
           {{"found", Trusted{found.sha256}}, {"wanted", Trusted{sha256}}});
    }
    other->second.pop_back();
  }
  for (const TensorDigest& tensor : tensors) {
    std::vector<const TensorDigest*>& missing = wanted[tensor.name];
    if (missing.empty() || missing.back() != &tensor) continue;
    missing.pop_back();
    find({0, 0}, {"file"}, "does not have tensor {name} of the manifest", {{"name", tensor.name}});
  }
}

constexpr char kPublished[] =
    "Not in the specification; the digest that the publisher of the file states, for example in "
    "SHA256SUMS, a Git LFS pointer or the name of an ollama blob.";

Reason OnlyWithSha256(const CheckContext& context) {
  return context.wanted_sha256 && context.found_sha256 ? Reason()
                                                       : "the SHA-256 of the file is not stated";
}

void Sha256Equal(const CheckContext& context, Finder& find) {
  const ExpectedSha256& wanted = *context.wanted_sha256;
  const std::string& found = *context.found_sha256;
  const uint64_t size = context.model.file.size;
  if (wanted.size && *wanted.size != size) {
    find({0, 0}, {"file"}, "has {size byte|bytes}, but {wanted} are stated",
         {{"size", size}, {"wanted", *wanted.size}});
  } else if (found != wanted.sha256) {
    find({0, 0}, {"file"},
         wanted.size ? "has the stated size, but SHA-256 {found}; {wanted} is stated"
                     : "has SHA-256 {found}, but {wanted} is stated",
         {{"found", Trusted{found}}, {"wanted", Trusted{wanted.sha256}}});
  }
}

}  // namespace

constexpr RuleTable kDigestRules = {
    {.id = "digest-file-listed",
     .summary = "The file shall be in the manifest of digests.",
     .why = "Without an entry, nothing confirms that the file is the intended one.",
     .repair = "Add the file to the manifest with ggufcheck digest.",
     .citation = kManifest,
     .needs = Needs::kName,
     .files = Files::kAll,
     .against = Against::kDigests,
     .check =
         [](const CheckContext& context, Finder& find) {
           if (context.wanted_digest != nullptr) return;
           find({0, 0}, {"file"}, "is not in the manifest of digests", {});
         }},
    {.id = "digest-metadata-equal",
     .summary = "The bytes outside the tensors' data shall have the recorded digest.",
     .why = "Keys, the tensor table or the padding were changed.",
     .repair = "Download the file again; if the change is intended, write a new manifest.",
     .citation = kManifest,
     .needs = Needs::kLayout,
     .files = Files::kAll,
     .against = Against::kDigests,
     .requirements = {OnlyWithDigests},
     .check =
         [](const CheckContext& context, Finder& find) {
           const FileDigest& wanted = *context.wanted_digest;
           const FileDigest& found = *context.found_digest;
           if (found.metadata == wanted.metadata) return;
           find({0, 0}, {"file"},
                "has different metadata: SHA-256 {found}, but {wanted} is recorded; the size is "
                "{size byte|bytes}, and {wanted_size} is recorded",
                {{"found", Trusted{found.metadata}},
                 {"wanted", Trusted{wanted.metadata}},
                 {"size", found.size},
                 {"wanted_size", wanted.size}});
         }},
    {.id = "digest-tensor-equal",
     .summary = "Each tensor shall have the recorded digest; none shall be missing or new.",
     .why = "Weights were changed: by damage, by a new conversion, or on purpose.",
     .repair = "Download the file again; if the change is intended, write a new manifest.",
     .citation = kManifest,
     .needs = Needs::kLayout,
     .files = Files::kAll,
     .against = Against::kDigests,
     .requirements = {OnlyWithDigests},
     .check = TensorEqual},
    {.id = "digest-sha256-stated",
     .summary = "The SHA-256 of the file shall be stated.",
     .why = "Without it, nothing confirms that the file is the published one.",
     .repair = "Add the file to the list, with sha256sum.",
     .citation = kPublished,
     .since = "0.2.0",
     .needs = Needs::kName,
     .files = Files::kAll,
     .against = Against::kSha256,
     .check =
         [](const CheckContext& context, Finder& find) {
           if (context.wanted_sha256) return;
           find({0, 0}, {"file"}, "has no stated SHA-256", {});
         }},
    {.id = "digest-sha256-equal",
     .summary = "The whole file shall have the stated SHA-256, and the stated size.",
     .why = "The file is not the published one: it was damaged, cut off or changed, or belongs to "
            "another version.",
     .repair = "Download the file again.",
     .citation = kPublished,
     .since = "0.2.0",
     .needs = Needs::kName,
     .files = Files::kAll,
     .against = Against::kSha256,
     .requirements = {OnlyWithSha256},
     .check = Sha256Equal},
};

}  // namespace gguf
