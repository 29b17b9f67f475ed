// SPDX-License-Identifier: Apache-2.0

#include "conformance/golden/golden.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/report/dump.h"
#include "conformance/rules/base_model.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/shard_name.h"
#include "conformance/rules/validate.h"
#include "corpus/assemble.h"
#include "corpus/image_file.h"
#include "corpus/sha256.h"
#include "parser/assert.h"
#include "parser/parse.h"

namespace gguf {

absl::StatusOr<CaseBytes> CaseBytes::Make(const corpus::Image& image) {
  constexpr uint64_t kSmall = 1 << 20;
  CaseBytes made;
  if (image.size() <= kSmall) {
    made.small_ = image.ToString();
    return made;
  }
  const char* const folder = std::getenv("TEST_TMPDIR");
  const std::string path = absl::StrCat(folder != nullptr ? folder : "/tmp",
                                        "/ggufcheck-case-", getpid());
  absl::Status written = corpus::WriteImage(image, path);
  if (!written.ok()) return written;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  unlink(path.c_str());
  void* const mapped =
      mmap(nullptr, image.size(), PROT_READ, MAP_PRIVATE, fd, 0);
  const int error = errno;
  close(fd);
  if (mapped == MAP_FAILED) {
    return absl::ErrnoToStatus(error, absl::StrCat("cannot map ", path));
  }
  made.mapped_ = mapped;
  made.size_ = image.size();
  return made;
}

CaseBytes::CaseBytes(CaseBytes&& other) noexcept
    : small_(std::move(other.small_)),
      mapped_(std::exchange(other.mapped_, nullptr)),
      size_(other.size_) {}

CaseBytes::~CaseBytes() {
  if (mapped_ != nullptr) munmap(mapped_, size_);
}

Bytes CaseBytes::bytes() const {
  return mapped_ != nullptr ? Bytes(static_cast<const uint8_t*>(mapped_), size_)
                            : AsBytes(small_);
}

absl::StatusOr<CaseFiles> CaseFiles::Make(const corpus::Case& a_case,
                                          const corpus::Loader& load) {
  const auto of_set = ParseShardName(a_case.file_name);
  CaseFiles made;
  const auto add = [&](const corpus::Case& shard) -> absl::Status {
    const auto name = ParseShardName(shard.file_name);
    if (!a_case.set.empty() &&
        (!of_set || !name || !name->is_of_set() ||
         name->prefix != of_set->prefix || name->count != of_set->count)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the file_name of ", shard.id, " is not that of a shard of the set"));
    }
    const absl::StatusOr<corpus::Image> image =
        corpus::Assemble(shard.document);
    if (!image.ok()) return image.status();
    absl::StatusOr<CaseBytes> bytes = CaseBytes::Make(*image);
    if (!bytes.ok()) return bytes.status();
    made.files.push_back({shard.file_name, *std::move(bytes)});
    return absl::OkStatus();
  };
  absl::Status added = add(a_case);
  for (const std::string& id : a_case.set) {
    if (!added.ok()) return added;
    const absl::StatusOr<std::string> text = load(id);
    if (!text.ok()) return text.status();
    const absl::StatusOr<corpus::Case> shard =
        corpus::ReadCase(id, *text, load);
    if (!shard.ok()) return shard.status();
    added = add(*shard);
  }
  if (!added.ok()) return added;
  return made;
}

namespace {

// The case that another one is checked against, and what keeps it alive.
struct Base {
  explicit Base(CaseBytes the_bytes)
      : bytes(std::move(the_bytes)),
        found(1),
        file(Parse(bytes.bytes(), "", Limits(), &found)),
        model(file) {}

  const CaseBytes bytes;
  Diagnostics found;
  const File file;
  const BaseModel model;
};

// Null when the case is checked without one.
std::unique_ptr<Base> BaseOf(const corpus::Case& a_case) {
  if (a_case.base_model.empty()) return nullptr;
  const corpus::Loader load = corpus::FolderLoader(CasesFolder());
  const std::string& id = a_case.base_model;
  const corpus::Case base =
      corpus::ReadCase(id, load(id).value(), load).value();
  const corpus::Image image = corpus::Assemble(base.document).value();
  auto made = std::make_unique<Base>(CaseBytes::Make(image).value());
  Assert(made->file.progress == Progress::kTensors,
         "a case names a base that cannot be read");
  return made;
}

}  // namespace

corpus::Expectation Observe(const corpus::Case& a_case, const CaseFiles& files,
                            absl::string_view profile) {
  const Profile* const found = Profile::Find(profile);
  Assert(found != nullptr, "a case names a profile that there is not");
  ValidateOptions options;
  options.weights = a_case.weights;
  const std::unique_ptr<Base> base = BaseOf(a_case);
  if (base != nullptr) options.base = &base->model;
  std::vector<ShardFile> shards;
  for (const CaseFiles::NamedFile& file : files.files) {
    shards.push_back({file.name, file.content.bytes(), ""});
  }
  const FileReport report =
      a_case.set.empty()
          ? Validate(shards[0].bytes, shards[0].name, *found, options)
          : ValidateSet(shards, *found, options)[0];

  corpus::Expectation expectation;
  expectation.profile = std::string(profile);
  expectation.incomplete = !report.incomplete.empty();
  for (const Finding& finding : report.findings) {
    const Diagnostic& diagnostic = finding.diagnostic;
    if (a_case.scope == "container" &&
        ScopeOf(diagnostic.rule->id) == Scope::kModel) {
      continue;
    }
    expectation.findings.push_back(
        {diagnostic.where.begin, diagnostic.where.size(),
         SeverityName(finding.severity), diagnostic.rule->id});
  }
  return expectation;
}

std::string ObserveDump(Bytes bytes) {
  constexpr size_t kLong = 16 << 10;
  Diagnostics found(1);
  std::ostringstream out;
  WriteDump(Parse(bytes, "", Limits(), &found), out);
  const std::string dump = out.str();
  if (dump.size() <= kLong) return dump;
  return absl::StrCat("sha256 ", corpus::Sha256(dump), "\n");
}

std::string CasesFolder() {
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  return absl::StrCat(workspace != nullptr ? workspace : ".", "/corpus/cases");
}

}  // namespace gguf
