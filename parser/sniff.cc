// Magic numbers of GGUF, legacy formats, and files often mistaken for them.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/sniff.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "conformance/base/bytes.h"

namespace gguf {
namespace {

constexpr char kConvert[] = "Convert it to GGUF with the tools of the program that wrote it.";
constexpr char kState[] = "It holds no model: load it beside the model of which it is the state.";
constexpr char kChatGlm[] = "a model of chatglm.cpp";
constexpr char kUnpack[] = "Unpack it and check the model inside.";
constexpr char kSwapped[] =
    "Write the magic as the bytes 47 47 55 46 in files of either endianness.";
constexpr char kFetchAgain[] = "The download failed: fetch the file again.";
constexpr char kPickle[] = "a Python pickle, probably a PyTorch checkpoint";
constexpr char kUnpickle[] = "Do not load it unless you trust its author; convert it to GGUF.";

constexpr char kDoNotRun[] = "Do not run it, and find out how it came here.";
constexpr char kAsText[] = "Transfer the file as binary data.";

struct Magic {
  absl::string_view bytes;
  const char* what;
  const char* advice;
  bool is_program = false;  // As in FileKind.
};

// Not models, or models in a container.  A magic with a NUL needs its length.
constexpr Magic kOthers[] = {
    {"FUGG", "a GGUF file whose magic is byte-swapped", kSwapped},
    {"gguf", "a GGUF file whose magic is in lower case", kSwapped},
    // The number of the model and version 1, by which it differs from a byte-swapped GGML file.
    {absl::string_view("ggml\1\0\0\0\1\0\0\0", 12), kChatGlm, kConvert},
    {absl::string_view("ggml\2\0\0\0\1\0\0\0", 12), kChatGlm, kConvert},
    {absl::string_view("ggml\3\0\0\0\1\0\0\0", 12), kChatGlm, kConvert},
    {absl::string_view("ggml\4\0\0\0\1\0\0\0", 12), kChatGlm, kConvert},
    {absl::string_view("ggml\5\0\0\0\1\0\0\0", 12), kChatGlm, kConvert},
    {absl::string_view("ggml\0\4\0\0\1\0\0\0", 12), kChatGlm, kConvert},
    {absl::string_view("ggml\1\4\0\0\1\0\0\0", 12), kChatGlm, kConvert},
    {absl::string_view("ggml\0\5\0\0\1\0\0\0", 12), kChatGlm, kConvert},
    {absl::string_view("ggml\1\5\0\0\1\0\0\0", 12), kChatGlm, kConvert},
    {"ggml", "a GGML file whose magic is byte-swapped", kConvert},
    {"ggmf", "a GGMF file whose magic is byte-swapped", kConvert},
    {"ggjt", "a GGJT file whose magic is byte-swapped", kConvert},
    {"ccgg", "a GGCC file, a Falcon model of ggllm.cpp", kConvert},
    {"nsgg", "a GGSN file, a session of llama.cpp", kState},
    {"qsgg", "a GGSQ file, the state of a sequence of llama.cpp", kState},
    {"PWRI", "a model of PowerInfer", kConvert},
    {"24ka", "a model of llama2.c", kConvert},
    {"\x89HDF\r\n", "an HDF5 file, such as a Keras model", kConvert},
    {absl::string_view("\xcd\xab\0\x0a", 4), "a model of distributed-llama", kConvert},
    {"algg", "a GGLA file, llama.cpp's LoRA format of 2023", kConvert},
    {"PK\x03\x04", "a ZIP archive, such as a PyTorch checkpoint or a llamafile", kUnpack, true},
    {"PK\x05\x06", "an empty ZIP archive", kUnpack, true},
    {"MZqFpD", "a llamafile executable",
     "It is a ZIP archive too: the models that it stores are checked where they are.", true},
    {"\x1f\x8b", "a gzip file", kUnpack, true},
    {"\x28\xb5\x2f\xfd", "a Zstandard file", kUnpack, true},
    {"\xfd\x37zXZ", "an xz file", kUnpack, true},
    {"BZh", "a bzip2 file", kUnpack, true},
    {"\x80\x02", kPickle, kUnpickle, true},
    {"\x80\x03", kPickle, kUnpickle, true},
    {"\x80\x04", kPickle, kUnpickle, true},
    {"\x80\x05", kPickle, kUnpickle, true},
    {"\x93NUMPY", "a NumPy array", kConvert},
    {"\x7f\x45LF", "an ELF program", "Check the path.", true},
    {absl::string_view("MZ\x90\0", 4), "a program for Windows", kDoNotRun, true},
    {"\xfe\xed\xfa\xce", "a Mach-O program", kDoNotRun, true},
    {"\xfe\xed\xfa\xcf", "a Mach-O program", kDoNotRun, true},
    {"\xce\xfa\xed\xfe", "a Mach-O program", kDoNotRun, true},
    {"\xcf\xfa\xed\xfe", "a Mach-O program", kDoNotRun, true},
    {absl::string_view("\xca\xfe\xba\xbe\0\0\0", 7), "a Mach-O program", kDoNotRun, true},
    {absl::string_view("\0asm\1\0\0\0", 8), "a WebAssembly module", kDoNotRun, true},
    {"#!/", "a script", kDoNotRun, true},
    {"#! /", "a script", kDoNotRun, true},
    {"<?php", "a PHP script", kDoNotRun, true},
    {"7z\xbc\xaf\x27\x1c", "a 7z archive", kUnpack, true},
    {"Rar!\x1a\x07", "a RAR archive", kUnpack, true},
};

constexpr absl::string_view kZeros("\0\0\0\0\0\0\0\0", 8);

constexpr char kPage[] = "an HTML page, probably an error or a login page";
constexpr char kJsonError[] = "a server's answer in JSON, probably an error";
constexpr char kError[] = "the error message of a server";
constexpr char kXml[] = "an XML document, probably an error page";

// What servers send in place of a file, and what converters of texts make of it; after white space,
// in any case.
constexpr Magic kTexts[] = {
    {"<!doctype html", kPage, kFetchAgain},
    {"<html", kPage, kFetchAgain},
    {"<head", kPage, kFetchAgain},
    {"<?xml", kXml, kFetchAgain},
    {"<error>", kXml, kFetchAgain},
    {"{\"error", kJsonError, kFetchAgain},
    {"{\"message", kJsonError, kFetchAgain},
    {"{\"detail", kJsonError, kFetchAgain},
    {"{\"errors", kJsonError, kFetchAgain},
    {"{\"status", kJsonError, kFetchAgain},
    {"entry not found", kError, kFetchAgain},
    {"repository not found", kError, kFetchAgain},
    {"invalid username or password", kError, kFetchAgain},
    {"invalid credentials", kError, kFetchAgain},
    {"access to model", kError, kFetchAgain},
    {"access denied", kError, kFetchAgain},
    {"unauthorized", kError, kFetchAgain},
    {"forbidden", kError, kFetchAgain},
    {"not found", kError, kFetchAgain},
    {"404", kError, kFetchAgain},
    {"401", kError, kFetchAgain},
    {"403", kError, kFetchAgain},
    {"429", kError, kFetchAgain},
    {"error:", kError, kFetchAgain},
    {"internal server error", kError, kFetchAgain},
    {"bad gateway", kError, kFetchAgain},
    {"too many requests", kError, kFetchAgain},
    {"service unavailable", kError, kFetchAgain},
    {"rate limit", kError, kFetchAgain},
};

FileKind Other(const char* what, const char* advice, Damage damage = Damage::kNone) {
  FileKind kind;
  kind.damage = damage;
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

// Returns whether all characters are ASCII and visible, or white space; there is at least one.
bool IsText(absl::string_view text) {
  return !text.empty() && absl::c_all_of(text, [](char c) {
    return absl::ascii_isprint(static_cast<unsigned char>(c)) ||
           absl::ascii_isspace(static_cast<unsigned char>(c));
  });
}

// A little-endian length of a JSON header, then the header.
bool LooksLikeSafetensors(Bytes file) {
  if (file.size() < 10 || file[8] != '{') return false;
  const auto length = LoadUnsigned<uint64_t>(file.data(), Endian::kLittle);
  return length >= 2 && length <= (uint64_t{1} << 32) &&
         (file[9] == '"' || file[9] == '}' || file[9] == ' ');
}

// The number of entries, then the length and the bytes of the name of a weight.
bool LooksLikeImatrix(Bytes file) {
  constexpr uint64_t kMostEntries = 1 << 20, kMostLength = 256;
  constexpr absl::string_view kWeight = ".weight";
  if (file.size() < 8) return false;
  const auto entries = LoadUnsigned<uint32_t>(file.data(), Endian::kLittle);
  const auto length = LoadUnsigned<uint32_t>(file.data() + 4, Endian::kLittle);
  if (entries == 0 || entries > kMostEntries || length > kMostLength) return false;
  const absl::string_view name = AsText(file.subspan(8)).substr(0, length);
  return name.size() == length && absl::EndsWith(name, kWeight) && IsText(name);
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
  if (LooksLikeImatrix(file)) {
    FileKind kind;
    kind.legacy = &ImatrixFormat();
    kind.format = kind.legacy->name;
    return kind;
  }
  if (LooksLikeSafetensors(file)) {
    return Other("a safetensors file", kConvert);
  }
  for (const Magic& magic : kOthers) {
    if (absl::StartsWith(text, magic.bytes)) {
      FileKind kind = Other(magic.what, magic.advice);
      kind.is_program = magic.is_program;
      return kind;
    }
  }
  if (absl::StartsWith(text, kZeros)) {
    return Other("a file that begins with zeros, probably a download that never began", kFetchAgain,
                 Damage::kNeverFilled);
  }
  // Only the beginning, of which every reader has all.
  absl::string_view trimmed = text.substr(0, 256);
  absl::ConsumePrefix(&trimmed, "\xef\xbb\xbf");  // A byte order mark.
  trimmed = absl::StripLeadingAsciiWhitespace(trimmed);
  for (const Magic& magic : kTexts) {
    if (absl::StartsWithIgnoreCase(trimmed, magic.bytes)) {
      return Other(magic.what, magic.advice, Damage::kInTransport);
    }
  }
  if (absl::StartsWith(trimmed, "R0dVRg") || absl::StartsWith(trimmed, "R0dVRw")) {
    return Other("a GGUF file encoded in base64", "Decode it: base64 -d.", Damage::kInTransport);
  }
  if (absl::StartsWith(trimmed, "47475546")) {
    return Other("a GGUF file written as hexadecimal digits", "Decode it: xxd -r -p.",
                 Damage::kInTransport);
  }
  if (absl::StartsWith(trimmed, "GGUF")) {
    return Other("a GGUF file with text before its magic", kAsText, Damage::kInTransport);
  }
  if (IsText(trimmed) && (trimmed[0] == '{' || trimmed[0] == '[')) {
    return Other("a JSON document", kFetchAgain, Damage::kInTransport);
  }
  return Other("a file in an unknown format", "Check the path.");
}

}  // namespace gguf
