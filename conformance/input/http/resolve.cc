// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http/resolve.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <nss.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

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

}  // namespace gguf
