// SPDX-License-Identifier: Apache-2.0

#include "corpus/export/archive.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "zip.h"

namespace gguf::corpus {
namespace {

// 1980-01-01 00:00, the earliest time in the format.
constexpr zip_uint16_t kFirstDate = 1 << 5 | 1;
constexpr zip_uint16_t kFirstTime = 0;

// An archive in memory.  libzip counts references: an archive owns the sources
// added to it.
class Archive {
 public:
  Archive() : buffer_(zip_source_buffer_create(nullptr, 0, 0, nullptr)) {
    zip_source_keep(buffer_);
    archive_ = zip_open_from_source(buffer_, ZIP_TRUNCATE, nullptr);
  }
  ~Archive() {
    if (archive_ != nullptr) zip_discard(archive_);
    zip_source_free(buffer_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  // The contents are read at the end.
  bool Add(const std::string& name, const std::string& contents) {
    zip_source_t* const source =
        zip_source_buffer(archive_, contents.data(), contents.size(), 0);
    if (source == nullptr) return false;
    const zip_int64_t index =
        zip_file_add(archive_, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      return false;
    }
    return zip_set_file_compression(archive_, index, ZIP_CM_DEFLATE, 9) == 0 &&
           zip_file_set_dostime(archive_, index, kFirstTime, kFirstDate, 0) ==
               0;
  }

  // Nothing can be added afterwards.
  bool Finish(std::string* bytes) {
    if (zip_close(archive_) != 0) return false;
    archive_ = nullptr;
    zip_stat_t stat;
    if (zip_source_stat(buffer_, &stat) != 0) return false;
    bytes->resize(stat.size);
    if (zip_source_open(buffer_) != 0) return false;
    const zip_int64_t count =
        zip_source_read(buffer_, &(*bytes)[0], bytes->size());
    zip_source_close(buffer_);
    return count == static_cast<zip_int64_t>(bytes->size());
  }

  std::string Error() const {
    return archive_ != nullptr ? zip_strerror(archive_)
                               : zip_error_strerror(zip_source_error(buffer_));
  }

 private:
  zip_source_t* const buffer_;
  zip_t* archive_;
};

}  // namespace

absl::StatusOr<std::string> Zip(
    const std::map<std::string, std::string>& files) {
  if (files.empty()) {  // libzip deletes an empty archive.
    return absl::StrCat("PK\5\6", std::string(18, '\0'));
  }
  Archive archive;
  std::string bytes;
  bool good = true;
  for (const auto& [name, contents] : files) {
    good = good && archive.Add(name, contents);
  }
  if (!good || !archive.Finish(&bytes)) {
    return absl::InternalError(
        absl::StrCat("cannot create an archive: ", archive.Error()));
  }
  return bytes;
}

}  // namespace gguf::corpus
