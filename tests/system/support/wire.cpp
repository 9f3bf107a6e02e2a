// SPDX-License-Identifier: MIT
#include "system/support/wire.hpp"

#include <openssl/ssl.h>

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace fleet::rig {

namespace {

struct address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

address resolve(const std::string& host, std::uint16_t port) {
  address out;
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  if (::inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) == 1) {
    std::char_traits<char>::copy(reinterpret_cast<char*>(&out.storage),
                                 reinterpret_cast<const char*>(&six), sizeof six);
    out.size = sizeof six;
  } else {
    ::inet_pton(AF_INET, host.c_str(), &four.sin_addr);
    std::char_traits<char>::copy(reinterpret_cast<char*>(&out.storage),
                                 reinterpret_cast<const char*>(&four), sizeof four);
    out.size = sizeof four;
  }
  return out;
}

bool wait_ready(int fd, short events, clock::time_point deadline) {
  pollfd entry{fd, events, 0};
  int ready = 0;
  do
    ready = ::poll(&entry, 1, static_cast<int>(left(deadline).count()));
  while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace

unique_fd& unique_fd::operator=(unique_fd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void unique_fd::reset() {
  if (fd_ >= 0)
    ::close(fd_);
  fd_ = -1;
}

unique_fd listen_on(const std::string& host, std::uint16_t port, int backlog) {
  const auto where = resolve(host, port);
  unique_fd fd{::socket(where.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd.get(), where.get(), where.size) != 0 || ::listen(fd.get(), backlog) != 0)
    throw std::system_error{errno, std::generic_category(), "listen on " + host};
  return fd;
}

std::uint16_t local_port(int fd) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size);
  // The port stands at the same place in both address families.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
}

unique_fd connect_to(const std::string& host, std::uint16_t port, milliseconds limit) {
  const auto where = resolve(host, port);
  unique_fd fd{::socket(where.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd.get(), where.get(), where.size) == 0)
    return fd;
  int error = errno;
  socklen_t size = sizeof error;
  if (error != EINPROGRESS || !wait_ready(fd.get(), POLLOUT, clock::now() + limit) ||
      ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0)
    return unique_fd{};
  return fd;
}

wire::wire(unique_fd fd, ssl_st* tls) : fd_{std::move(fd)}, tls_{tls} {}

wire::~wire() {
  close();
}

bool wire::send(std::string_view bytes, milliseconds limit) {
  const auto deadline = clock::now() + limit;
  while (!bytes.empty()) {
    if (!open())
      return false;
    ssize_t sent = -1;
    short wanted = POLLOUT;
    if (tls_ != nullptr) {
      const int result = ::SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()));
      const int why = result > 0 ? 0 : ::SSL_get_error(tls_, result);
      if (result <= 0 && why != SSL_ERROR_WANT_WRITE && why != SSL_ERROR_WANT_READ)
        return false;
      wanted = why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
      sent = result;
    } else {
      sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EAGAIN && errno != EINTR)
        return false;
    }
    if (sent > 0)
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    else if (!wait_ready(fd_.get(), wanted, deadline))
      return false;
  }
  return true;
}

read_state wire::fill(milliseconds limit) {
  const auto deadline = clock::now() + limit;
  std::array<char, 65536> block;
  while (open()) {
    ssize_t got = -1;
    if (tls_ != nullptr) {
      const int result = ::SSL_read(tls_, block.data(), static_cast<int>(block.size()));
      const int why = result > 0 ? 0 : ::SSL_get_error(tls_, result);
      if (why == SSL_ERROR_ZERO_RETURN)
        return read_state::end;
      if (result <= 0 && why != SSL_ERROR_WANT_WRITE && why != SSL_ERROR_WANT_READ)
        return read_state::reset;
      got = result;
    } else {
      got = ::recv(fd_.get(), block.data(), block.size(), 0);
      if (got == 0)
        return read_state::end;
      if (got < 0 && errno != EAGAIN && errno != EINTR)
        return read_state::reset;
    }
    if (got > 0) {
      unread_.append(block.data(), static_cast<std::size_t>(got));
      last_read_ = clock::now();
      return read_state::data;
    }
    if (!wait_ready(fd_.get(), POLLIN, deadline))
      return read_state::timeout;
  }
  return read_state::end;
}

bool wire::wait_for(std::string_view text, milliseconds limit) {
  const auto deadline = clock::now() + limit;
  while (unread_.find(text) == std::string::npos)
    if (fill(left(deadline)) != read_state::data)
      return false;
  return true;
}

read_state wire::wait_end(milliseconds limit) {
  const auto deadline = clock::now() + limit;
  auto state = read_state::data;
  while (state == read_state::data)
    state = fill(left(deadline));
  return state;
}

void wire::half_close() {
  ::shutdown(fd_.get(), SHUT_WR);
}

void wire::close() {
  const std::lock_guard lock{closing_};
  if (tls_ != nullptr) {
    ::SSL_shutdown(tls_);
    ::SSL_free(std::exchange(tls_, nullptr));
  }
  fd_.reset();
}

void wire::rst() {
  const linger now{1, 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  const std::lock_guard lock{closing_};
  if (tls_ != nullptr)
    ::SSL_free(std::exchange(tls_, nullptr));
  fd_.reset();
}

void wire::interrupt() {
  const std::lock_guard lock{closing_};
  if (open())
    ::shutdown(fd_.get(), SHUT_RDWR);
}

}  // namespace fleet::rig
