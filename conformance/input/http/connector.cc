// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http/connector.h"

#include <cstdlib>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "boost/beast/http.hpp"
#include "boost/beast/ssl.hpp"
#include "conformance/input/http/private_address.h"
#include "conformance/input/http/proxy.h"
#include "conformance/input/http/tls.h"

namespace gguf {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

absl::Status Refused(absl::string_view why) {
  return absl::FailedPreconditionError(
      absl::StrCat(why, "; to allow this, use --allow-private-redirects"));
}

tcp::endpoint EndpointOf(const SocketAddress& address) {
  tcp::endpoint endpoint;
  std::memcpy(endpoint.data(), &address.storage, address.size);
  endpoint.resize(address.size);
  return endpoint;
}

}  // namespace

absl::Status Failed(absl::string_view why) {
  return absl::UnavailableError(absl::StrCat("cannot be read from the server: ", why));
}

std::string BasicAuthorization(const std::string& user) {
  return absl::StrCat("Basic ", absl::Base64Escape(user));
}

absl::Status Connector::TimeLeft(Clock::time_point limit) const {
  if (options_.stop && options_.stop()) {
    return absl::CancelledError("stopped while it was read");
  }
  return Clock::now() < std::min(limit, deadline_) ? absl::OkStatus() : Failed("it is too slow");
}

absl::StatusOr<std::vector<SocketAddress>> Connector::Addresses(const Url& url,
                                                                Clock::time_point limit) const {
  auto addresses = Resolve(url.host, url.port, [&] { return !TimeLeft(limit).ok(); });
  absl::Status left = TimeLeft(limit);
  if (!left.ok()) return left;
  return addresses;
}

absl::Status Connector::ConnectToOne(const std::vector<SocketAddress>& addresses,
                                     Clock::time_point limit, Connection* connection) {
  absl::Status status;
  auto left = static_cast<int>(addresses.size());
  for (const SocketAddress& address : addresses) {
    error_code ignored;
    connection->socket.close(ignored);
    // One that does not answer leaves time for the others.
    const auto now = Clock::now();
    const auto end = now + (limit - now) / left--;
    status = AwaitSuccess(connection, end, [&](auto handler) {
      connection->socket.async_connect(EndpointOf(address), handler);
    });
    if (status.ok()) {
      connection->socket.set_option(tcp::no_delay(true), ignored);
      break;
    }
    if (absl::IsCancelled(status)) break;
  }
  return status;
}

absl::Status Connector::OpenTunnel(const Url& proxy, const Url& to, Clock::time_point limit,
                                   Connection* connection) {
  const std::string target = to.HostAndPort();
  http::request<http::empty_body> request(http::verb::connect, target, 11);
  request.set(http::field::host, target);
  if (!proxy.user.empty()) {
    request.set(http::field::proxy_authorization, BasicAuthorization(proxy.user));
  }
  absl::Status status = AwaitSuccess(connection, limit, [&](auto handler) {
    http::async_write(connection->socket, request, handler);
  });
  if (!status.ok()) return status;
  http::response_parser<http::empty_body> parser;
  parser.header_limit(kMostHeaderBytes);
  parser.skip(true);  // A tunnel has no body.
  status = AwaitSuccess(connection, limit, [&](auto handler) {
    http::async_read_header(connection->socket, connection->buffer, parser, handler);
  });
  if (!status.ok()) return status;
  const auto code = static_cast<int>(parser.get().result_int());
  if (code / 100 != 2) {
    return Failed(absl::StrCat(
        "the proxy returned ", code,
        code == 407 ? "; https_proxy=http://USER:PASSWORD@HOST:PORT names a user" : ""));
  }
  // Whatever follows must come through TLS.
  return connection->drained() ? absl::OkStatus()
                               : Failed("the proxy sent data before the TLS handshake");
}

absl::Status Connector::StartTls(Clock::time_point limit, Connection* connection) {
  if (!tls_) {
    auto context = TrustingContext(options_.access.ca_file);
    if (!context.ok()) return context.status();
    tls_ = *std::move(context);
  }
  connection->tls.emplace(connection->socket, *tls_);
  SSL* const ssl = connection->tls->native_handle();
  if (!ExpectHost(connection->origin.host, ssl)) {
    return Failed("its certificate cannot be checked for this host");
  }
  error_code error;
  const absl::Status status = Await(
      connection, limit,
      [&](auto handler) {
        connection->tls->async_handshake(asio::ssl::stream_base::client, handler);
      },
      &error);
  if (!status.ok() || !error) return status;
  const std::string why = WhyNotTrusted(ssl);
  return Failed(why.empty() ? error.message() : why);
}

absl::StatusOr<ConnectionPtr> Connector::Connect(const Url& url, bool vet) {
  const Clock::time_point limit = Clock::now() + options_.connect_timeout;
  const auto proxy = ProxyFor(url, std::getenv);
  if (!proxy.ok()) return proxy.status();
  absl::StatusOr<std::vector<SocketAddress>> addresses;
  Url to = url;
  if (vet || !*proxy) {
    addresses = Addresses(url, limit);
    if (absl::IsNotFound(addresses.status()) && vet && *proxy) {
      return Refused(absl::StrCat("the server redirects to ", url.host,
                                  ", whose address only the proxy knows"));
    }
    if (absl::IsNotFound(addresses.status())) {
      return Failed(addresses.status().message());
    }
    if (!addresses.ok()) return addresses.status();
  }
  if (vet) {
    addresses->erase(std::remove_if(addresses->begin(), addresses->end(),
                                    [](const SocketAddress& address) {
                                      return IsPrivateAddress(address.get());
                                    }),
                     addresses->end());
    if (addresses->empty()) {
      return Refused("the server redirects to a private address");
    }
    to.host = HostOf(addresses->front());  // What a proxy connects to.
  }
  if (*proxy) addresses = Addresses(**proxy, limit);
  if (absl::IsNotFound(addresses.status())) {
    return Failed(absl::StrCat("proxy: ", addresses.status().message()));
  }
  if (!addresses.ok()) return addresses.status();
  auto connection = std::make_unique<Connection>(&io_, url, vet);
  absl::Status status = ConnectToOne(*addresses, limit, connection.get());
  if (status.ok() && *proxy && url.secure) {
    status = OpenTunnel(**proxy, to, limit, connection.get());
  } else if (*proxy) {
    connection->forwarder = **proxy;
    connection->forwarded_to = to;
  }
  if (status.ok() && url.secure) status = StartTls(limit, connection.get());
  if (!status.ok()) return status;
  return connection;
}

}  // namespace gguf
