// Writes the files, and the ZIP format (PKWARE's APPNOTE.TXT 6.3.3), sections 4.3.7, 4.3.12 and
// 4.3.16.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/export/export.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <set>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "corpus/export/manifest.h"
#include "corpus/language/assemble.h"
#include "corpus/language/image.h"
#include "zlib.h"

namespace gguf::corpus {
namespace {

constexpr uint32_t kVersion = 20;          // Needed to extract: 2.0, deflate.
constexpr uint32_t kNamesAreUtf8 = 0x800;  // Flag 11.
constexpr uint32_t kDeflated = 8;
// 1980-01-01 00:00, the earliest time in the format.
constexpr uint32_t kDate = 1 << 5 | 1;
constexpr uint32_t kTime = 0;

// Appends a little-endian number.
void Put(int bytes, uint64_t number, std::string* out) {
  for (int i = 0; i < bytes; ++i) {
    out->push_back(static_cast<char>(number >> (8 * i)));
  }
}

// Returns raw deflate data, without the header of zlib; nothing without memory.
std::string Deflate(absl::string_view bytes) {
  z_stream stream = {};
  constexpr int kRaw = -MAX_WBITS;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kRaw, MAX_MEM_LEVEL,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return "";
  }
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // Not written.
  stream.avail_in = bytes.size();
  stream.next_out = reinterpret_cast<Bytef*>(&out[0]);
  stream.avail_out = out.size();
  const int result = deflate(&stream, Z_FINISH);
  out.resize(result == Z_STREAM_END ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

// Returns the fields that a file's own header and its directory entry share.
std::string SharedFields(absl::string_view name, absl::string_view contents,
                         absl::string_view deflated) {
  std::string fields;
  Put(2, kVersion, &fields);
  Put(2, kNamesAreUtf8, &fields);
  Put(2, kDeflated, &fields);
  Put(2, kTime, &fields);
  Put(2, kDate, &fields);
  Put(4, crc32_z(0, reinterpret_cast<const Bytef*>(contents.data()), contents.size()), &fields);
  Put(4, deflated.size(), &fields);
  Put(4, contents.size(), &fields);
  Put(2, name.size(), &fields);
  Put(2, 0, &fields);  // Extra fields.
  return fields;
}

}  // namespace

absl::StatusOr<std::string> Zip(const std::map<std::string, std::string>& files) {
  constexpr size_t kMost16 = std::numeric_limits<uint16_t>::max();
  constexpr size_t kMost32 = std::numeric_limits<uint32_t>::max();
  std::string bytes, directory;
  for (const auto& [name, contents] : files) {
    const size_t begin = bytes.size();
    const std::string deflated = Deflate(contents);
    if (deflated.empty() || name.size() > kMost16 || begin > kMost32 || contents.size() > kMost32 ||
        deflated.size() > kMost32) {
      return absl::InternalError(absl::StrCat("cannot add ", name, " to an archive"));
    }
    const std::string fields = SharedFields(name, contents, deflated);
    absl::StrAppend(&bytes, "PK\3\4", fields, name, deflated);
    absl::StrAppend(&directory, "PK\1\2");
    Put(2, kVersion, &directory);  // Made by.
    absl::StrAppend(&directory, fields);
    Put(2, 0, &directory);  // Comment.
    Put(2, 0, &directory);  // Disk.
    Put(2, 0, &directory);  // Internal attributes.
    Put(4, 0, &directory);  // External attributes.
    Put(4, begin, &directory);
    absl::StrAppend(&directory, name);
  }
  if (files.size() > kMost16 || bytes.size() + directory.size() > kMost32) {
    return absl::InternalError("too many files for an archive");
  }
  const size_t directory_begin = bytes.size();
  absl::StrAppend(&bytes, directory, "PK\5\6");
  Put(4, 0, &bytes);  // Disks.
  Put(2, files.size(), &bytes);
  Put(2, files.size(), &bytes);
  Put(4, directory.size(), &bytes);
  Put(4, directory_begin, &bytes);
  Put(2, 0, &bytes);  // Comment.
  return bytes;
}

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
