// SPDX-License-Identifier: MIT
#include "local_launch.hpp"

#include "file_descriptor.hpp"
#include "output_text.hpp"
#include "spawn.hpp"

#include "fleet/core/command.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <charconv>
#include <csignal>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

namespace fleet {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// As process_ref has it. Of a child that is not reaped yet.
std::string birth_of(pid_t child) {
  std::ifstream in("/proc/" + std::to_string(child) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  // Field 22; the second one is a name that may hold anything, but ends at the last parenthesis.
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string field;
  for (int number = 3; number <= 22; ++number) {
    fields >> field;
  }
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return fields ? field + "@" + boot : "";
}

class local_launch : public std::enable_shared_from_this<local_launch> {
 public:
  local_launch(asio::io_context& io, std::function<void(launch_result)> launched,
               std::function<void(process_ref, exit_status)> ended)
      : launched_(std::move(launched)), ended_(std::move(ended)), report_(io), timer_(io) {}

  void start(children& all, const environment& inherited, const launch_order& order,
             std::chrono::milliseconds limit) {
    result_.process.instance = order.instance;
    if (auto wrong = spawn_it(inherited, order); !wrong.empty()) {
      asio::post(report_.get_executor(),
                 [self = shared_from_this(), wrong = std::move(wrong)] { self->answer(wrong); });
      return;
    }
    result_.process.process_group = child_;
    result_.process.birth = birth_of(child_);
    all.watch(child_, [self = shared_from_this()](exit_status how) { self->child_ended(how); });
    timer_.expires_after(limit);
    timer_.async_wait([self = shared_from_this()](error_code ec) {
      if (!ec) {
        self->time_is_up();
      }
    });
    read_report();
  }

 private:
  std::string spawn_it(const environment& inherited, const launch_order& order) {
    const auto replica = command_to_launch(order.host, order.slot);
    spawn_plan plan{.argv = replica.argv,
                    .env = inherited,
                    .workdir = replica.workdir,
                    .log_path = replica.log_path};
    for (const auto& each : replica.env) {
      set_variable(plan.env, each);
    }
    set_variable(plan.env, {std::string(instance_variable), order.instance});
    auto report = make_pipe();
    if (!report) {
      return report.error();
    }
    plan.report = report->write.get();
    const auto spawned = spawn(plan);
    if (!spawned) {
      return spawned.error();
    }
    child_ = *spawned;
    report_.assign(report->read.release());
    return {};
  }

  // Until its end: the program runs, or the child has given up.
  void read_report() {
    report_.async_read_some(asio::buffer(block_),
                            [self = shared_from_this()](error_code ec, std::size_t size) {
                              self->text_.append(self->block_.data(), size);
                              if (ec) {
                                self->report_is_in();
                              } else {
                                self->read_report();
                              }
                            });
  }

  void report_is_in() {
    const auto size = text_.substr(0, text_.find('\n'));
    const auto parsed =
        std::from_chars(size.data(), size.data() + size.size(), result_.process.log_begin);
    const bool opened = parsed.ec == std::errc{} && parsed.ptr == size.data() + size.size();
    const auto wrong = opened ? text_.substr(size.size() + 1) : text_;
    answer(!opened && wrong.empty() ? "ended before it ran its program" : last_lines(wrong));
  }

  void time_is_up() {
    if (!child_status_) {
      ::kill(-child_, SIGKILL);
      ::kill(child_, SIGKILL);
    }
    result_.may_be_running = true;  // it did not get to its program, but may be stuck on its way
    answer("could not be started in time and was killed");
  }

  void child_ended(exit_status how) {
    child_status_ = how;
    tell_end();
  }

  void answer(const std::string& wrong) {
    if (!launched_) {
      return;
    }
    timer_.cancel();
    error_code ignored;
    report_.close(ignored);
    result_.started = wrong.empty();
    result_.reason = wrong;
    std::exchange(launched_, nullptr)(result_);
    tell_end();
  }

  // The child may end before its report has been read to the end.
  void tell_end() {
    if (!launched_ && result_.started && child_status_) {
      ended_(result_.process, *child_status_);
    }
  }

  std::function<void(launch_result)> launched_;  // empty once answered
  std::function<void(process_ref, exit_status)> ended_;
  asio::posix::stream_descriptor report_;
  asio::steady_timer timer_;
  std::array<char, 512> block_{};
  std::string text_;
  pid_t child_ = 0;
  std::optional<exit_status> child_status_;
  launch_result result_;
};

}  // namespace

void launch_here(asio::io_context& io, children& all, const environment& inherited,
                 const launch_order& order, std::chrono::milliseconds limit,
                 std::function<void(launch_result)> launched,
                 std::function<void(process_ref, exit_status)> ended) {
  std::make_shared<local_launch>(io, std::move(launched), std::move(ended))
      ->start(all, inherited, order, limit);
}

}  // namespace fleet
