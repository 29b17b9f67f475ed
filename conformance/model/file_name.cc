// Implements the naming convention as an RE2 expression.
//
// Two things differ from the published expression, without changing its
// meaning. JavaScript's \s matches Unicode white space and RE2's does not, so
// it is written out.  RE2 has no lookahead, so "a word that does not begin with
// LoRA or vocab" is written out as well, prefix by prefix.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/file_name.h"

#include "absl/strings/str_replace.h"
#include "re2/re2.h"

namespace gguf {
namespace {

// <S> stands for the white space inside a bracket expression.
constexpr char kBaseName[] =
    R"((?P<BaseName>[A-Za-z0-9<S>]*(?:-(?:[A-Za-z<S>][A-Za-z0-9<S>]*|[0-9<S>]*))*))";
constexpr char kSizeAndFineTune[] = R"((?:(?P<SizeLabel>(?:[0-9]+x)?(?:[0-9]+\.)?[0-9]+[A-Za-z])"
                                    R"((?:-[A-Za-z]+(?:[0-9]+\.)?[0-9]+[A-Za-z]+)?))"
                                    R"((?:-(?P<FineTune>[A-Za-z0-9<S>-]+))?)?)";
constexpr char kVersion[] = R"((?P<Version>v[0-9]+(?:\.[0-9]+)*))";
// A word ends at the next dash or dot, so the order of these does not matter.
constexpr char kEncoding[] = R"((?:-(?P<Encoding>[0-9A-KM-Z_a-uw-z]\w*)"
                             R"(|L(?:[0-9A-Z_a-np-z]\w*)?|Lo(?:[0-9A-QS-Z_a-z]\w*)?)"
                             R"(|LoR(?:[0-9B-Z_a-z]\w*)?)"
                             R"(|v(?:[0-9A-Z_a-np-z]\w*)?|vo(?:[0-9A-Z_abd-z]\w*)?)"
                             R"(|voc(?:[0-9A-Z_b-z]\w*)?|voca(?:[0-9A-Z_ac-z]\w*)?))?)";
constexpr char kTypeAndShard[] =
    R"((?:-(?P<Type>LoRA|vocab))?(?:-(?P<Shard>[0-9]{5}-of-[0-9]{5}))?\.gguf)";

constexpr char kSpace[] = R"(\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f})"
                          R"(\x{205f}\x{3000}\x{feff})";

std::string Expression(bool sidecar) {
  const std::string expression = std::string(sidecar ? "(?:(?P<Sidecar>mmproj|mtp)-)?" : "") +
                                 kBaseName + "-" + kSizeAndFineTune + "-" + kVersion + kEncoding +
                                 kTypeAndShard;
  return absl::StrReplaceAll(expression, {{"<S>", kSpace}});
}

const RE2& Convention(NamingConvention convention) {
  static const RE2& k2024 = *new RE2(Expression(false));
  static const RE2& k2026 = *new RE2(Expression(true));
  return convention == NamingConvention::k2024 ? k2024 : k2026;
}

}  // namespace

std::optional<FileNameParts> ParseFileName(absl::string_view name, NamingConvention convention) {
  const RE2& expression = Convention(convention);
  const int groups = expression.NumberOfCapturingGroups();
  std::vector<re2::StringPiece> found(1 + groups);
  const re2::StringPiece text(name.data(), name.size());
  if (!expression.Match(text, 0, text.size(), RE2::ANCHOR_BOTH, found.data(), 1 + groups)) {
    return std::nullopt;
  }
  FileNameParts parts;
  for (const auto& [index, part] : expression.CapturingGroupNames()) {
    if (found[index].data() == nullptr) continue;
    parts.emplace_back(part, std::string(found[index]));
  }
  return parts;
}

}  // namespace gguf
