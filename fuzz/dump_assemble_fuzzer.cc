// For any file that can be read completely, its dump contains all of the
// metadata and the tensor table: a text made from the dump alone assembles to a
// file with the same dump.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "conformance/report/dump.h"
#include "corpus/language/assemble.h"
#include "corpus/language/case.h"
#include "fuzz/target.h"
#include "nlohmann/json.hpp"
#include "parser/diagnostic.h"
#include "parser/file.h"
#include "parser/foreign_type.h"
#include "parser/parse.h"
#include "parser/tensor_type.h"

#define GGUF_FUZZ_IMPL
#include "gguf_fuzz.h"

namespace gguf {
namespace {

using nlohmann::json;

// Empty if the parser stopped, the file is not a GGUF file, or the size of the data tells the type
// of a tensor: a dump does not cover it.
std::string DumpOf(Bytes bytes) {
  const Limits limits;
  Diagnostics found(limits.findings_per_rule);
  const File file = Parse(bytes, limits, &found);
  const bool is_told_by_data = std::any_of(
      file.tensors.begin(), file.tensors.end(),
      [](const TensorInfo& tensor) { return !ForeignTypesOf(tensor.type.value).empty(); });
  if (file.stop || file.legacy || is_told_by_data) return "";
  std::ostringstream out;
  WriteDump(file, out);
  return out.str();
}

std::string Text(const std::string& hex) { return absl::StrCat("x\"", hex, "\""); }

// Returns the member `name`, or its substitute if it is not UTF-8.
std::string TextOf(const json& object, const std::string& name) {
  const auto hex = object.find(name + "_hex");
  if (hex != object.end()) return Text(*hex);
  return Text(absl::BytesToHexString(std::string(object.at(name))));
}

std::string Value(const std::string& type, const json& value);

// Returns the value whose "elem" and elements are given.
std::string Array(const json& array) {
  const std::string type = array.at("elem");
  const bool is_float = array.contains("bits");
  std::string text = absl::StrCat(type, " [");
  for (const json& element : array.at(is_float ? "bits" : "value")) {
    absl::StrAppend(&text, is_float ? "0x" + std::string(element) : Value(type, element), " ");
  }
  return text + "]";
}

// Returns one element of an array, or a value that is neither a float nor an
// array.
std::string Value(const std::string& type, const json& value) {
  if (type == "arr") return Array(value);
  if (value.is_boolean()) return value ? "1" : "0";
  if (value.is_object()) return Text(value.at("hex"));
  const std::string& text = value.get_ref<const std::string&>();
  return type == "str" ? Text(absl::BytesToHexString(text)) : text;
}

std::string Key(const json& kv) {
  const std::string type = kv.at("type");
  std::string value = type == "arr"         ? Array(kv)
                      : kv.contains("hex")  ? Text(kv["hex"])
                      : kv.contains("bits") ? "0x" + std::string(kv["bits"])
                                            : Value(type, kv.at("value"));
  return absl::StrCat("kv ", TextOf(kv, "key"), " ", type, " ", value, "\n");
}

// Returns the id of a type that the dump names; otherwise the dump has a
// number.
std::string TensorTypeNumber(const std::string& name) {
  for (const TensorTypeInfo& info : AllTensorTypes()) {
    if (name == info.name) return absl::StrCat(info.id);
  }
  return name;
}

std::string Tensor(const json& tensor) {
  std::string dims;
  for (const std::string dim : tensor.at("dims")) absl::StrAppend(&dims, dim, " ");
  return absl::StrCat("tensor ", TextOf(tensor, "name"), " ", TensorTypeNumber(tensor.at("type")),
                      " [", dims, "] offset ", std::string(tensor.at("offset")),
                      " data {} pad {}\n");
}

std::string TextOfDump(const json& dump) {
  std::string text = absl::StrCat("gguf ", std::string(dump.at("version")), " ",
                                  std::string(dump.at("endian")), "\n");
  for (const json& kv : dump.at("kv")) text += Key(kv);
  for (const json& tensor : dump.at("tensors")) text += Tensor(tensor);
  // The dump does not cover tensor data, and an alignment may require 2 GiB of
  // padding.
  return text + "data padding {}\n";
}

}  // namespace
}  // namespace gguf

extern "C" int gguf_fuzz_read(const uint8_t* data, size_t size) {
  const std::string dump = gguf::DumpOf(gguf::Bytes(data, size));
  if (dump.empty()) return 1;
  const auto parsed = nlohmann::json::parse(dump, nullptr, false);
  gguf::Require(!parsed.is_discarded());
  const auto read = gguf::corpus::ReadText(gguf::TextOfDump(parsed), nullptr);
  gguf::Require(read.ok());
  const auto image = gguf::corpus::Assemble(read->document);
  gguf::Require(image.ok());
  const std::string assembled = image->ToString();
  gguf::Require(gguf::DumpOf(gguf::AsBytes(assembled)) == dump);
  return 0;
}
