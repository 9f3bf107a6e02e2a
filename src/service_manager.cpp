// SPDX-License-Identifier: MIT
#include "service_manager.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

namespace fleet {

namespace {

constexpr const char* socket_variable = "NOTIFY_SOCKET";

/// One datagram, within a second even when the reader's queue stays full; 0 or an errno.
int send_datagram(const std::string& address, const std::string& text) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (address.size() >= sizeof to.sun_path) {
    return ENAMETOOLONG;
  }
  std::memcpy(to.sun_path, address.data(), address.size());
  if (address.front() == '@') {
    to.sun_path[0] = '\0';
  }
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size());
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return errno;
  }
  const timeval limit{1, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const auto sent = ::sendto(fd, text.data(), text.size(), MSG_NOSIGNAL,
                             reinterpret_cast<const sockaddr*>(&to), length);
  const int error = sent < 0 ? errno : 0;
  ::close(fd);
  return error;
}

}  // namespace

std::string take_notify_socket() {
  const char* value = std::getenv(socket_variable);
  std::string address = value != nullptr ? value : "";
  ::unsetenv(socket_variable);
  return address;
}

void service_manager::stopping(std::chrono::nanoseconds longest) {
  const auto limit = std::chrono::duration_cast<std::chrono::microseconds>(longest);
  tell("STOPPING=1\nSTATUS=Finishing requests, stopping what was launched\nEXTEND_TIMEOUT_USEC=" +
       std::to_string(limit.count()));
}

void service_manager::tell(const std::string& state) {
  if (address_.empty()) {
    return;
  }
  if (const int error = send_datagram(address_, state); error != 0) {
    log_->warn("service_manager_unreachable",
               {{"socket", address_}, {"reason", std::generic_category().message(error)}});
    address_.clear();
  }
}

}  // namespace fleet
