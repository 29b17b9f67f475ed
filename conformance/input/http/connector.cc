// Looks up addresses, sets up TLS, and connects through proxies.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http/connector.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <nss.h>
#include <openssl/crypto.h>
#include <openssl/x509_vfy.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "boost/beast/http.hpp"
#include "boost/beast/ssl.hpp"
#include "conformance/base/text.h"
#include "conformance/input/http/url.h"

namespace gguf {
namespace {

// Shared by the thread and its caller, because either may end first.
struct Lookup {
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  int error = 0;
  std::vector<SocketAddress> addresses;
};

void Run(const std::string& host, const std::string& port, Lookup* lookup) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &list);
  const std::lock_guard<std::mutex> lock(lookup->mutex);
  lookup->error = error;
  for (const addrinfo* at = list; at != nullptr; at = at->ai_next) {
    SocketAddress address = {};
    std::memcpy(&address.storage, at->ai_addr, at->ai_addrlen);
    address.size = at->ai_addrlen;
    lookup->addresses.push_back(address);
  }
  if (list != nullptr) freeaddrinfo(list);
  lookup->done = true;
  lookup->ended.notify_one();
}

}  // namespace

bool IsAddress(const std::string& host) {
  unsigned char ignored[16];
  return inet_pton(AF_INET, host.c_str(), ignored) == 1 ||
         inet_pton(AF_INET6, host.c_str(), ignored) == 1;
}

std::string HostOf(const SocketAddress& address) {
  char host[INET6_ADDRSTRLEN] = "";
  getnameinfo(&address.get(), address.size, host, sizeof host, nullptr, 0, NI_NUMERICHOST);
  return host;
}

absl::StatusOr<std::vector<SocketAddress>> Resolve(const std::string& host, const std::string& port,
                                                   const std::function<bool()>& give_up) {
  static const int configured = __nss_configure_lookup("hosts", "files dns");
  (void)configured;
  const auto lookup = std::make_shared<Lookup>();
  try {
    std::thread([=] { Run(host, port, lookup.get()); }).detach();
  } catch (const std::system_error&) {
    return absl::UnavailableError("its name cannot be looked up: no thread can be started");
  }
  std::unique_lock<std::mutex> lock(lookup->mutex);
  while (
      !lookup->ended.wait_for(lock, std::chrono::milliseconds(50), [&] { return lookup->done; })) {
    if (give_up()) {
      return absl::UnavailableError("its name cannot be looked up in time");
    }
  }
  if (lookup->error != 0 || lookup->addresses.empty()) {
    return absl::NotFoundError(
        absl::StrCat("its name cannot be looked up: ",
                     lookup->error != 0 ? gai_strerror(lookup->error) : "it has no address"));
  }
  return std::move(lookup->addresses);
}

namespace {

// The certificates that Debian and Alpine, Fedora and its relatives, openSUSE
// and the BSDs trust.
constexpr const char* kSystemFiles[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
};

// Returns a context for TLS 1.2 and later that trusts the certificates in
// `ca_file`; if that is empty, those of SSL_CERT_FILE or SSL_CERT_DIR; if these
// are not set, those of the system.
//
// Errors: InvalidArgument when `ca_file` has no certificates.
absl::StatusOr<boost::asio::ssl::context> TrustingContext(const std::string& ca_file) {
  // Without the system's openssl.cnf, which can name modules to load.
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  boost::asio::ssl::context context(boost::asio::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  context.set_verify_mode(boost::asio::ssl::verify_peer);
  boost::system::error_code error;
  if (!ca_file.empty()) {
    context.load_verify_file(ca_file, error);
    if (!error) return context;
    return absl::InvalidArgumentError(
        absl::StrCat("no certificate can be read from ", ca_file, ", which --cacert names"));
  }
  const char* const named_file = std::getenv("SSL_CERT_FILE");
  const char* const folder = std::getenv("SSL_CERT_DIR");
  if (named_file != nullptr) {
    context.load_verify_file(named_file, error);
    if (error) {
      return absl::InvalidArgumentError(absl::StrCat("no certificate can be read from ",
                                                     Quote(named_file),
                                                     ", which the variable SSL_CERT_FILE names"));
    }
  }
  if (folder != nullptr) context.add_verify_path(folder, error);
  if (named_file != nullptr || folder != nullptr) return context;
  context.set_default_verify_paths(error);
  for (const char* file : kSystemFiles) {
    context.load_verify_file(file, error);
    if (!error) break;
  }
  return context;
}

// Makes a handshake fail unless the certificate is for this host, a name or an
// address.  Returns whether it could.
bool ExpectHost(const std::string& host, SSL* ssl) {
  if (IsAddress(host)) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  }
  return SSL_set_tlsext_host_name(ssl, host.c_str()) == 1 && SSL_set1_host(ssl, host.c_str()) == 1;
}

// Returns why a handshake failed, if the certificate was the reason; otherwise
// empty.
std::string WhyNotTrusted(const SSL* ssl) {
  const long result = SSL_get_verify_result(ssl);
  if (result == X509_V_OK) return "";
  const bool is_of_this_server = result == X509_V_ERR_HOSTNAME_MISMATCH ||
                                 result == X509_V_ERR_IP_ADDRESS_MISMATCH ||
                                 result == X509_V_ERR_CERT_HAS_EXPIRED;
  return absl::StrCat(
      "its certificate is not trusted (", X509_verify_cert_error_string(result),
      is_of_this_server ? ")" : "); --cacert FILE or SSL_CERT_FILE names certificates to trust");
}

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
