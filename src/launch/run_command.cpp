// SPDX-License-Identifier: MIT
#include "run_command.hpp"

#include "file_descriptor.hpp"
#include "output_text.hpp"
#include "spawn.hpp"

#include "fleet/core/harmless.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <csignal>
#include <utility>

namespace fleet {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// One output of a command, taken as it comes. Waits and then reads, so that at any moment all that
/// was taken is in the text.
class output {
 public:
  output(asio::io_context& io, std::size_t keep) : from_(io), keep_(keep) {}

  void assign(file_descriptor end) {
    from_.assign(end.release());
    from_.non_blocking(true);
  }

  /// `alive` keeps the owner of this output.
  void read(std::shared_ptr<void> alive) {
    from_.async_wait(asio::posix::descriptor_base::wait_read,
                     [this, alive = std::move(alive)](error_code ec) {
                       if (!ec && take()) {
                         read(alive);
                       }
                     });
  }

  /// What is there already, and no more: something that lives on may hold the other end.
  std::string finish() {
    take();
    error_code ec;
    from_.close(ec);
    return std::move(text_);
  }

 private:
  static constexpr std::size_t most_at_once = 1 << 20;

  /// False at the end.
  bool take() {
    error_code ec;
    for (std::size_t total = 0; !ec && total < most_at_once;) {
      const auto size = from_.read_some(asio::buffer(block_), ec);
      append_tail(text_, {block_.data(), size}, keep_);
      total += size;
    }
    return !ec || ec == asio::error::would_block;
  }

  asio::posix::stream_descriptor from_;
  std::size_t keep_;
  std::string text_;
  std::array<char, 4096> block_{};
};

std::string seconds(std::chrono::milliseconds time) {
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(time);
  return whole == time ? std::to_string(whole.count()) + " s"
                       : std::to_string(time.count()) + " ms";
}

/// The program's name without its folder.
std::string name_of(const std::vector<std::string>& argv) {
  return harmless(argv.front().substr(argv.front().rfind('/') + 1));
}

}  // namespace

class running_command : public std::enable_shared_from_this<running_command> {
 public:
  running_command(asio::io_context& io, command_plan plan, std::function<void(command_end)> done)
      : plan_(std::move(plan)),
        done_(std::move(done)),
        out_(io, plan_.keep),
        err_(io, plan_.keep),
        timer_(io) {}

  void start(asio::io_context& io, children& all) {
    if (const auto wrong = spawn_it(); !wrong.empty()) {
      asio::post(io, [self = shared_from_this(), wrong] {
        self->answer({.reason = name_of(self->plan_.argv) + ": " + wrong});
      });
      return;
    }
    out_.read(shared_from_this());
    err_.read(shared_from_this());
    timer_.expires_after(plan_.limit);
    timer_.async_wait([self = shared_from_this()](error_code ec) {
      if (!ec) {
        self->time_is_up();
      }
    });
    all.watch(child_, [self = shared_from_this()](exit_status how) { self->ended(how); });
  }

  pid_t abandon() {
    done_ = nullptr;
    kill_group();
    return child_;
  }

 private:
  std::string spawn_it() {
    auto out = make_pipe();
    auto err = out ? make_pipe() : outcome<pipe_ends>(failure{out.error()});
    if (!err) {
      return err.error();
    }
    const auto spawned = spawn({.argv = plan_.argv,
                                .env = plan_.env,
                                .out = out->write.get(),
                                .err = err->write.get(),
                                .report = err->write.get()});
    if (!spawned) {
      return spawned.error();
    }
    child_ = *spawned;
    out_.assign(std::move(out->read));
    err_.assign(std::move(err->read));
    return {};
  }

  void kill_group() const {
    if (child_ > 0) {
      // The group exists only once the child has made its session.
      ::kill(-child_, SIGKILL);
      ::kill(child_, SIGKILL);
    }
  }

  void ended(exit_status how) {
    child_ = 0;
    if (!done_) {
      return;
    }
    auto end = collect();
    end.how = how;
    if (!how.good()) {
      end.reason = reason(end, to_string(how));
    }
    answer(std::move(end));
  }

  void time_is_up() {
    kill_group();
    auto end = collect();
    end.timed_out = true;
    end.reason = reason(end, "did not end within " + seconds(plan_.limit) + " and was killed");
    answer(std::move(end));
  }

  command_end collect() {
    timer_.cancel();
    return {.ran = true, .out = out_.finish(), .err = err_.finish()};
  }

  std::string reason(const command_end& end, const std::string& how) const {
    const auto said = last_lines(end.err.empty() ? end.out : end.err);
    return name_of(plan_.argv) + ": " + how + (said.empty() ? "" : ": " + said);
  }

  void answer(command_end end) {
    if (auto done = std::exchange(done_, nullptr)) {
      done(std::move(end));
    }
  }

  command_plan plan_;
  std::function<void(command_end)> done_;
  output out_;
  output err_;
  asio::steady_timer timer_;
  pid_t child_ = 0;  // 0: not running, or reaped
};

command_handle run_command(asio::io_context& io, children& all, command_plan plan,
                           std::function<void(command_end)> done) {
  auto command = std::make_shared<running_command>(io, std::move(plan), std::move(done));
  command->start(io, all);
  return command;
}

pid_t abandon(const command_handle& command) {
  const auto running = command.lock();
  return running ? running->abandon() : 0;
}

}  // namespace fleet
