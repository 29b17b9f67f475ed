// Sends one request at a time, with libcurl.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http_source.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/input/private_address.h"
#include "curl/curl.h"
#include "re2/re2.h"

namespace gguf {
namespace {

constexpr long kSlowestBytesPerSecond = 1024;

// A non-zero result ends the transfer.
int OnProgress(void* options, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  const auto& stop = static_cast<const HttpOptions*>(options)->stop;
  return stop && stop() ? 1 : 0;
}

// The parts of "bytes 100-199/1234"; the size may be unknown, "*".
struct ContentRange {
  uint64_t begin = 0;
  uint64_t end = 0;  // After the last byte.
  std::optional<uint64_t> size;
};

// Returns nothing for a range that is not valid (RFC 9110, section 14.4).
std::optional<ContentRange> ParseContentRange(absl::string_view value) {
  static const LazyRE2 kRange = {R"(bytes (\d+)-(\d+)/(\d+|\*))"};
  ContentRange range;
  std::string size;
  if (!RE2::FullMatch({value.data(), value.size()}, *kRange, &range.begin,
                      &range.end, &size) ||
      range.end < range.begin) {
    return std::nullopt;
  }
  ++range.end;
  uint64_t number;
  if (size == "*") return range;
  if (!absl::SimpleAtoi(size, &number) || number < range.end) {
    return std::nullopt;
  }
  range.size = number;
  return range;
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

// A GET request for the bytes [begin, end), and its response.
struct HttpSource::Transfer {
  CURL* const curl;
  const uint64_t begin;
  const uint64_t end;
  std::string* const bytes;  // Initially `begin` bytes.
  const bool refuse_private;

  std::string etag, modified;
  std::optional<uint64_t> size;       // Size of the whole file.
  std::optional<ContentRange> range;  // Of the body, if known.
  bool has_bad_range = false;
  uint64_t body = 0;    // Bytes of the body so far.
  bool enough = false;  // The rest is not needed.
  bool refused = false;

  long Code() const {
    long code = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code);
    return code;
  }
  void ReadHeader(absl::string_view line);
  // Returns false when nothing more is needed.
  bool ReadBody(absl::string_view data);
  absl::Status StatusOf(CURLcode result, const char* error) const;

  static size_t OnHeader(char* data, size_t, size_t count, void* self) {
    static_cast<Transfer*>(self)->ReadHeader({data, count});
    return count;
  }
  static size_t OnBody(char* data, size_t, size_t count, void* self) {
    return static_cast<Transfer*>(self)->ReadBody({data, count}) ? count : 0;
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

void HttpSource::Transfer::ReadHeader(absl::string_view line) {
  if (absl::StartsWith(line, "HTTP/")) {  // Drop the headers of a redirect.
    etag.clear();
    modified.clear();
    size = std::nullopt;
    range = std::nullopt;
    has_bad_range = false;
  }
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits(':', 1));
  const absl::string_view value = absl::StripAsciiWhitespace(parts.second);
  const auto is = [&](absl::string_view name) {
    return absl::EqualsIgnoreCase(parts.first, name);
  };
  uint64_t number;
  if (is("etag")) etag = std::string(value);
  if (is("last-modified")) modified = std::string(value);
  if (is("content-range")) {
    range = ParseContentRange(value);
    has_bad_range = !range;
    if (range) size = range->size;
  }
  if (is("content-length") && Code() == 200 &&
      absl::SimpleAtoi(value, &number)) {
    size = number;
  }
}

bool HttpSource::Transfer::ReadBody(absl::string_view data) {
  const long code = Code();
  enough = code != 200 && code != 206;  // Skip the body of an error.
  if (enough) return false;
  const uint64_t from = body + (code == 200 ? 0 : range ? range->begin : begin);
  body += data.size();
  // A server without ranges sends the whole file.
  const uint64_t skipped = begin > from ? begin - from : 0;
  data.remove_prefix(std::min<uint64_t>(skipped, data.size()));
  data = data.substr(0, end - bytes->size());
  bytes->append(data.data(), data.size());
  enough = bytes->size() == end;
  return !enough;
}

absl::Status HttpSource::Transfer::StatusOf(CURLcode result,
                                            const char* error) const {
  if (refused) {
    return absl::FailedPreconditionError(
        "the server redirects to a private address; to allow this, use "
        "--allow-private-redirects");
  }
  if (result != CURLE_OK && !enough) {
    return absl::UnavailableError(
        absl::StrCat("cannot be read from the server: ",
                     error[0] != '\0' ? error : curl_easy_strerror(result)));
  }
  const long code = Code();
  const std::string answer = absl::StrCat("the server returned ", code);
  if (code == 404 || code == 410) return absl::NotFoundError(answer);
  if (code == 401 || code == 403) return absl::PermissionDeniedError(answer);
  if (code != 200 && code != 206) return absl::UnavailableError(answer);
  if (has_bad_range) {
    return absl::UnavailableError("the server sent an invalid Content-Range");
  }
  if (range && (range->begin != begin || body > range->end - range->begin)) {
    return absl::UnavailableError(
        "the server returned other bytes than requested");
  }
  // A body of unknown length, which only a server without ranges may send, ends
  // where the file ends.
  const uint64_t wanted = std::min(end, size.value_or(end));
  if (bytes->size() < wanted && (size || code == 206)) {
    return absl::UnavailableError(absl::StrCat("the server returned ",
                                               bytes->size() - begin, " of ",
                                               wanted - begin, " bytes"));
  }
  return absl::OkStatus();
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

absl::Status HttpSource::ReadTo(uint64_t count, std::string* bytes) {
  if (size_) count = std::min(count, *size_);
  if (bytes->size() >= count) return absl::OkStatus();
  return Fetch(bytes->size(), count, bytes);
}

absl::Status HttpSource::Fetch(uint64_t begin, uint64_t end,
                               std::string* bytes) {
  char error[CURL_ERROR_SIZE] = "";
  Transfer transfer{curl_.get(), begin, end, bytes,
                    !options_.private_redirects};
  const auto set = [&](CURLoption option, auto value) {
    curl_easy_setopt(curl_.get(), option, value);
  };
  set(CURLOPT_RANGE, absl::StrCat(begin, "-", end - 1).c_str());
  set(CURLOPT_ERRORBUFFER, error);
  set(CURLOPT_HEADERDATA, &transfer);
  set(CURLOPT_WRITEDATA, &transfer);
  set(CURLOPT_OPENSOCKETDATA, &transfer);
  const CURLcode result = curl_easy_perform(curl_.get());
  set(CURLOPT_ERRORBUFFER, static_cast<char*>(nullptr));
  const absl::Status status = transfer.StatusOf(result, error);
  return status.ok() ? Compare(transfer) : status;
}

absl::Status HttpSource::Compare(const Transfer& transfer) {
  const bool first = transfer.begin == 0;
  if (!first && (transfer.size != size_ || transfer.etag != etag_ ||
                 transfer.modified != modified_)) {
    return absl::AbortedError("the file changed while it was being read");
  }
  size_ = transfer.size;
  etag_ = transfer.etag;
  modified_ = transfer.modified;
  return absl::OkStatus();
}

}  // namespace gguf
