// Sends requests with Boost.Beast, over OpenSSL for https.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http/client.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "boost/beast/http.hpp"
#include "boost/beast/ssl.hpp"
#include "conformance/input/http/connector.h"

namespace gguf {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;
using Clock = Connector::Clock;

constexpr uint64_t kSlowestBytesPerSecond = 1024;
constexpr size_t kBodyPart = 64 << 10;
constexpr int kMostInterimResponses = 10;

absl::string_view FromBeast(boost::beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

absl::Status StatusOfCode(int code) {
  const std::string answer = absl::StrCat("the server returned ", code);
  if (code == 404 || code == 410) {
    return absl::NotFoundError(absl::StrCat(answer, ": it has nothing under this name"));
  }
  if (code == 401 || code == 403) {
    return absl::PermissionDeniedError(absl::StrCat(
        answer, ": it does not give access; --header, or HF_TOKEN for hf://, may name a token"));
  }
  if (code == 407) {
    return absl::UnavailableError(
        absl::StrCat(answer, "; http_proxy=http://USER:PASSWORD@HOST:PORT names a user"));
  }
  return absl::UnavailableError(answer);
}

class HttpClient::Session {
 public:
  explicit Session(HttpOptions options) : connector_(std::move(options)) {}

  absl::StatusOr<int> Get(const Url& url, const std::string& range, HttpReceiver* receiver);

 private:
  struct Head {
    int code;
    std::string location;  // Of a redirect.
  };

  http::request<http::empty_body> Request(const Url& url, const std::string& range,
                                          const Connection& connection) const;
  // Sends a request and receives the response, but the body of a redirect.
  // `*answered` says whether any byte of a response arrived.
  absl::StatusOr<Head> Exchange(const Url& url, const std::string& range, ConnectionPtr connection,
                                HttpReceiver* receiver, bool* answered);
  absl::Status ReceiveBody(http::response_parser<http::buffer_body>* parser, Connection* connection,
                           HttpReceiver* receiver);
  absl::StatusOr<Head> GetOnce(const Url& url, const std::string& range, HttpReceiver* receiver);

  const HttpOptions& options() const { return connector_.options(); }

  Connector connector_;
  std::vector<ConnectionPtr> idle_;
  Url first_;  // Of the current request.
};

http::request<http::empty_body> HttpClient::Session::Request(const Url& url,
                                                             const std::string& range,
                                                             const Connection& connection) const {
  std::string target = url.target;
  if (connection.forwarder) {
    target = absl::StrCat("http://", connection.forwarded_to.Authority(), target);
  }
  http::request<http::empty_body> request(http::verb::get, target, 11);
  request.set(http::field::host, url.Authority());
  request.set(http::field::user_agent, "ggufcheck");
  request.set(http::field::accept, "*/*");
  request.set(http::field::accept_encoding, "identity");
  if (!range.empty()) request.set(http::field::range, range);
  if (connection.forwarder && !connection.forwarder->user.empty()) {
    request.set(http::field::proxy_authorization, BasicAuthorization(connection.forwarder->user));
  }
  if (!SameOrigin(url, first_)) return request;
  if (!first_.user.empty()) {
    request.set(http::field::authorization, BasicAuthorization(first_.user));
  }
  for (const auto& [name, value] : options().access.headers) {
    request.set(name, value);
  }
  return request;
}

absl::Status HttpClient::Session::ReceiveBody(http::response_parser<http::buffer_body>* parser,
                                              Connection* connection, HttpReceiver* receiver) {
  const auto code = static_cast<int>(parser->get().result_int());
  std::vector<char> part(kBodyPart);
  Clock::time_point window = Clock::now();
  uint64_t window_bytes = 0;
  const uint64_t least = kSlowestBytesPerSecond * options().stall_timeout.count();
  while (!parser->is_done()) {
    auto& body = parser->get().body();
    body.data = part.data();
    body.size = part.size();
    error_code error;
    const absl::Status status = connector_.Await(
        connection, Clock::now() + options().stall_timeout,
        [&](auto handler) {
          connection->WithStream([&](auto& stream) {
            http::async_read_some(stream, connection->buffer, *parser, handler);
          });
        },
        &error);
    if (!status.ok()) return status;
    const size_t size = part.size() - body.size;
    if (size > 0 && !receiver->AddBody({part.data(), size}, code)) {
      return absl::OkStatus();
    }
    if (error && error != http::error::need_buffer) {
      return Failed(error == http::error::partial_message ? "it closed the connection too early"
                                                          : error.message());
    }
    window_bytes += size;
    if (Clock::now() - window < options().stall_timeout) continue;
    if (window_bytes < least) return Failed("it is too slow");
    window = Clock::now();
    window_bytes = 0;
  }
  return absl::OkStatus();
}

absl::StatusOr<HttpClient::Session::Head> HttpClient::Session::Exchange(const Url& url,
                                                                        const std::string& range,
                                                                        ConnectionPtr connection,
                                                                        HttpReceiver* receiver,
                                                                        bool* answered) {
  const auto request = Request(url, range, *connection);
  const Clock::time_point limit = Clock::now() + options().stall_timeout;
  absl::Status status = connector_.AwaitSuccess(connection.get(), limit, [&](auto handler) {
    connection->WithStream([&](auto& stream) { http::async_write(stream, request, handler); });
  });
  if (!status.ok()) return status;

  std::optional<http::response_parser<http::buffer_body>> parser;
  int left = kMostInterimResponses;
  do {  // Responses 1xx precede the response.
    if (left-- == 0) return Failed("it sent too many responses 1xx");
    parser.emplace();
    parser->header_limit(kMostHeaderBytes);
    parser->body_limit(std::numeric_limits<uint64_t>::max());
    status = connector_.AwaitSuccess(connection.get(), limit, [&](auto handler) {
      connection->WithStream([&](auto& stream) {
        http::async_read_header(stream, connection->buffer, *parser, handler);
      });
    });
    *answered = *answered || parser->got_some();
    if (!status.ok()) return status;
  } while (parser->get().result_int() / 100 == 1);

  Head head;
  head.code = static_cast<int>(parser->get().result_int());
  constexpr int kRedirects[] = {301, 302, 303, 307, 308};
  const auto location = parser->get().find(http::field::location);
  if (location != parser->get().end() &&
      std::count(std::begin(kRedirects), std::end(kRedirects), head.code)) {
    head.location = std::string(FromBeast(location->value()));
  } else {
    for (const auto& field : parser->get()) {
      receiver->AddHeader(FromBeast(field.name_string()), FromBeast(field.value()), head.code);
    }
    status = ReceiveBody(&*parser, connection.get(), receiver);
    if (!status.ok()) return status;
  }
  if (parser->is_done() && parser->get().keep_alive() && connection->drained()) {
    idle_.push_back(std::move(connection));
  }
  return head;
}

absl::StatusOr<HttpClient::Session::Head> HttpClient::Session::GetOnce(const Url& url,
                                                                       const std::string& range,
                                                                       HttpReceiver* receiver) {
  const bool vet = !SameOrigin(url, first_) && !options().access.private_redirects;
  bool answered = false;
  const auto idle = std::find_if(idle_.begin(), idle_.end(), [&](const ConnectionPtr& one) {
    return SameOrigin(one->origin, url) && (one->vetted || !vet);
  });
  if (idle != idle_.end()) {
    ConnectionPtr connection = std::move(*idle);
    idle_.erase(idle);
    auto head = Exchange(url, range, std::move(connection), receiver, &answered);
    // A server may close an idle connection at any time.
    if (head.ok() || answered || !absl::IsUnavailable(head.status())) {
      return head;
    }
  }
  auto connection = connector_.Connect(url, vet);
  if (!connection.ok()) return connection.status();
  return Exchange(url, range, *std::move(connection), receiver, &answered);
}

absl::StatusOr<int> HttpClient::Session::Get(const Url& url, const std::string& range,
                                             HttpReceiver* receiver) {
  first_ = url;
  connector_.set_deadline(Clock::now() + options().request_timeout);
  Url at = url;
  for (int redirects = 0; redirects <= options().redirects; ++redirects) {
    auto head = GetOnce(at, range, receiver);
    if (!head.ok()) return head.status();
    if (head->location.empty()) return head->code;
    auto next = ResolveUrl(at, head->location);
    if (!next.ok()) {
      return absl::FailedPreconditionError(
          "the server redirects to something other than an http or https URL");
    }
    if (at.secure && !next->secure) {
      return absl::FailedPreconditionError(
          "the server redirects from https to http, which is not followed");
    }
    at = *std::move(next);
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the server redirects more than ", options().redirects, " times"));
}

HttpClient::HttpClient(HttpOptions options)
    : session_(std::make_unique<Session>(std::move(options))) {}

HttpClient::~HttpClient() = default;

absl::StatusOr<int> HttpClient::Get(const Url& url, const std::string& range,
                                    HttpReceiver* receiver) {
  return session_->Get(url, range, receiver);
}

}  // namespace gguf
