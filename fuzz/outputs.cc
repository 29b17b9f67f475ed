// SPDX-License-Identifier: Apache-2.0

#include "fuzz/outputs.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/base/text.h"
#include "conformance/report/writers.h"
#include "fuzz/target.h"
#include "nlohmann/json.hpp"
#include "re2/re2.h"
#include "tinyxml2.h"

namespace gguf {
namespace {

void RequirePrintable(absl::string_view output) {
  for (size_t at = 0; at < output.size();) {
    const uint32_t c = NextCodePoint(output, &at);
    Require(c != kBadCodePoint && !IsInvisible(c));
    Require(c == '\n' || !IsControl(c));
  }
}

bool IsJson(absl::string_view text) { return nlohmann::json::accept(text.begin(), text.end()); }

void RequireJsonLines(absl::string_view output) {
  Require(absl::ConsumeSuffix(&output, "\n"));
  for (const absl::string_view line : absl::StrSplit(output, '\n')) {
    Require(IsJson(line));
  }
}

void RequireXml(absl::string_view output) {
  tinyxml2::XMLDocument document;
  Require(document.Parse(output.data(), output.size()) == tinyxml2::XML_SUCCESS);
}

// Every < begins a tag, and every & an entity, up to ggufcheck's own scripts;
// links lead to rules.
void RequireHtml(absl::string_view output) {
  static const LazyRE2 kTag = {R"re(</?[a-z][a-z0-9]*( [a-z-]+(="[^"<>]*")?)*>)re"};
  static const LazyRE2 kHarmful = {
      R"re((?i)</?(script|iframe|object|embed|img|svg|base|link|a)\b|)re"
      R"re(<[^>]* on[a-z]+=|<[^>]* (href|src)=)re"};
  static const LazyRE2 kRuleLink = {
      R"re(<a href="https://[A-Za-z0-9-]+\.github\.io/ggufcheck/rules/)re"
      R"re([a-z0-9-]+\.html">[a-z0-9-]+</a>)re"};
  Require(absl::StartsWith(output, "<!DOCTYPE html>\n"));
  const size_t begin = output.find("<body>");
  Require(begin != output.npos);
  const absl::string_view body = output.substr(begin);
  const size_t scripts = body.find("<script");
  Require(scripts != body.npos);
  absl::string_view rest = body.substr(0, scripts);
  std::string without_links(rest);
  RE2::GlobalReplace(&without_links, *kRuleLink, "");
  Require(!RE2::PartialMatch(without_links, *kHarmful));
  while (!rest.empty()) {
    if (rest[0] == '<') {
      re2::StringPiece tag(rest.data(), rest.size());
      Require(RE2::Consume(&tag, *kTag));
      rest = {tag.data(), tag.size()};
      continue;
    }
    Require(rest[0] != '>');
    if (rest[0] == '&') {
      const absl::string_view entity = rest.substr(1, rest.find(';'));
      Require(entity == "amp;" || entity == "lt;" || entity == "gt;" || entity == "quot;" ||
              entity == "#39;");
    }
    rest.remove_prefix(1);
  }
  // The program, and before it the data, if any: each ends where it should.
  const bool has_data = absl::StartsWith(body.substr(scripts), "<script type=\"application/json\"");
  const std::vector<std::string> ends =
      absl::StrSplit(absl::AsciiStrToLower(body.substr(scripts)), "</script");
  Require(ends.size() == (has_data ? 3 : 2));
}

// No ##[command] or ##vso[command] of Azure, no ::command:: of GitHub.
void RequireNoCommands(absl::string_view output) {
  for (size_t at = output.find("##"); at != output.npos; at = output.find("##", at + 1)) {
    const absl::string_view rest = output.substr(at + 2);
    Require(!absl::StartsWith(rest, "["));
    Require(!absl::StartsWithIgnoreCase(rest, "vso["));
  }
  for (const absl::string_view line : absl::StrSplit(output, '\n')) {
    Require(!absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "::"));
  }
}

// Every line is one command of three kinds.
void RequireGithub(absl::string_view output) {
  static const LazyRE2 kCommand = {R"(::(error|warning|notice) (file=[^:,]*,)?title=[^:,]*::.*)"};
  Require(absl::ConsumeSuffix(&output, "\n"));
  for (const absl::string_view line : absl::StrSplit(output, '\n')) {
    Require(RE2::FullMatch({line.data(), line.size()}, *kCommand));
    RequireNoCommands(line.substr(2));
  }
}

}  // namespace

std::string AnyReportFormat(Choice* choice) {
  static const auto& formats = *new std::vector<std::string>(ReportFormatNames());
  return formats[choice->Below(formats.size())];
}

void RequireInert(absl::string_view format, absl::string_view output) {
  RequirePrintable(output);
  if (format == "html") return RequireHtml(output);
  if (format == "github") return RequireGithub(output);
  if (format == "json" || format == "sarif") Require(IsJson(output));
  if (format == "ndjson") RequireJsonLines(output);
  if (format == "junit" || format == "badge") RequireXml(output);
  RequireNoCommands(output);
}

}  // namespace gguf
