// SPDX-License-Identifier: MIT
#include "system/support/scripted_replica.hpp"

#include "system/support/requests.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <utility>

namespace fleet::rig {

// One accepted connection and its thread.
struct scripted_replica::connection {
  explicit connection(unique_fd fd, ssl_st* tls) : line{std::move(fd), tls} {}
  wire line;
  std::thread thread;
};

// -- replica_turn -------------------------------------------------------------------------------

const message& replica_turn::read_body(milliseconds limit) {
  if (request_.complete())
    return request_;
  auto whole = request_;
  read_request_body(line_, whole, clock::now() + limit);
  const std::lock_guard lock{owner_.mutex_};
  request_ = std::move(whole);
  return request_;
}

void replica_turn::read_some_body(std::size_t bytes, milliseconds limit) {
  const auto deadline = clock::now() + limit;
  while (line_.unread().size() < bytes && line_.fill(left(deadline)) == read_state::data) {
  }
  line_.unread().clear();
}

bool replica_turn::wait_closed(milliseconds limit) {
  return line_.wait_end(limit) != read_state::timeout;
}

bool replica_turn::pause(milliseconds span) {
  std::unique_lock lock{owner_.mutex_};
  return !owner_.stopped_.wait_for(lock, span, [this] { return owner_.stopping_.load(); });
}

// -- scripted_replica ---------------------------------------------------------------------------

scripted_replica::scripted_replica(std::string name, script on_request,
                                   std::shared_ptr<tls_identity> identity, std::string host,
                                   std::uint16_t port)
    : name_{std::move(name)},
      host_{std::move(host)},
      identity_{std::move(identity)},
      port_{port},
      on_request_{on_request ? std::move(on_request) : script{answer_ok}},
      on_health_{[](replica_turn& turn) { turn.send(response("200 OK", "{}")); }} {
  listen();
}

scripted_replica::~scripted_replica() {
  stop();
}

std::string scripted_replica::entry() const {
  return R"({"name":")" + name_ + R"(","host":")" + host_ + R"(","port":)" + std::to_string(port_) +
         "}";
}

void scripted_replica::on_request(script run) {
  const std::lock_guard lock{mutex_};
  on_request_ = std::move(run);
}

void scripted_replica::on_health(script run) {
  const std::lock_guard lock{mutex_};
  on_health_ = std::move(run);
}

void scripted_replica::healthy(bool good) {
  on_health([good](replica_turn& turn) {
    turn.send(response(good ? "200 OK" : "503 Service Unavailable", "{}"));
  });
}

void scripted_replica::stop_listening() {
  listening_ = false;
  if (acceptor_.joinable())
    acceptor_.join();
  listener_.reset();
}

void scripted_replica::go_away() {
  stop();
}

void scripted_replica::come_back() {
  stopping_ = false;
  listen();
}

void scripted_replica::listen() {
  listener_ = listen_on(host_, port_);
  port_ = local_port(listener_.get());
  listening_ = true;
  acceptor_ = std::thread{[this, fd = listener_.get()] { accept_loop(fd); }};
}

void scripted_replica::accept_loop(int listener) {
  while (!stopping_ && listening_) {
    pollfd entry{listener, POLLIN, 0};
    if (::poll(&entry, 1, 20) <= 0)
      continue;
    unique_fd fd{::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (fd.get() < 0)
      continue;
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    auto* const tls = identity_ ? identity_->accept_on(fd.get()) : nullptr;
    const std::lock_guard lock{mutex_};
    auto& added = connections_.emplace_back(std::make_shared<connection>(std::move(fd), tls));
    added->thread = std::thread{[this, added] { serve(*added); }};
  }
}

void scripted_replica::serve(connection& at) {
  auto& line = at.line;
  bool counted = false;
  while (line.open() && !stopping_) {
    auto head = read_head(line, clock::now() + 1h);
    if (!head)
      break;
    const bool probe = head->target() == "/health";
    const bool last = same_word(head->get("Connection"), "close");
    message* request = &*head;
    {
      const std::lock_guard lock{mutex_};
      if (probe) {
        ++probes_;
        ++open_probes_;
      } else {
        request = &seen_.emplace_back(std::move(*head));
        if (!std::exchange(counted, true)) {
          ++turn_connections_;
          ++open_turn_connections_;
        }
      }
    }
    replica_turn turn{*this, line, *request};
    pick(probe)(turn);
    if (probe) {
      const std::lock_guard lock{mutex_};
      --open_probes_;
    }
    if (last)
      line.close();
  }
  const std::lock_guard lock{mutex_};
  strays_ += line.unread();
  if (counted)
    --open_turn_connections_;
  line.close();
}

void scripted_replica::stop() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  stopped_.notify_all();
  stop_listening();
  std::list<std::shared_ptr<connection>> all;
  {
    const std::lock_guard lock{mutex_};
    all.swap(connections_);
  }
  for (auto& each : all)
    each->line.interrupt();
  for (auto& each : all)
    each->thread.join();
}

scripted_replica::script scripted_replica::pick(bool probe) const {
  const std::lock_guard lock{mutex_};
  return probe ? on_health_ : on_request_;
}

std::vector<message> scripted_replica::requests() const {
  const std::lock_guard lock{mutex_};
  return {seen_.begin(), seen_.end()};
}

message scripted_replica::last_request() const {
  const std::lock_guard lock{mutex_};
  return seen_.empty() ? message{} : seen_.back();
}

std::size_t scripted_replica::connections() const {
  const std::lock_guard lock{mutex_};
  return turn_connections_;
}

std::size_t scripted_replica::open_connections() const {
  const std::lock_guard lock{mutex_};
  return open_turn_connections_;
}

std::size_t scripted_replica::probes() const {
  const std::lock_guard lock{mutex_};
  return probes_;
}

std::size_t scripted_replica::open_probes() const {
  const std::lock_guard lock{mutex_};
  return open_probes_;
}

std::string scripted_replica::strays() const {
  const std::lock_guard lock{mutex_};
  return strays_;
}

std::string fleet_of(
    std::initializer_list<std::reference_wrapper<const scripted_replica>> members) {
  std::string entries;
  for (const auto& member : members)
    entries += (entries.empty() ? "" : ",") + member.get().entry();
  return R"({"replicas":[)" + entries + "]}";
}

}  // namespace fleet::rig
