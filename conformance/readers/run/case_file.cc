// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/case_file.h"

#include <errno.h>
#include <stdlib.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "corpus/language/assemble.h"
#include "corpus/language/image_file.h"

namespace gguf::readers {

namespace fs = std::filesystem;

absl::StatusOr<TemporaryFolder> TemporaryFolder::Make() {
  std::error_code error;
  const fs::path parent = fs::absolute(fs::temp_directory_path(error), error);
  std::string path = (parent / "ggufcheck-readers-XXXXXX").string();
  if (error || mkdtemp(&path[0]) == nullptr) {
    return absl::ErrnoToStatus(error ? error.value() : errno,
                               absl::StrCat("cannot make the folder ", path));
  }
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, "")) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

absl::StatusOr<CaseFile> CaseFile::Write(const corpus::Case& a_case,
                                         const corpus::Loader& load,
                                         const std::string& folder) {
  CaseFile made;
  made.folder_ = absl::StrCat(folder, "/", a_case.id);
  made.path_ = absl::StrCat(made.folder_, "/", FileNameOf(a_case));
  std::error_code error;
  fs::create_directories(made.folder_, error);
  if (error) {
    return absl::ErrnoToStatus(error.value(),
                               absl::StrCat("cannot make ", made.folder_));
  }
  absl::StatusOr<corpus::Image> image = corpus::Assemble(a_case.document);
  if (!image.ok()) return image.status();
  made.image_ = *std::move(image);
  absl::Status written = corpus::WriteImage(made.image_, made.path_);
  for (const std::string& id : a_case.set) {
    if (!written.ok()) return written;
    const absl::StatusOr<std::string> text = load(id);
    if (!text.ok()) return text.status();
    const auto shard = corpus::ReadCase(id, *text, load);
    if (!shard.ok()) return shard.status();
    const auto other = corpus::Assemble(shard->document);
    if (!other.ok()) return other.status();
    written = corpus::WriteImage(
        *other, absl::StrCat(made.folder_, "/", FileNameOf(*shard)));
  }
  if (!written.ok()) return written;
  return made;
}

CaseFile::CaseFile(CaseFile&& other) noexcept
    : folder_(std::exchange(other.folder_, "")),
      path_(std::move(other.path_)),
      image_(std::move(other.image_)) {}

CaseFile::~CaseFile() {
  std::error_code error;
  if (!folder_.empty()) fs::remove_all(folder_, error);
}

std::string FileNameOf(const corpus::Case& a_case) {
  if (!a_case.file_name.empty()) return a_case.file_name;
  return absl::StrCat(fs::path(a_case.id).filename().string(), ".gguf");
}

}  // namespace gguf::readers
