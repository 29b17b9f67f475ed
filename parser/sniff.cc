// Magic numbers of GGUF, legacy formats, and files often mistaken for them.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/sniff.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "conformance/base/bytes.h"

namespace gguf {
namespace {

constexpr char kConvert[] = "Convert it to GGUF with the tools of the program that wrote it.";
constexpr char kUnpack[] = "Unpack it and check the model inside.";
constexpr char kSwapped[] =
    "Write the magic as the bytes 47 47 55 46 in files of either endianness.";
constexpr char kFetchAgain[] = "The download failed: fetch the file again.";
constexpr char kPickle[] = "a Python pickle, probably a PyTorch checkpoint";
constexpr char kUnpickle[] = "Do not load it unless you trust its author; convert it to GGUF.";

struct Magic {
  absl::string_view bytes;
  const char* what;
  const char* advice;
};

// Not models, or models in a container.  A magic with a NUL needs its length.
constexpr Magic kOthers[] = {
    {"FUGG", "a GGUF file whose magic is byte-swapped", kSwapped},
    {"gguf", "a GGUF file whose magic is in lower case", kSwapped},
    {"ggml", "a GGML file whose magic is byte-swapped", kConvert},
    {"ggmf", "a GGMF file whose magic is byte-swapped", kConvert},
    {"ggjt", "a GGJT file whose magic is byte-swapped", kConvert},
    {"algg", "a GGLA file, llama.cpp's LoRA format of 2023", kConvert},
    {"PK\x03\x04", "a ZIP archive, such as a PyTorch checkpoint or a llamafile", kUnpack},
    {"PK\x05\x06", "an empty ZIP archive", kUnpack},
    {"MZqFpD", "a llamafile executable",
     "It is a ZIP archive too: unpack it and check the model inside."},
    {"\x1f\x8b", "a gzip file", kUnpack},
    {"\x28\xb5\x2f\xfd", "a Zstandard file", kUnpack},
    {"\xfd\x37zXZ", "an xz file", kUnpack},
    {"BZh", "a bzip2 file", kUnpack},
    {"\x80\x02", kPickle, kUnpickle},
    {"\x80\x03", kPickle, kUnpickle},
    {"\x80\x04", kPickle, kUnpickle},
    {"\x80\x05", kPickle, kUnpickle},
    {"\x93NUMPY", "a NumPy array", kConvert},
    {"\x7f\x45LF", "an ELF program", "Check the path."},
    {"<?xml", "an XML document, probably an error page", kFetchAgain},
    {absl::string_view("\0\0\0\0\0\0\0\0", 8),
     "a file that begins with zeros, probably a download that never began", kFetchAgain},
};

FileKind Other(const char* what, const char* advice) {
  FileKind kind;
  kind.what = what;
  kind.advice = advice;
  return kind;
}

// Identifies the magic and the version after it; a file may end before the
// version.
std::optional<FileKind> SniffLegacy(Bytes file) {
  FileKind kind;
  for (const LegacyFormat& format : LegacyFormats()) {
    if (!absl::StartsWith(AsText(file), format.magic)) continue;
    if (kind.legacy == nullptr) kind.legacy = &format;
    if (format.version == 0 || file.size() < 8) continue;
    kind.version = LoadUnsigned<uint32_t>(file.data() + 4, Endian::kLittle);
    if (kind.version == format.version) kind.legacy = &format;
  }
  if (kind.legacy == nullptr) return std::nullopt;
  kind.format = kind.legacy->name;
  return kind;
}

// Identifies a file that rwkv.cpp wrote on a big-endian machine: the magic is
// reversed, and the version tells it from other files of that magic.
std::optional<FileKind> SniffBigEndianRwkv(Bytes file) {
  if (!absl::StartsWith(AsText(file), "ggmf") || file.size() < 8) {
    return std::nullopt;
  }
  const auto version = LoadUnsigned<uint32_t>(file.data() + 4, Endian::kBig);
  for (const LegacyFormat& format : LegacyFormats()) {
    if (format.magic != absl::string_view("fmgg") || format.name != absl::string_view("rwkv.cpp") ||
        format.version != version) {
      continue;
    }
    FileKind kind;
    kind.format = format.name;
    kind.legacy = &format;
    kind.version = version;
    kind.endian = Endian::kBig;
    return kind;
  }
  return std::nullopt;
}

// A little-endian length of a JSON header, then the header.
bool LooksLikeSafetensors(Bytes file) {
  if (file.size() < 10 || file[8] != '{') return false;
  const auto length = LoadUnsigned<uint64_t>(file.data(), Endian::kLittle);
  return length >= 2 && length <= (uint64_t{1} << 32) &&
         (file[9] == '"' || file[9] == '}' || file[9] == ' ');
}

}  // namespace

FileKind Sniff(Bytes file) {
  const absl::string_view text = AsText(file.subspan(0, 1024));
  if (text.empty()) {
    return Other("an empty file", kFetchAgain);
  }
  if (absl::StartsWith("GGUF", text.substr(0, 4))) {
    FileKind kind;
    kind.format = "gguf";
    kind.is_gguf = true;
    return kind;
  }
  if (absl::StartsWith(text, "version https://git-lfs.github.com/spec/")) {
    FileKind kind =
        Other("a Git LFS pointer, not the model itself", "Fetch the model: git lfs pull.");
    kind.is_pointer = true;
    return kind;
  }
  if (const auto legacy = SniffLegacy(file)) return *legacy;
  if (const auto rwkv = SniffBigEndianRwkv(file)) return *rwkv;
  if (LooksLikeSafetensors(file)) {
    return Other("a safetensors file", kConvert);
  }
  for (const Magic& magic : kOthers) {
    if (absl::StartsWith(text, magic.bytes)) {
      return Other(magic.what, magic.advice);
    }
  }
  // Only the beginning, of which every reader has all.
  const absl::string_view trimmed = absl::StripLeadingAsciiWhitespace(text.substr(0, 256));
  if (absl::StartsWithIgnoreCase(trimmed, "<!doctype html") ||
      absl::StartsWithIgnoreCase(trimmed, "<html")) {
    return Other("an HTML page, probably an error or a login page", kFetchAgain);
  }
  return Other("a file in an unknown format", "Check the path.");
}

}  // namespace gguf
