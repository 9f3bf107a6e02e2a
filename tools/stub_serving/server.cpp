// SPDX-License-Identifier: MIT
#include "server.hpp"

#include "connection.hpp"
#include "replica.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <set>
#include <utility>

namespace net = boost::asio;
using net::ip::tcp;

namespace fleet::stub {
namespace {

constexpr auto quietly = net::as_tuple(net::use_awaitable);

class server {
 public:
  explicit server(const options& knobs) : self_(knobs), signals_(io_, SIGINT), clock_(io_) {
    if (knobs.ignore_sigterm) {
      std::signal(SIGTERM, SIG_IGN);
    } else {
      signals_.add(SIGTERM);
    }
  }

  int run() {
    await_signal();
    net::co_spawn(io_, live(), net::detached);
    io_.run();
    return status_;
  }

 private:
  net::awaitable<void> live() {
    std::cout << "stub-serving loading " << self_.knobs().model << std::endl;
    if (!co_await wait(self_.knobs().load)) {
      co_return;
    }
    if (self_.knobs().exit_code) {
      end(*self_.knobs().exit_code);
      co_return;
    }
    const auto problem = bind();
    if (problem) {
      std::cerr << "stub-serving: cannot listen on " << self_.knobs().host << ":"
                << self_.knobs().port << ": " << problem.message() << std::endl;
      end(1);
      co_return;
    }
    std::cout << "stub-serving " << self_.name() << " listening on " << acceptor_.local_endpoint()
              << std::endl;
    if (self_.knobs().die_after) {
      die_later(*self_.knobs().die_after);
    }
    co_await accept();
  }

  boost::system::error_code bind() {
    boost::system::error_code failed;
    tcp::resolver resolver(io_);
    const auto found = resolver.resolve(self_.knobs().host, std::to_string(self_.knobs().port),
                                        tcp::resolver::passive, failed);
    if (failed) {
      return failed;
    }
    const tcp::endpoint where = found.begin()->endpoint();
    acceptor_.open(where.protocol(), failed);
    if (!failed) {
      acceptor_.set_option(net::socket_base::reuse_address(true), failed);
    }
    if (!failed) {
      acceptor_.bind(where, failed);
    }
    if (!failed) {
      acceptor_.listen(net::socket_base::max_listen_connections, failed);
    }
    if (!failed) {
      self_.bound(acceptor_.local_endpoint().port());
    }
    return failed;
  }

  net::awaitable<void> accept() {
    while (!stopping_) {
      auto [failed, socket] = co_await acceptor_.async_accept(quietly);
      if (!failed) {
        net::co_spawn(io_, attend(std::move(socket)), net::detached);
      } else if (!stopping_ && !co_await wait(std::chrono::milliseconds(50))) {
        break;
      }
    }
  }

  net::awaitable<void> attend(tcp::socket socket) {
    connection one(std::move(socket), self_);
    open_.insert(&one);
    try {
      co_await one.run();
    } catch (const std::exception& broken) {
      std::cerr << "stub-serving: connection ended: " << broken.what() << std::endl;
    }
    open_.erase(&one);
    finish_if_idle();
  }

  void await_signal() {
    signals_.async_wait([this](const boost::system::error_code& failed, int number) {
      if (failed) {
        return;
      }
      if (stopping_) {
        std::_Exit(128 + number);
      }
      stopping_ = true;
      boost::system::error_code ignored;
      acceptor_.close(ignored);
      clock_.cancel();
      for (auto* one : open_) {
        one->retire();
      }
      finish_if_idle();
      await_signal();
    });
  }

  void die_later(duration after) {
    death_.expires_after(after);
    death_.async_wait([this](const boost::system::error_code& failed) {
      if (!failed) {
        std::_Exit(self_.knobs().die_code);
      }
    });
  }

  void finish_if_idle() {
    if (stopping_ && open_.empty()) {
      end(0);
    }
  }

  void end(int status) {
    status_ = status;
    io_.stop();
  }

  net::awaitable<bool> wait(duration how_long) {
    clock_.expires_after(how_long);
    auto [failed] = co_await clock_.async_wait(quietly);
    co_return !failed;
  }

  // The context goes last: coroutines that still hang in it may look at the members above it.
  replica self_;
  std::set<connection*> open_;
  bool stopping_ = false;
  int status_ = 0;
  net::io_context io_{1};
  net::signal_set signals_;
  net::steady_timer clock_;
  net::steady_timer death_{io_};
  tcp::acceptor acceptor_{io_};
};

}  // namespace

int serve(const options& knobs) {
  return server(knobs).run();
}

}  // namespace fleet::stub
