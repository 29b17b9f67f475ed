// Checks that compare a file with recorded digests.  No built-in profile turns
// these rules on; `check --digest` and `check --sha256` do.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "conformance/digest/digest.h"
#include "conformance/rules/policy/checks.h"
#include "conformance/rules/policy/policy.h"
#include "parser/core/name_hash.h"

namespace gguf {
namespace {

Reason OnlyIfCompared(const Model& model) {
  return model.compares_digests() ? Reason() : Reason::NotRequested();
}

Reason OnlyIfSha256Compared(const Model& model) {
  return model.compares_sha256() ? Reason() : Reason::NotRequested();
}

constexpr char kManifest[] =
    "Not in the specification; the manifest that ggufcheck digest writes.";

constexpr Rule kListed = {
    "digest-file-listed",
    kOnlyOnRequest,
    "The file shall be in the manifest of digests.",
    "Without an entry, nothing confirms that the file is the intended one.",
    "Add the file to the manifest with ggufcheck digest.",
    kManifest};

void Listed(const Model& model, Finder& find) {
  if (model.wanted_digest() != nullptr) return;
  find({0, 0}, {"file"}, "is not in the manifest of digests", {});
}

// Requires digests to compare.
Reason OnlyWithDigests(const Model& model) {
  if (model.wanted_digest() == nullptr) {
    return "the file is not in the manifest of digests";
  }
  return model.found_digest() != nullptr
             ? Reason()
             : "the file has no digests: a tensor is misplaced";
}

constexpr Rule kMetadata = {
    "digest-metadata-equal",
    kOnlyOnRequest,
    "The bytes outside the tensors' data shall have the recorded digest.",
    "Keys, the tensor table or the padding were changed.",
    "Download the file again; if the change is intended, write a new manifest.",
    kManifest};

void MetadataEqual(const Model& model, Finder& find) {
  const FileDigest& wanted = *model.wanted_digest();
  const FileDigest& found = *model.found_digest();
  if (found.metadata == wanted.metadata) return;
  find({0, 0}, {"file"},
       "has different metadata: SHA-256 {found}, but {wanted} is recorded; the "
       "size is {size} bytes, and {wanted_size} is recorded",
       {{"found", Word{found.metadata}},
        {"wanted", Word{wanted.metadata}},
        {"size", found.size},
        {"wanted_size", wanted.size}});
}

constexpr Rule kTensor = {
    "digest-tensor-equal",
    kOnlyOnRequest,
    "Each tensor shall have the recorded digest; none shall be missing or new.",
    "Weights were changed: by damage, by a new conversion, or on purpose.",
    "Download the file again; if the change is intended, write a new manifest.",
    kManifest};

void TensorEqual(const Model& model, Finder& find) {
  // By name, the last of each name first: they are compared in their order.
  NameMap<std::vector<const TensorDigest*>> wanted;
  const std::vector<TensorDigest>& tensors = model.wanted_digest()->tensors;
  for (auto tensor = tensors.rbegin(); tensor != tensors.rend(); ++tensor) {
    wanted[tensor->name].push_back(&*tensor);
  }
  for (const TensorInfo& info : model.file.tensors) {
    const TensorDigest& found = model.found_digest()->tensors[info.index];
    const auto other = wanted.find(found.name);
    if (other == wanted.end() || other->second.empty()) {
      find(info.name.where, info.subject(), "is not in the manifest", {});
      continue;
    }
    const std::string& sha256 = other->second.back()->sha256;
    if (found.sha256 != sha256) {
      find(DataRange(model.file, info), info.subject().Of("data"),
           "has SHA-256 {found}, but {wanted} is recorded",
           {{"found", Word{found.sha256}}, {"wanted", Word{sha256}}});
    }
    other->second.pop_back();
  }
  for (const TensorDigest& tensor : tensors) {
    std::vector<const TensorDigest*>& missing = wanted[tensor.name];
    if (missing.empty() || missing.back() != &tensor) continue;
    missing.pop_back();
    find({0, 0}, {"file"}, "does not have tensor {name} of the manifest",
         {{"name", tensor.name}});
  }
}

constexpr char kPublished[] =
    "Not in the specification; the digest that the publisher of the file "
    "states, for example in SHA256SUMS, a Git LFS pointer or the name of an "
    "ollama blob.";

constexpr Rule kSha256Stated = {
    "digest-sha256-stated",
    kOnlyOnRequest,
    "The SHA-256 of the file shall be stated.",
    "Without it, nothing confirms that the file is the published one.",
    "Add the file to the list, with sha256sum.",
    kPublished,
    Since("0.2.0")};

void Sha256Stated(const Model& model, Finder& find) {
  if (model.wanted_sha256()) return;
  find({0, 0}, {"file"}, "has no stated SHA-256", {});
}

constexpr Rule kSha256Equal = {
    "digest-sha256-equal",
    kOnlyOnRequest,
    "The whole file shall have the stated SHA-256, and the stated size.",
    "The file is not the published one: it was damaged, cut off or changed, "
    "or belongs to another version.",
    "Download the file again.",
    kPublished,
    Since("0.2.0")};

Reason OnlyWithSha256(const Model& model) {
  return model.wanted_sha256() && model.found_sha256()
             ? Reason()
             : "the SHA-256 of the file is not stated";
}

void Sha256Equal(const Model& model, Finder& find) {
  const ExpectedSha256& wanted = *model.wanted_sha256();
  const std::string& found = *model.found_sha256();
  const uint64_t size = model.file.size;
  if (wanted.size && *wanted.size != size) {
    find({0, 0}, {"file"},
         "is {size} bytes long, but {wanted} bytes are stated",
         {{"size", size}, {"wanted", *wanted.size}});
  } else if (found != wanted.sha256) {
    find({0, 0}, {"file"},
         wanted.size ? "has the stated size, but SHA-256 {found}; {wanted} is "
                       "stated"
                     : "has SHA-256 {found}, but {wanted} is stated",
         {{"found", Word{found}}, {"wanted", Word{wanted.sha256}}});
  }
}

constexpr Check kChecks[] = {
    {&kListed, Needs::kName, Listed, Files::kAll, OnlyIfCompared},
    {&kMetadata, Needs::kLayout, MetadataEqual, Files::kAll, OnlyIfCompared,
     OnlyWithDigests},
    {&kTensor, Needs::kLayout, TensorEqual, Files::kAll, OnlyIfCompared,
     OnlyWithDigests},
    {&kSha256Stated, Needs::kName, Sha256Stated, Files::kAll,
     OnlyIfSha256Compared},
    {&kSha256Equal, Needs::kName, Sha256Equal, Files::kAll,
     OnlyIfSha256Compared, OnlyWithSha256},
};

}  // namespace

absl::Span<const Check> DigestChecks() { return kChecks; }

std::vector<const Rule*> DigestRules() {
  return {&kListed, &kMetadata, &kTensor};
}

std::vector<const Rule*> Sha256Rules() {
  return {&kSha256Stated, &kSha256Equal};
}

}  // namespace gguf
