// SPDX-License-Identifier: MIT
#include "fleet/launch/commander.hpp"

#include "commands.hpp"
#include "local_launch.hpp"
#include "replies.hpp"
#include "run_command.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <list>
#include <map>
#include <sys/wait.h>
#include <thread>
#include <utility>

namespace fleet {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr std::size_t log_tail_bytes = 2048;

}  // namespace

/// Everything but the constructor and the destructor runs on its thread.
class process_commander::worker {
 public:
  worker(poster post, std::function<void(process_exit)> on_exit, options given)
      : post_(std::move(post)), on_exit_(std::move(on_exit)), given_(given) {}

  ~worker() {
    io_.stop();
    thread_.join();
    const auto until = std::chrono::steady_clock::now() + 1s;
    for (const auto& command : running_) {
      if (const pid_t child = abandon(command); child > 0) {
        while (::waitpid(child, nullptr, WNOHANG) == 0 &&
               std::chrono::steady_clock::now() < until) {
          std::this_thread::sleep_for(2ms);
        }
      }
    }
  }

  /// Runs `work` with the worker, on its thread.
  template <class Work>
  void enter(Work work) {
    asio::post(io_, std::move(work));
  }

  void launch(const launch_order& order, std::function<void(launch_result)> answer) {
    if (!is_instance(order.instance)) {
      reply(answer, launch_result{.reason = "the instance id is not valid"});
    } else if (order.host.ssh.empty()) {
      launch_here(
          io_, children_, inherited_, order, given_.command_limit,
          [this, answer](launch_result result) { reply(answer, std::move(result)); },
          [this, order](process_ref process, exit_status how) { ended(order, process, how); });
    } else {
      run(launch_over_ssh(order), [this, answer, instance = order.instance](command_end end) {
        reply(answer, launch_reply(end, instance));
      });
    }
  }

  void stop(const stop_order& order, std::function<void(stop_result)> answer) {
    const bool built_in = order.host.stop_command.empty();
    if (!is_instance(order.process.instance)) {
      reply(answer, stop_result{.reason = "the instance id is not valid"});
      return;
    }
    const auto limit =
        built_in ? std::max(given_.command_limit, order.grace + 15s) : given_.command_limit;
    run({.argv = stop_command(order), .limit = limit},
        [this, answer, built_in](command_end end) { reply(answer, stop_reply(end, built_in)); });
  }

  void inspect(const inspect_order& order, std::function<void(inspection)> answer) {
    if (!is_instance(order.process.instance)) {
      reply(answer, inspection{.reason = "the instance id is not valid"});
      return;
    }
    run(inspect_command(order, log_tail_bytes),
        [this, answer, slot = order.slot.name, instance = order.process.instance](command_end end) {
          auto result = inspect_reply(end);
          const auto noted = ends_.find(slot);
          if (result.known && noted != ends_.end() && noted->second.instance == instance) {
            result.ended = true;
            result.how = noted->second.how;
          }
          reply(answer, std::move(result));
        });
  }

  void read_log(const log_order& order, std::function<void(log_answer)> answer) {
    constexpr std::size_t other_output = 4096;
    run({.argv = read_log_command(order.host, order.slot, order.begin, order.bytes),
         .keep = order.bytes + other_output},
        [this, answer](command_end end) { reply(answer, read_log_reply(end)); });
  }

 private:
  struct noted_end {
    std::string instance;
    exit_status how;
  };

  void run(words argv, std::function<void(command_end)> done) {
    run(command_plan{.argv = std::move(argv)}, std::move(done));
  }

  void run(command_plan plan, std::function<void(command_end)> done) {
    plan.env = inherited_;
    if (plan.limit == 0ms) {
      plan.limit = given_.command_limit;
    }
    std::erase_if(running_, [](const command_handle& each) { return each.expired(); });
    running_.push_back(run_command(io_, children_, std::move(plan), std::move(done)));
  }

  void ended(const launch_order& order, const process_ref& process, exit_status how) {
    ends_[order.slot.name] = {order.instance, how};
    run(read_log_command(order.host, order.slot, process.log_begin, log_tail_bytes),
        [this, slot = order.slot.name, instance = order.instance, how](command_end end) {
          reply(on_exit_, process_exit{slot, instance, how, read_log_reply(end).text});
        });
  }

  template <class Result>
  void reply(const std::function<void(Result)>& answer, Result result) {
    post_([answer, result = std::move(result)] { answer(result); });
  }

  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(io_);
  children children_{io_};
  environment inherited_ = inherited_environment();
  poster post_;
  std::function<void(process_exit)> on_exit_;
  options given_;
  std::list<command_handle> running_;      // may hold some that have ended
  std::map<std::string, noted_end> ends_;  // by slot: how its last local replica ended
  std::thread thread_{[this] { io_.run(); }};
};

process_commander::process_commander(poster post, std::function<void(process_exit)> on_exit,
                                     options given)
    : worker_(std::make_unique<worker>(std::move(post), std::move(on_exit), given)) {}

process_commander::process_commander(poster post, std::function<void(process_exit)> on_exit)
    : process_commander(std::move(post), std::move(on_exit), options{}) {}

process_commander::~process_commander() = default;

void process_commander::launch(launch_order order, std::function<void(launch_result)> answer) {
  worker_->enter([at = worker_.get(), order = std::move(order), answer = std::move(answer)] {
    at->launch(order, answer);
  });
}

void process_commander::stop(stop_order order, std::function<void(stop_result)> answer) {
  worker_->enter([at = worker_.get(), order = std::move(order), answer = std::move(answer)] {
    at->stop(order, answer);
  });
}

void process_commander::inspect(inspect_order order, std::function<void(inspection)> answer) {
  worker_->enter([at = worker_.get(), order = std::move(order), answer = std::move(answer)] {
    at->inspect(order, answer);
  });
}

void process_commander::read_log(log_order order, std::function<void(log_answer)> answer) {
  worker_->enter([at = worker_.get(), order = std::move(order), answer = std::move(answer)] {
    at->read_log(order, answer);
  });
}

}  // namespace fleet
