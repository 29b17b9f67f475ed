// A streaming writer of the canonical dump.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/dump.h"

#include <charconv>
#include <cmath>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/base/bytes.h"
#include "conformance/base/json.h"
#include "conformance/base/text.h"
#include "conformance/model/file_name.h"
#include "parser/parse_legacy.h"

namespace gguf {
namespace {

std::string Quoted(absl::string_view digits) { return absl::StrCat("\"", digits, "\""); }

// Returns "name":"text", or "name_hex":"..." for bytes that are not text.
std::string TextMember(absl::string_view name, absl::string_view text) {
  if (IsValidUtf8(text)) {
    return absl::StrCat("\"", name, "\":", JsonString(text));
  }
  return absl::StrCat("\"", name, "_hex\":\"", absl::BytesToHexString(text), "\"");
}

template <class Float>
std::string ShortestDecimal(Float value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  return std::string(digits, end.ptr);
}

// Returns a value of fixed size as JSON; for floats, the decimal.
std::string ScalarJson(const ValueTypeInfo& type, uint64_t bits) {
  switch (type.kind) {
    case ValueKind::kBool:
      return bits == 0 ? "false" : bits == 1 ? "true" : Quoted(absl::StrCat(bits));
    case ValueKind::kFloat:
      return Quoted(type.size == 4 ? ShortestDecimal(FloatFromBits(bits))
                                   : ShortestDecimal(DoubleFromBits(bits)));
    case ValueKind::kSigned: {
      const int unused = 64 - 8 * static_cast<int>(type.size);
      return Quoted(absl::StrCat(static_cast<int64_t>(bits << unused) >> unused));
    }
    default:
      return Quoted(absl::StrCat(bits));
  }
}

std::string BitsJson(const ValueTypeInfo& type, uint64_t bits) {
  return absl::StrFormat("\"%0*x\"", static_cast<int>(2 * type.size), bits);
}

// Writes the members of a key that follow "type".
class ValueWriter : public ValueVisitor {
 public:
  ValueWriter(const File& file, std::ostream& out) : file_(file), out_(out) {}

  void BeginArray(const ValueTypeInfo& element_type, uint64_t length, uint64_t depth, uint64_t,
                  Range) {
    Separate();
    out_ << (depth == 1 ? "," : "{") << "\"elem\":\"" << element_type.name << "\"";
    // Scalars writes float arrays, but is not called for empty ones.
    in_float_array_ = element_type.kind == ValueKind::kFloat;
    if (!in_float_array_) out_ << ",\"value\":[";
    if (in_float_array_ && length == 0) out_ << ",\"bits\":[],\"value\":[";
    first_ = true;
    depth_ = depth;
  }

  void EndArray() {
    out_ << (--depth_ == 0 ? "]" : "]}");
    first_ = false;
  }

  void Scalars(const ValueTypeInfo& type, uint64_t count, Bytes values, uint64_t, uint64_t,
               uint64_t) {
    const auto bits = [&](uint64_t i) {
      return LoadUnsignedOfSize(values.data() + i * type.size, type.size, file_.encoding.endian);
    };
    if (depth_ == 0) {
      if (type.kind == ValueKind::kFloat) {
        out_ << ",\"bits\":" << BitsJson(type, bits(0));
      }
      out_ << ",\"value\":" << ScalarJson(type, bits(0));
      return;
    }
    if (in_float_array_ && count > 0) {
      out_ << ",\"bits\":[";
      for (uint64_t i = 0; i < count; ++i) {
        out_ << (i > 0 ? "," : "") << BitsJson(type, bits(i));
      }
      out_ << "],\"value\":[";
    }
    for (uint64_t i = 0; i < count; ++i) {
      out_ << (i > 0 ? "," : "") << ScalarJson(type, bits(i));
    }
  }

  void String(absl::string_view text, Range, uint64_t) {
    const bool valid = IsValidUtf8(text);
    if (depth_ == 0) {
      out_ << (valid ? ",\"value\":" + JsonString(text)
                     : ",\"hex\":\"" + absl::BytesToHexString(text) + "\"");
      return;
    }
    Separate();
    out_ << (valid ? JsonString(text) : "{\"hex\":\"" + absl::BytesToHexString(text) + "\"}");
  }

 private:
  // A comma before all but the first element of an array.
  void Separate() {
    if (depth_ > 0 && !first_) out_ << ",";
    first_ = false;
  }

  const File& file_;
  std::ostream& out_;
  uint64_t depth_ = 0;
  bool first_ = true;
  bool in_float_array_ = false;
};

void WriteKeys(const File& file, std::ostream& out) {
  out << "\"kv\":[";
  for (const KeyValue& kv : file.keys) {
    out << (kv.index > 0 ? ",\n  {" : "\n  {") << TextMember("key", kv.key.value) << ",\"type\":\""
        << kv.type->name << "\"";
    ValueWriter writer(file, out);
    WalkValue(file, kv, &writer);
    out << "}";
  }
  out << "]";
}

void WriteHparams(const LegacyHeader& header, std::ostream& out) {
  out << "\"hparams\":[";
  for (size_t i = 0; i < header.hparams.size(); ++i) {
    const HyperParameter& hparam = header.family->hparams[i];
    const bool is_float = hparam.kind == HyperParameter::kFloat;
    const ValueTypeInfo& type =
        *FindValueType(static_cast<uint32_t>(is_float ? ValueType::kF32 : ValueType::kI32), 3);
    const uint32_t bits = header.hparams[i].value;
    out << (i > 0 ? ",\n  {" : "\n  {") << "\"name\":\"" << hparam.name << "\"";
    if (is_float) out << ",\"bits\":" << BitsJson(type, bits);
    out << ",\"value\":" << ScalarJson(type, bits) << "}";
  }
  out << "]";
}

void WriteTokens(const File& file, std::ostream& out) {
  out << "\"tokens\":[";
  const char* separator = "\n  ";
  ForEachToken(file, [&](absl::string_view text, uint32_t score) {
    out << separator << "{" << TextMember("text", text);
    separator = ",\n  ";
    if (file.legacy->scored) {
      out << absl::StrFormat(",\"bits\":\"%08x\",\"score\":\"%s\"", score,
                             ShortestDecimal(FloatFromBits(score)));
    }
    out << "}";
  });
  out << "]";
}

void WriteTensors(const File& file, std::ostream& out) {
  out << "\"tensors\":[";
  for (const TensorInfo& tensor : file.tensors) {
    // Two programs may give one name to different types; the id tells them apart.
    const bool is_foreign = tensor.sized != nullptr && !tensor.sized->program.empty();
    const auto size = tensor.bytes;
    out << (tensor.index > 0 ? ",\n  {" : "\n  {") << TextMember("name", tensor.name.value)
        << ",\"type\":\"" << (is_foreign ? absl::StrCat(tensor.type.value) : tensor.TypeName())
        << "\",\"dims\":[";
    const uint64_t width =
        tensor.n_dims.value == 0 ? 0 : tensor.dims_where().size() / tensor.n_dims.value;
    for (uint32_t i = 0; i < tensor.n_dims.value; ++i) {
      const uint8_t* dim = file.bytes.data() + tensor.dims_where().begin + i * width;
      out << (i > 0 ? "," : "")
          << Quoted(absl::StrCat(LoadUnsignedOfSize(dim, width, file.encoding.endian)));
    }
    out << "],\"offset\":" << Quoted(absl::StrCat(tensor.offset.value))
        << ",\"size\":" << (size ? Quoted(absl::StrCat(*size)) : "null") << "}";
  }
  out << "]";
}

void WriteFileName(const File& file, std::ostream& out) {
  out << "\"file_name\":";
  const auto parts = ParseFileName(file.name);
  if (!parts) {
    out << "null";
    return;
  }
  const char* separator = "{";
  for (const auto& [part, value] : *parts) {
    out << separator << "\"" << part << "\":" << JsonString(value);
    separator = ",";
  }
  out << "}";
}

}  // namespace

void WriteDump(const File& file, std::ostream& out) {
  const bool header = file.progress >= Progress::kHeader;
  out << "{\"format\":\"" << file.kind.format << "\"";
  if (file.legacy) {
    out << ",\"family\":\"" << file.legacy->family->name << "\"";
  }
  if (header) {
    if (file.version.value != 0) {
      out << ",\"version\":\"" << file.version.value << "\"";
    }
    out << ",\"endian\":\"" << (file.encoding.endian == Endian::kLittle ? "little" : "big")
        << "\",\"alignment\":"
        << (file.alignment_known && file.progress >= Progress::kKeys
                ? Quoted(absl::StrCat(file.alignment))
                : "null");
  }
  if (file.stop) out << ",\"incomplete\":true";
  out << ",\n ";
  if (file.legacy) {
    WriteHparams(*file.legacy, out);
    out << ",\n ";
    WriteTokens(file, out);
  } else {
    WriteKeys(file, out);
  }
  out << ",\n ";
  WriteTensors(file, out);
  out << ",\n ";
  WriteFileName(file, out);
  out << "}\n";
}

}  // namespace gguf
