// TomlFile: reads a configuration file key by key.  A key that is never read is
// an error that names its line.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_BASE_TOML_FILE_H_
#define GGUF_CONFORMANCE_BASE_TOML_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gguf {

// The size limit of a file, in bytes.
constexpr size_t kTomlBytes = 256 << 10;

struct TomlContents;  // toml_file.cc

// A table of a TomlFile, which must outlive it.  Cheap to copy; copies refer to
// the same table.
class TomlTable {
 public:
  // Reads the value of a key.  Returns false and leaves `*value` unchanged when
  // the key is missing or its value has another type; the latter is an error.
  bool Read(absl::string_view key, std::string* value);
  bool Read(absl::string_view key, bool* value);
  bool Read(absl::string_view key, uint64_t* value);  // Not negative.
  bool Read(absl::string_view key, double* value);    // Also accepts integers.
  bool Read(absl::string_view key, std::vector<std::string>* value);

  // Returns whether the key exists and its value is a string; does not mark the
  // key as read.
  bool IsString(absl::string_view key) const;

  // Returns the table that is the value of a key; nothing in the cases in which
  // Read() returns false.
  std::optional<TomlTable> Table(absl::string_view key);

  // Returns all keys, sorted; for tables with arbitrary keys.
  std::vector<std::string> Keys() const;

  // Reports an error in the value of an existing key, or in one element of a
  // list.
  void Fail(absl::string_view key, absl::string_view what);
  void Fail(absl::string_view key, size_t element, absl::string_view what);

  // Adds a warning about an existing key.
  void Warn(absl::string_view key, absl::string_view what);

  // Returns whether an error was found so far, anywhere in the file.
  bool failed() const;

 private:
  friend class TomlFile;
  TomlTable(TomlContents* file, const void* table);

  template <class Node, class Value>
  bool ReadAs(absl::string_view key, const char* type, Value* value);

  TomlContents* file_;
  const void* table_;  // A toml::table of the file.
};

class TomlFile {
 public:
  // Parses a text.  `name` is the file's name in errors.  InvalidArgument,
  // "NAME:LINE: what", when it is not valid TOML 1.0; when brackets, or dots in
  // a key, are nested deeper than 8; and for non-ASCII text outside of comments
  // and strings of one line.
  static absl::StatusOr<TomlFile> Parse(absl::string_view text, absl::string_view name);

  // Reads a regular file of at most kTomlBytes.  Errors name `path`: NotFound
  // when it does not exist, InvalidArgument as above, FailedPrecondition
  // otherwise.
  static absl::StatusOr<TomlFile> Load(const std::string& path);

  TomlFile(TomlFile&&) noexcept;
  ~TomlFile();

  // Returns the top-level table.
  TomlTable root();

  // Call this after reading everything.  Returns ok or the first error of the
  // file, "NAME:LINE: what": a key that was never read, a value of a wrong
  // type, or an error of Fail().
  absl::Status Finish();

  // The warnings of Warn(), each as "NAME:LINE: what".
  const std::vector<std::string>& warnings() const;

 private:
  explicit TomlFile(std::unique_ptr<TomlContents> contents);

  std::unique_ptr<TomlContents> contents_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_BASE_TOML_FILE_H_
