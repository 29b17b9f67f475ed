// Checks of what texts among the values hold that is not meant for a reader of the model: controls
// of terminals, hidden characters, markup, and what is private.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "conformance/model/text_match.h"
#include "conformance/rules/first_string.h"
#include "conformance/rules/rule_tables.h"
#include "re2/re2.h"

namespace gguf {
namespace {

// Tokens and templates hold any character, and markers like markup; other rules check them.
bool IsOfTokenizer(const KeyValue& kv) { return absl::StartsWith(kv.key.value, "tokenizer."); }

// Reports the first text of each value that `is_wrong` holds for.
template <bool (*is_wrong)(absl::string_view text), const char* message>
void FindTexts(const CheckContext& context, Finder& find) {
  for (const KeyValue& kv : context.model.file.keys) {
    if (!kv.MayHold(ValueKind::kString) || IsOfTokenizer(kv)) continue;
    const FirstString found = FindString(context.model.file, kv, is_wrong);
    if (found.count > 0) find(found.where, found.SubjectOf(kv), message, {});
  }
}

constexpr char kControls[] =
    "has control characters, with which it can change what a terminal shows";
constexpr char kHidden[] = "has invisible characters, or some that change the direction of text";
constexpr char kMarkup[] = "has markup, which a page that shows it unescaped obeys";
constexpr char kHome[] = "has the path of somebody's home folder";
constexpr char kSecret[] = "has what looks like an access token";

bool HasControls(absl::string_view text) {
  return absl::c_any_of(text,
                        [](char c) {
                          const auto byte = static_cast<unsigned char>(c);
                          return byte == 0x7F ||
                                 (byte < 0x20 && c != '\t' && c != '\n' && c != '\r');
                        }) ||
         absl::StrContains(text, "\u009b");  // The same as ESC and "[".
}

// Joiners and marks of direction, U+200C to U+200F, are parts of words in some scripts.
bool HasHidden(absl::string_view text) {
  static const RE2& kExpression = *new RE2(
      "[\\x{200B}\\x{2060}-\\x{2064}\\x{FEFF}\\x{202A}-\\x{202E}\\x{2066}-\\x{2069}\\x{180E}"
      "\\x{E0000}-\\x{E007F}]");
  return absl::c_any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }) &&
         MatchesPart(kExpression, text);
}

bool HasMarkup(absl::string_view text) {
  static const RE2& kExpression = *new RE2(
      "(?i)</?(a|applet|base|body|button|embed|form|frame|frameset|head|html|iframe|img|input|link|"
      "math|meta|object|script|style|svg|video|audio)([\\s/][^>]*)?>|\\bjavascript:");
  return (absl::StrContains(text, '<') || absl::StrContains(text, ':')) &&
         MatchesPart(kExpression, text);
}

bool HasHome(absl::string_view text) {
  static const RE2& kExpression = *new RE2(
      "(^|[^\\w.])(/home/|/Users/|/root/|(?i:[a-z]:[\\\\/]+(users|documents and settings)[\\\\/]+))"
      "[^/\\\\\\s]+");
  const bool is_url = absl::StartsWith(text, "http://") || absl::StartsWith(text, "https://");
  return !is_url && absl::c_any_of(text, [](char c) { return c == '/' || c == '\\'; }) &&
         MatchesPart(kExpression, text);
}

bool HasSecret(absl::string_view text) {
  static const RE2& kExpression = *new RE2(
      "\\b(hf_[A-Za-z0-9]{30,}|api_org_[A-Za-z0-9]{30,}|gh[pousr]_[A-Za-z0-9]{30,}|"
      "github_pat_[A-Za-z0-9_]{30,}|glpat-[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9_-]{32,}|"
      "AKIA[0-9A-Z]{16}|xox[abprs]-[A-Za-z0-9-]{20,})");
  constexpr size_t kShortest = 20;
  return text.size() >= kShortest && MatchesPart(kExpression, text);
}

bool IsHash(absl::string_view name) {
  absl::ConsumePrefix(&name, "sha256-") || absl::ConsumePrefix(&name, "sha256:");
  static const RE2& kExpression = *new RE2(
      "(?i)[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  return Matches(kExpression, name);
}

}  // namespace

constexpr RuleTable kValueTextRules = {
    {.id = "value-no-control-characters",
     .severities = {.upload = kNote},
     .summary = "A text should have no control characters but tabs and line ends.",
     .why = "Programs print values as they are. A terminal obeys escape sequences in them: they "
            "hide text, change the clipboard, or show another link than the one that is opened.",
     .repair = "Remove the characters.",
     .citation = "Not in the specification; ECMA-48 defines what terminals obey.",
     .since = "0.2.0",
     .check = FindTexts<HasControls, kControls>},
    {.id = "value-characters-visible",
     .severities = {.upload = kNote},
     .summary = "A text should have no invisible characters, and none that override the direction.",
     .why = "People read another text than programs do. Zero-width spaces and byte order marks are "
            "often left over from copying; in some texts they are meant.",
     .repair = "Remove the characters.",
     .citation = "Not in the specification; Unicode Technical Report 36 describes such texts.",
     .since = "0.2.0",
     .check = FindTexts<HasHidden, kHidden>},
    {.id = "value-no-markup",
     .severities = {.upload = kNote},
     .summary = "A text should have no HTML that loads or runs something.",
     .why = "Pages of hubs show values. One that does not escape them runs scripts of the file. A "
            "description may speak of HTML without harm.",
     .repair = "Write plain text.",
     .citation = "Not in the specification; CWE-79 describes pages that do not escape.",
     .since = "0.2.0",
     .check = FindTexts<HasMarkup, kMarkup>},
    {.id = "value-no-home-folder",
     .severities = {.upload = kNote},
     .summary = "A text should have no path in a home folder.",
     .why =
         "It publishes the name of an account, and what its folders are called. Quantizers store "
         "the paths of their importance matrix and its texts. A path may also be an example.",
     .repair = "Write only the name of the file.",
     .citation = "Not in the specification; CWE-200 describes information that is published "
                 "unintentionally.",
     .since = "0.2.0",
     .check = FindTexts<HasHome, kHome>},
    {.id = "value-no-access-token",
     .severities = {.upload = kNote},
     .summary = "A text should have no access token of a service.",
     .why = "Whoever fetches the file can use the account. The finding goes by the form of tokens "
            "of Hugging Face, GitHub and others; it cannot tell whether a token is valid.",
     .repair = "Revoke the token, then remove it from the file.",
     .citation = "Not in the specification; hubs scan uploads for such tokens.",
     .since = "0.2.0",
     .check = FindTexts<HasSecret, kSecret>},
    {.id = "name-not-hash",
     .severities = {.upload = kNote},
     .summary = "The model's name should not be a hash.",
     .why =
         "People cannot tell which model it is. Converters take the name of the folder, which in "
         "a cache is the hash of a commit. A model may also have such a name on purpose.",
     .repair = "Write the model's name to general.name, and to general.basename if it is there.",
     .citation = "Not in the specification, by which a name is for people.",
     .since = "0.2.0",
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const KeyValue& kv : context.model.file.keys) {
             if (kv.key.value != "general.name" && kv.key.value != "general.basename") continue;
             const auto name = context.model.file.String(kv);
             if (!name || !IsHash(*name)) continue;
             find(kv.at_value(), "is {name}, a hash", {{"name", *name}});
           }
         }},
};

}  // namespace gguf
