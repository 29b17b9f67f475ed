// SPDX-License-Identifier: Apache-2.0

#include "corpus/export/export.h"

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "corpus/export/archive.h"
#include "corpus/export/manifest.h"
#include "corpus/language/assemble.h"
#include "corpus/language/image.h"
#include "corpus/language/image_file.h"

namespace gguf::corpus {
namespace {

namespace fs = std::filesystem;

// Copies the files next to the cases; of README.md, the part for users of an
// export.
absl::Status AddNeighbours(const std::string& cases, std::map<std::string, std::string>* files) {
  for (const char* name : {"README.md", "manifest.schema.json"}) {
    absl::StatusOr<std::string> text = ReadFile(Beside(cases, name));
    if (!text.ok()) return text.status();
    (*files)[name] = *std::move(text);
  }
  std::string& readme = (*files)["README.md"];
  readme = readme.substr(0, readme.find("## A case\n"));
  return absl::OkStatus();
}

absl::Status Write(const Image& image, const std::string& folder, const std::string& name) {
  const fs::path path = fs::path(folder) / name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("cannot create ", path.parent_path().string(), ": ", error.message()));
  }
  return WriteImage(image, path.string());
}

absl::Status Write(const std::string& text, const std::string& folder, const std::string& name) {
  Image image;
  image.Append(text);
  return Write(image, folder, name);
}

absl::Status WriteRecipes(const Collection& collection, const std::string& folder) {
  for (const BuiltCase& built : collection.cases) {
    if (!built.is_recipe()) continue;
    const absl::StatusOr<Image> image = Assemble(built.source.document);
    if (!image.ok()) return image.status();
    const absl::Status written = Write(*image, folder, built.file_name());
    if (!written.ok()) return written;
  }
  return absl::OkStatus();
}

// Deletes files that the manifest of an earlier export lists and the new one
// does not.
absl::Status DeleteOld(const std::string& new_manifest, const std::string& folder) {
  const auto old = ReadFile(absl::StrCat(folder, "/", kManifestName));
  if (!old.ok()) return absl::OkStatus();  // No earlier export.
  const std::set<std::string> kept = ManifestFiles(new_manifest);
  for (const std::string& name : ManifestFiles(*old)) {
    if (kept.count(name) > 0) continue;
    const std::string path = absl::StrCat(folder, "/", name);
    std::error_code error;
    fs::remove(path, error);
    if (error) {
      return absl::UnavailableError(absl::StrCat("cannot delete ", path, ": ", error.message()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckExportFolder(const std::string& cases, const std::string& folder) {
  const auto refuse = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(folder, ": ", why));
  };
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status)) return absl::OkStatus();
  if (!fs::is_directory(status)) return refuse("is not a directory");
  if (fs::equivalent(folder, Beside(cases, "."), error)) {
    return refuse("is the corpus itself; name another folder");
  }
  if (fs::is_empty(folder, error) && !error) return absl::OkStatus();
  const auto manifest = ReadFile(absl::StrCat(folder, "/", kManifestName));
  if (manifest.ok() && ManifestIds(*manifest)) return absl::OkStatus();
  return refuse("is neither empty nor an export; name another folder");
}

absl::StatusOr<std::map<std::string, std::string>> ExportedFiles(const Collection& collection,
                                                                 const std::string& cases) {
  std::map<std::string, std::string> files, seeds;
  for (const BuiltCase& built : collection.cases) {
    if (!built.dump_name().empty()) {
      files[built.dump_name()] = built.source.dump;
    }
    if (built.is_recipe()) continue;
    const absl::StatusOr<Image> image = Assemble(built.source.document);
    if (!image.ok()) return image.status();
    std::string bytes = image->ToString();
    if (bytes.size() <= kLargestSeed) seeds[built.file_name()] = bytes;
    files[built.file_name()] = std::move(bytes);
  }
  const absl::Status added = AddNeighbours(cases, &files);
  if (!added.ok()) return added;
  files[kManifestName] = ManifestText(collection);
  absl::StatusOr<std::string> zip = Zip(seeds);
  if (!zip.ok()) return zip.status();
  files["seeds.zip"] = *std::move(zip);
  return files;
}

absl::Status Export(const std::string& cases, const std::string& folder, bool big) {
  const absl::Status may_write = CheckExportFolder(cases, folder);
  if (!may_write.ok()) return may_write;
  const absl::StatusOr<Collection> collection = ReadCollection(cases);
  if (!collection.ok()) return collection.status();
  const auto files = ExportedFiles(*collection, cases);
  if (!files.ok()) return files.status();

  const absl::Status deleted = DeleteOld(files->at(kManifestName), folder);
  if (!deleted.ok()) return deleted;
  // The manifest is written first: it shows a later run that the folder is an
  // export.
  absl::Status written = Write(files->at(kManifestName), folder, kManifestName);
  for (const auto& [name, contents] : *files) {
    if (written.ok()) written = Write(contents, folder, name);
  }
  if (!written.ok() || !big) return written;
  return WriteRecipes(*collection, folder);
}

}  // namespace gguf::corpus
