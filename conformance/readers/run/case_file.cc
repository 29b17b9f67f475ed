// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/case_file.h"

#include <errno.h>
#include <stdlib.h>

#include <filesystem>
#include <system_error>

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

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

absl::StatusOr<CaseFile> WriteCase(const corpus::Case& a_case,
                                   const corpus::Loader& load,
                                   const std::string& parent) {
  TemporaryFolder folder(absl::StrCat(parent, "/", a_case.id));
  const auto path_of = [&](const corpus::Case& written) {
    return absl::StrCat(folder.path(), "/", FileNameOf(written));
  };
  std::error_code error;
  fs::create_directories(folder.path(), error);
  if (error) {
    return absl::ErrnoToStatus(error.value(),
                               absl::StrCat("cannot make ", folder.path()));
  }
  std::string path = path_of(a_case);
  absl::StatusOr<corpus::Image> image = WriteDocument(a_case.document, path);
  if (!image.ok()) return image.status();
  for (const std::string& id : a_case.set) {
    const absl::StatusOr<std::string> text = load(id);
    if (!text.ok()) return text.status();
    const auto shard = corpus::ReadCase(id, *text, load);
    if (!shard.ok()) return shard.status();
    const auto other = WriteDocument(shard->document, path_of(*shard));
    if (!other.ok()) return other.status();
  }
  return CaseFile{std::move(folder), std::move(path), *std::move(image)};
}

absl::StatusOr<corpus::Image> WriteDocument(const corpus::Document& document,
                                            const std::string& path) {
  absl::StatusOr<corpus::Image> image = corpus::Assemble(document);
  if (!image.ok()) return image;
  const absl::Status written = corpus::WriteImage(*image, path);
  if (!written.ok()) return written;
  return image;
}

std::string FileNameOf(const corpus::Case& a_case) {
  if (!a_case.file_name.empty()) return a_case.file_name;
  return absl::StrCat(fs::path(a_case.id).filename().string(), ".gguf");
}

}  // namespace gguf::readers
