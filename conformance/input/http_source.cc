// Sends one request at a time, with libcurl.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http_source.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/input/private_address.h"
#include "curl/curl.h"

namespace gguf {
namespace {

constexpr long kSlowestBytesPerSecond = 1024;

// A non-zero result ends the transfer.
int OnProgress(void* options, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  const auto& stop = static_cast<const HttpOptions*>(options)->stop;
  return stop && stop() ? 1 : 0;
}

}  // namespace

bool IsHttpUrl(absl::string_view path) {
  return absl::StartsWithIgnoreCase(path, "http://") ||
         absl::StartsWithIgnoreCase(path, "https://");
}

std::string ShownUrl(absl::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const size_t host = url.find("//") + 2;
  const size_t path = std::min(url.find('/', host), url.size());
  const size_t user_end = url.substr(0, path).rfind('@');
  if (user_end == absl::string_view::npos) return std::string(url);
  return absl::StrCat(url.substr(0, host), url.substr(user_end + 1));
}

// A request and its response.
struct HttpSource::Transfer {
  CURL* const curl;
  RangeResponse* const response;
  const bool refuse_private;
  bool refused = false;

  long Code() const {
    long code = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code);
    return code;
  }
  absl::Status StatusOf(CURLcode result, const char* error) const;

  static size_t OnHeader(char* data, size_t, size_t count, void* self) {
    auto* transfer = static_cast<Transfer*>(self);
    transfer->response->AddHeader({data, count}, transfer->Code());
    return count;
  }
  static size_t OnBody(char* data, size_t, size_t count, void* self) {
    auto* transfer = static_cast<Transfer*>(self);
    return transfer->response->AddBody({data, count}, transfer->Code()) ? count
                                                                        : 0;
  }
  static curl_socket_t OnSocket(void* self, curlsocktype,
                                curl_sockaddr* address);
};

curl_socket_t HttpSource::Transfer::OnSocket(void* self, curlsocktype,
                                             curl_sockaddr* address) {
  auto* transfer = static_cast<Transfer*>(self);
  long redirects = 0;
  curl_easy_getinfo(transfer->curl, CURLINFO_REDIRECT_COUNT, &redirects);
  if (redirects > 0 && transfer->refuse_private &&
      IsPrivateAddress(address->addr)) {
    transfer->refused = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC,
                address->protocol);
}

absl::Status HttpSource::Transfer::StatusOf(CURLcode result,
                                            const char* error) const {
  if (refused) {
    return absl::FailedPreconditionError(
        "the server redirects to a private address; to allow this, use "
        "--allow-private-redirects");
  }
  if (result != CURLE_OK && !response->enough()) {
    return absl::UnavailableError(
        absl::StrCat("cannot be read from the server: ",
                     error[0] != '\0' ? error : curl_easy_strerror(result)));
  }
  return response->Judge(Code());
}

HttpSource::HttpSource(const std::string& url, HttpOptions options)
    : options_(options), curl_(curl_easy_init()) {
  SetOptions(url);
}

void HttpSource::Free::operator()(void* curl) const { curl_easy_cleanup(curl); }

void HttpSource::SetOptions(const std::string& url) {
  const auto set = [&](CURLoption option, auto value) {
    curl_easy_setopt(curl_.get(), option, value);
  };
  const bool secure = absl::StartsWithIgnoreCase(url, "https:");
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, long{options_.redirects});
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_USERAGENT, "ggufcheck");
  set(CURLOPT_CONNECTTIMEOUT_MS, long{options_.connect_timeout.count()});
  set(CURLOPT_TIMEOUT_MS, long{options_.request_timeout.count()});
  set(CURLOPT_LOW_SPEED_LIMIT, kSlowestBytesPerSecond);
  set(CURLOPT_LOW_SPEED_TIME, long{options_.stall_timeout.count()});
  set(CURLOPT_HEADERFUNCTION, &Transfer::OnHeader);
  set(CURLOPT_WRITEFUNCTION, &Transfer::OnBody);
  set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::OnSocket);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &OnProgress);
  set(CURLOPT_XFERINFODATA, &options_);
  // A proxy would hide the address of the server.
  if (!options_.private_redirects) set(CURLOPT_PROXY, "");
}

absl::Status HttpSource::Get(RangeResponse* response) {
  char error[CURL_ERROR_SIZE] = "";
  Transfer transfer{curl_.get(), response, !options_.private_redirects};
  const auto set = [&](CURLoption option, auto value) {
    curl_easy_setopt(curl_.get(), option, value);
  };
  const std::string range =
      absl::StrCat(response->begin(), "-", response->end() - 1);
  set(CURLOPT_RANGE, range.c_str());
  set(CURLOPT_ERRORBUFFER, error);
  set(CURLOPT_HEADERDATA, &transfer);
  set(CURLOPT_WRITEDATA, &transfer);
  set(CURLOPT_OPENSOCKETDATA, &transfer);
  const CURLcode result = curl_easy_perform(curl_.get());
  set(CURLOPT_ERRORBUFFER, static_cast<char*>(nullptr));
  return transfer.StatusOf(result, error);
}

}  // namespace gguf
