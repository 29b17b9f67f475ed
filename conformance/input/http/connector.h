// Connector: looks up servers and connects to them, with and without TLS.  Internal to client.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_HTTP_CONNECTOR_H_
#define GGUF_CONFORMANCE_INPUT_HTTP_CONNECTOR_H_

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "boost/asio/io_context.hpp"
#include "boost/asio/ip/tcp.hpp"
#include "boost/asio/ssl/context.hpp"
#include "boost/asio/ssl/stream.hpp"
#include "boost/beast/core/flat_buffer.hpp"
#include "conformance/input/http/client.h"
#include "conformance/input/http/url.h"

namespace gguf {

// Resolve: looks up the addresses of a host.

struct SocketAddress {
  sockaddr_storage storage;
  socklen_t size;

  const sockaddr& get() const { return reinterpret_cast<const sockaddr&>(storage); }
};

// Returns whether a host is an address of IPv4 or IPv6, not a name.
bool IsAddress(const std::string& host);

// Returns an address as a host of a URL, without brackets.
std::string HostOf(const SocketAddress& address);

// Returns the addresses of a host, for TCP, in the order to try; at least one.
// The C library looks in /etc/hosts and asks DNS, without modules of the system
// that a static program cannot load.  It cannot be interrupted, so a thread
// does this; when `give_up` returns true, the thread is left behind.
//
// Errors: NotFound; Unavailable after `give_up` or without a thread.
absl::StatusOr<std::vector<SocketAddress>> Resolve(const std::string& host, const std::string& port,
                                                   const std::function<bool()>& give_up);

// What a TLS client trusts.

// Connector: connects to servers.  Internal to client.

using boost::asio::ip::tcp;

// A longer head of a response is an error.
constexpr uint32_t kMostHeaderBytes = 64 << 10;

// An error of a server or of the way to it.
absl::Status Failed(absl::string_view why);

// The value of a header Authorization.
std::string BasicAuthorization(const std::string& user);

// A connection to the server of a URL, perhaps through a proxy.
struct Connection {
  Connection(boost::asio::io_context* io, Url url, bool is_vetted)
      : origin(std::move(url)), vetted(is_vetted), socket(*io) {}

  // Whether all that was received was used; otherwise the next response would
  // begin with bytes that belong to none.
  bool drained() const { return buffer.size() == 0; }

  // Calls a function with the stream to read and write.
  template <class Function>
  void WithStream(const Function& function) {
    if (tls) {
      function(*tls);
    } else {
      function(socket);
    }
  }

  const Url origin;
  const bool vetted;  // Its address is public.
  tcp::socket socket;
  std::optional<boost::asio::ssl::stream<tcp::socket&>> tls;
  // The proxy that forwards requests without TLS.
  std::optional<Url> forwarder;
  Url forwarded_to;  // The host that it shall connect to.
  // A larger part of a response than this without an end is an error.
  boost::beast::flat_buffer buffer{256 << 10};
};

using ConnectionPtr = std::unique_ptr<Connection>;

class Connector {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Connector(HttpOptions options) : options_(std::move(options)) {}

  const HttpOptions& options() const { return options_; }

  // No operation lasts longer.
  void set_deadline(Clock::time_point deadline) { deadline_ = deadline; }

  // Connects to the server of a URL; only to a public address if `vet`.  Errors
  // are those of HttpClient::Get().
  absl::StatusOr<ConnectionPtr> Connect(const Url& url, bool vet);

  // Runs an asynchronous operation, which gets its completion handler, until it
  // ends, `limit` passes or `stop` returns true; then closes the socket. Starts
  // nothing if it is too late.
  template <class Start>
  absl::Status Await(Connection* connection, Clock::time_point limit, const Start& start,
                     boost::system::error_code* error);
  template <class Start>
  absl::Status AwaitSuccess(Connection* connection, Clock::time_point limit, const Start& start);

 private:
  // Returns why no operation may last until `limit` or longer, or ok.
  absl::Status TimeLeft(Clock::time_point limit) const;

  absl::StatusOr<std::vector<SocketAddress>> Addresses(const Url& url,
                                                       Clock::time_point limit) const;
  absl::Status ConnectToOne(const std::vector<SocketAddress>& addresses, Clock::time_point limit,
                            Connection* connection);
  absl::Status OpenTunnel(const Url& proxy, const Url& to, Clock::time_point limit,
                          Connection* connection);
  absl::Status StartTls(Clock::time_point limit, Connection* connection);

  const HttpOptions options_;
  boost::asio::io_context io_;
  std::optional<boost::asio::ssl::context> tls_;
  Clock::time_point deadline_;
};

template <class Start>
absl::Status Connector::Await(Connection* connection, Clock::time_point limit, const Start& start,
                              boost::system::error_code* error) {
  absl::Status left = TimeLeft(limit);
  if (!left.ok()) return left;
  bool done = false;
  io_.restart();
  start([&](const boost::system::error_code& result, auto&&...) {
    *error = result;
    done = true;
  });
  while (!done) {
    io_.run_for(std::chrono::milliseconds(50));
    left = done ? absl::OkStatus() : TimeLeft(limit);
    if (left.ok()) continue;
    boost::system::error_code ignored;
    connection->socket.close(ignored);
    io_.run();  // Until the cancelled operation has called its handler.
    return left;
  }
  return absl::OkStatus();
}

template <class Start>
absl::Status Connector::AwaitSuccess(Connection* connection, Clock::time_point limit,
                                     const Start& start) {
  boost::system::error_code error;
  const absl::Status status = Await(connection, limit, start, &error);
  if (!status.ok()) return status;
  return error ? Failed(error.message()) : absl::OkStatus();
}

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_HTTP_CONNECTOR_H_
