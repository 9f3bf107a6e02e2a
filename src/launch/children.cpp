// SPDX-License-Identifier: MIT
#include "children.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace fleet {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

void keep_statuses() {
  struct sigaction now {};
  ::sigaction(SIGCHLD, nullptr, &now);
  if (now.sa_handler == SIG_IGN || (now.sa_flags & SA_NOCLDWAIT) != 0) {
    now = {};
    now.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &now, nullptr);
  }
}

exit_status status_of(int raw) {
  return WIFSIGNALED(raw) ? exit_status{.signal = WTERMSIG(raw)}
                          : exit_status{.code = WEXITSTATUS(raw)};
}

/// Whether processes that lost their parent become children of this one: the first process of a
/// container, for one.
bool inherits_orphans() {
  int subreaper = 0;
  ::prctl(PR_GET_CHILD_SUBREAPER, &subreaper);
  return ::getpid() == 1 || subreaper != 0;
}

}  // namespace

/// Waits for one child. Keeps itself alive through what it waits for.
class children::watcher : public std::enable_shared_from_this<watcher> {
 public:
  watcher(children& all, pid_t child, std::function<void(exit_status)> done)
      : all_(all), child_(child), done_(std::move(done)), descriptor_(all.io_), timer_(all.io_) {
    // Not reaped yet, so the id cannot mean another process.
    const auto descriptor = static_cast<int>(::syscall(SYS_pidfd_open, child_, 0));
    boost::system::error_code ec;
    if (descriptor >= 0) {
      descriptor_.assign(descriptor, ec);
    }
    if (ec) {
      ::close(descriptor);
    }
  }

  void wait() {
    auto again = [self = shared_from_this()](const boost::system::error_code&) { self->look(); };
    if (descriptor_.is_open()) {
      descriptor_.async_wait(asio::posix::descriptor_base::wait_read, std::move(again));
    } else {
      // No pidfd (Linux before 5.3, a sandbox, no descriptor left): look now and then.
      timer_.expires_after(50ms);
      timer_.async_wait(std::move(again));
    }
  }

 private:
  void look() {
    int raw = 0;
    const pid_t reaped = ::waitpid(child_, &raw, WNOHANG);
    if (reaped == 0 || (reaped < 0 && errno == EINTR)) {
      wait();
      return;
    }
    all_.forget(child_);
    descriptor_.close();
    done_(status_of(raw));
  }

  children& all_;
  pid_t child_;
  std::function<void(exit_status)> done_;
  asio::posix::stream_descriptor descriptor_;
  asio::steady_timer timer_;
};

children::children(asio::io_context& io) : io_(io), orphans_(io) {
  keep_statuses();
  if (inherits_orphans()) {
    reap_orphans();
  }
}

void children::watch(pid_t child, std::function<void(exit_status)> done) {
  own_.insert(child);
  std::make_shared<watcher>(*this, child, std::move(done))->wait();
}

// A server that its wrapper left behind ends as a zombie of this process: nobody else reaps it.
void children::reap_orphans() {
  siginfo_t ended{};
  while (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0 &&
         !own_.contains(ended.si_pid)) {
    ::waitpid(ended.si_pid, nullptr, WNOHANG);
    ended = {};
  }
  orphans_.expires_after(1s);
  orphans_.async_wait([this](const boost::system::error_code& ec) {
    if (!ec) {
      reap_orphans();
    }
  });
}

}  // namespace fleet
