// TomlFile: a configuration file, read key by key.  What nobody asks for is an
// error that names its line.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CONFIG_TOML_FILE_H_
#define GGUF_CONFORMANCE_CONFIG_TOML_FILE_H_

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

// The longest file that is read, in bytes.
constexpr size_t kTomlBytes = 256 << 10;

struct TomlContents;  // toml_file.cc

// A table of a TomlFile, which outlives it.  Small; copies are the same table.
class TomlTable {
 public:
  // Reads the value of a key.  False, and `*value` as it was, when the key is
  // not there or has a value of another type; the latter is an error.
  bool Read(absl::string_view key, std::string* value);
  bool Read(absl::string_view key, bool* value);
  bool Read(absl::string_view key, uint64_t* value);  // Not below 0.
  bool Read(absl::string_view key, double* value);    // Or an integer.
  bool Read(absl::string_view key, std::vector<std::string>* value);

  // Whether the key is there and its value a string; asks for nothing.
  bool IsString(absl::string_view key) const;

  // The table that is the value of a key; nothing as above.
  std::optional<TomlTable> Table(absl::string_view key);

  // All keys, sorted: for tables whose keys are not ours.
  std::vector<std::string> Keys() const;

  // Says what is wrong with the value of a key that is there, or with one
  // element of a list.
  void Fail(absl::string_view key, absl::string_view what);
  void Fail(absl::string_view key, size_t element, absl::string_view what);

  // Warns of a key that is there.
  void Warn(absl::string_view key, absl::string_view what);

  // Whether there is an error yet, anywhere in the file.
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
  // `name` is what errors call the file.  InvalidArgument, "NAME:LINE: what",
  // when it is no TOML (version 1.0), or is more than ScanToml() lets through.
  static absl::StatusOr<TomlFile> Parse(absl::string_view text,
                                        absl::string_view name);

  // Reads a regular file of at most kTomlBytes.  Errors name `path`; NotFound
  // when it is not there, InvalidArgument as above, FailedPrecondition
  // otherwise.
  static absl::StatusOr<TomlFile> Load(const std::string& path);

  TomlFile(TomlFile&&) noexcept;
  ~TomlFile();

  // The outermost table.
  TomlTable root();

  // When all was read: ok, or the first error of the file, "NAME:LINE: what":
  // a key that nobody asked for, a value of a wrong type, what Fail() said.
  absl::Status Finish();

  // What Warn() said, each as "NAME:LINE: what".
  const std::vector<std::string>& warnings() const;

 private:
  explicit TomlFile(std::unique_ptr<TomlContents> contents);

  std::unique_ptr<TomlContents> contents_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CONFIG_TOML_FILE_H_
