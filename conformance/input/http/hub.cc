// Asks the API of Hugging Face for files.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http/hub.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"

namespace gguf {
namespace {

constexpr absl::string_view kScheme = "hf://";
constexpr size_t kMostListBytes = 16 << 20;

// Returns the text as a part of a URL's path.
std::string Escaped(absl::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (absl::ascii_isalnum(c) || absl::StrContains("-._~/", c)) {
      escaped.push_back(c);
    } else {
      absl::StrAppendFormat(&escaped, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

// Keeps a short body.
class TextReceiver : public HttpReceiver {
 public:
  void AddHeader(absl::string_view, absl::string_view, int) override {}
  bool AddBody(absl::string_view data, int) override {
    absl::StrAppend(&text_, data);
    return text_.size() <= kMostListBytes;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Returns the names of the GGUF files in the server's description of a
// repository.
absl::StatusOr<std::vector<std::string>> GgufFiles(const std::string& description) {
  const auto json = nlohmann::json::parse(description, nullptr, false);
  if (!json.is_object() || !json.contains("siblings") || !json["siblings"].is_array()) {
    return absl::UnavailableError(
        "the server's answer is not a list of files; is HF_ENDPOINT right?");
  }
  std::vector<std::string> files;
  for (const auto& entry : json["siblings"]) {
    if (!entry.is_object() || !entry.contains("rfilename")) continue;
    const auto& name = entry["rfilename"];
    if (!name.is_string()) continue;
    const auto& text = name.get_ref<const std::string&>();
    if (absl::EndsWithIgnoreCase(text, ".gguf")) files.push_back(text);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

bool IsHubPath(absl::string_view text) { return absl::StartsWith(text, kScheme); }

absl::StatusOr<HubPath> ParseHubPath(absl::string_view text) {
  absl::ConsumePrefix(&text, kScheme);
  const size_t slash = text.find('/');
  const size_t end = slash == absl::string_view::npos
                         ? absl::string_view::npos
                         : std::min(text.find('/', slash + 1), text.size());
  const absl::string_view name = text.substr(0, end);
  const size_t at = std::min(name.find('@'), name.size());
  if (slash == 0 || end == absl::string_view::npos || at <= slash + 1 || at + 1 == name.size()) {
    return absl::InvalidArgumentError(
        "expected hf://ORG/REPO or hf://ORG/REPO/FILE, with @REVISION after REPO or not");
  }
  HubPath path;
  path.repository = std::string(name.substr(0, at));
  path.revision = at < name.size() ? std::string(name.substr(at + 1)) : "main";
  text.remove_prefix(end);
  absl::ConsumePrefix(&text, "/");
  path.file = std::string(text);
  return path;
}

absl::StatusOr<Hub> Hub::FromEnvironment() {
  const char* server = std::getenv("HF_ENDPOINT");
  const char* token = std::getenv("HF_TOKEN");
  const bool is_set = server != nullptr && *server != '\0';
  auto url = ParseUrl(is_set ? server : "https://huggingface.co");
  if (!url.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the variable HF_ENDPOINT ", url.status().message()));
  }
  url->target = std::string(absl::StripSuffix(url->target, "/"));
  // Secrets from files often end with a line break.
  Hub hub = {*std::move(url), std::string(absl::StripAsciiWhitespace(token ? token : ""))};
  if (!ParseHeader(absl::StrCat("Authorization:", hub.token)).ok()) {
    return absl::InvalidArgumentError(
        "the variable HF_TOKEN is not a token: it is too long or has control characters");
  }
  return hub;
}

Url Hub::FileUrl(const HubPath& path) const {
  Url url = server;
  absl::StrAppend(&url.target, "/", Escaped(path.repository), "/resolve/", Escaped(path.revision),
                  "/", Escaped(path.file));
  return url;
}

HttpAccess Hub::AccessWith(HttpAccess access) const {
  if (!token.empty()) {
    access.headers.insert(access.headers.begin(),
                          {"Authorization", absl::StrCat("Bearer ", token)});
  }
  return access;
}

absl::StatusOr<std::vector<std::string>> Hub::ListFiles(const HubPath& repository,
                                                        HttpOptions options) const {
  options.access = AccessWith(std::move(options.access));
  HttpClient client(std::move(options));
  Url url = server;
  absl::StrAppend(&url.target, "/api/models/", Escaped(repository.repository), "/revision/",
                  Escaped(repository.revision));
  TextReceiver receiver;
  const auto code = client.Get(url, "", &receiver);
  if (!code.ok()) return code.status();
  if (*code != 200) return StatusOfCode(*code);
  auto files = GgufFiles(receiver.text());
  if (!files.ok()) return files.status();
  if (files->empty()) {
    return absl::NotFoundError("no GGUF files in this repository");
  }
  for (std::string& file : *files) {
    file = absl::StrCat(kScheme, repository.repository, "@", repository.revision, "/", file);
  }
  return files;
}

}  // namespace gguf
