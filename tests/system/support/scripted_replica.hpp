// SPDX-License-Identifier: MIT
#pragma once

#include "system/support/message.hpp"
#include "system/support/tls_identity.hpp"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <initializer_list>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace fleet::rig {

class scripted_replica;

// One request at a replica, its head read, as a script sees it. Lives on its connection's thread.
class replica_turn {
 public:
  replica_turn(scripted_replica& owner, wire& line, message& request)
      : owner_{owner}, line_{line}, request_{request} {}

  const message& request() const { return request_; }
  // Reads the rest of the request, once; request().body holds it then.
  const message& read_body(milliseconds limit = patience);
  // Reads and discards until at least `bytes` of the body arrived.
  void read_some_body(std::size_t bytes, milliseconds limit = patience);
  bool send(std::string_view bytes, milliseconds limit = patience) {
    return line_.send(bytes, limit);
  }
  void close() { line_.close(); }
  void rst() { line_.rst(); }
  // Waits until the router gives up this connection; false when it does not within `limit`.
  bool wait_closed(milliseconds limit = patience);
  // Waits for `span`; false when the test is ending, so that loops stop.
  bool pause(milliseconds span);

 private:
  scripted_replica& owner_;
  wire& line_;
  message& request_;
};

// A replica run by a script: a TCP server on a port of the loopback address `host` with one thread
// per connection. Requests for /health go to the health script (200 unless told otherwise), all
// others to the request script. A connection stays open between requests unless a script closes it
// or the request says `Connection: close`.
class scripted_replica {
 public:
  using script = std::function<void(replica_turn&)>;

  explicit scripted_replica(std::string name = "u", script on_request = {},
                            std::shared_ptr<tls_identity> identity = nullptr,
                            std::string host = "127.0.0.1", std::uint16_t port = 0);
  ~scripted_replica();
  scripted_replica(const scripted_replica&) = delete;
  scripted_replica& operator=(const scripted_replica&) = delete;

  const std::string& name() const { return name_; }
  std::uint16_t port() const { return port_; }
  // As a `replicas[]` entry of the fleet file.
  std::string entry() const;

  void on_request(script run);
  void on_health(script run);
  // Answers probes with 200 or 503.
  void healthy(bool good);
  // Closes the listening socket only: who is connected stays so.
  void stop_listening();
  // Closes the listening socket and every connection; `come_back` listens on the same port again.
  void go_away();
  void come_back();

  // Every request so far but the probes, in order of arrival; bodies as far as they were read.
  std::vector<message> requests() const;
  std::size_t request_count() const { return requests().size(); }
  // The latest of them.
  message last_request() const;
  // Connections that carried a request other than a probe: ever, and now.
  std::size_t connections() const;
  std::size_t open_connections() const;
  // Probes: ever, and those now waiting for their answer.
  std::size_t probes() const;
  std::size_t open_probes() const;
  // Every byte that arrived on connections which sent no complete request head.
  std::string strays() const;

 private:
  friend class replica_turn;
  struct connection;

  void listen();
  void accept_loop(int listener);
  void serve(connection& at);
  void stop();
  script pick(bool probe) const;

  std::string name_;
  std::string host_;
  std::shared_ptr<tls_identity> identity_;
  std::uint16_t port_ = 0;
  unique_fd listener_;
  std::thread acceptor_;

  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> listening_ = false;
  script on_request_;
  script on_health_;
  std::list<std::shared_ptr<connection>> connections_;
  std::list<message> seen_;
  std::string strays_;
  std::size_t turn_connections_ = 0;
  std::size_t open_turn_connections_ = 0;
  std::size_t probes_ = 0;
  std::size_t open_probes_ = 0;
};

// A fleet file with these replicas.
std::string fleet_of(std::initializer_list<std::reference_wrapper<const scripted_replica>> members);

}  // namespace fleet::rig
