// SPDX-License-Identifier: MIT
#include "fleet/launch/journal_actor.hpp"

#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace fleet {

namespace {

/// The journal with the message its thread answers through and its timer; only journal_actor is
/// seen outside.
using journal_with_answers =
    journal_actor::extend<caf::reacts_to<tick_atom, std::string /*why not*/>,
                          caf::reacts_to<retry_atom>>;

/// How soon a disk that refused an erasure is asked again.
constexpr std::chrono::seconds retry_pause{2};

/// A thread that makes one batch of changes at a time. Its end waits for the batch under way.
class writer {
 public:
  using batch = std::vector<journal::change>;

  /// `done` is called on the thread after each batch, with what went wrong or an empty text.
  writer(std::shared_ptr<journal> kept, std::function<void(std::string)> done)
      : journal_(std::move(kept)), done_(std::move(done)) {}
  writer(const writer&) = delete;
  writer& operator=(const writer&) = delete;

  ~writer() {
    {
      const std::lock_guard guard(mutex_);
      ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  /// Only when the one before is done.
  void write(batch changes) {
    {
      const std::lock_guard guard(mutex_);
      next_ = std::move(changes);
    }
    wake_.notify_one();
  }

 private:
  void run() {
    std::unique_lock guard(mutex_);
    for (;;) {
      wake_.wait(guard, [this] { return ending_ || next_; });
      if (!next_) {
        return;
      }
      const auto changes = *std::exchange(next_, std::nullopt);
      guard.unlock();
      const auto why_not = journal_->apply(changes, std::chrono::system_clock::now());
      done_(why_not ? why_not->message : std::string{});
      guard.lock();
    }
  }

  std::shared_ptr<journal> journal_;
  std::function<void(std::string)> done_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<batch> next_;
  bool ending_ = false;
  std::thread thread_{[this] { run(); }};
};

class journal_state {
 public:
  static inline const char* name = "journal";
  using pointer = journal_with_answers::stateful_pointer<journal_state>;

  explicit journal_state(journal_with_answers::pointer self) : self_(self) {}

  journal_with_answers::behavior_type start(std::shared_ptr<journal> kept) {
    // Weak: the thread must not keep the actor that owns it alive.
    const caf::actor_addr me = self_->address();
    writer_ = std::make_unique<writer>(std::move(kept), [me](std::string why_not) {
      if (const auto to = caf::actor_cast<caf::strong_actor_ptr>(me)) {
        caf::anon_send(caf::actor_cast<journal_with_answers>(to), tick_atom::value,
                       std::move(why_not));
      }
    });
    self_->set_exit_handler([this](const caf::exit_msg& order) { exit(order.reason); });
    return {
        [this](record_atom, slot_record& record) { return change(std::move(record)); },
        [this](erase_atom, std::string& slot) { return change(std::move(slot)); },
        [this](tick_atom, const std::string& why_not) { written(why_not); },
        [this](retry_atom) {
          retry_due_ = false;
          write_if_idle();
        },
    };
  }

 private:
  using promises = std::vector<caf::response_promise>;

  caf::result<void> change(journal::change what) {
    changes_.push_back(std::move(what));
    asking_.push_back(self_->make_response_promise());
    write_if_idle();
    return caf::delegated<void>{};
  }

  void write_if_idle() {
    if (writing_ || changes_.empty()) {
      return;
    }
    writing_ = true;
    being_written_ = std::exchange(asking_, {});
    under_way_ = std::exchange(changes_, {});
    writer_->write(under_way_);
  }

  void written(const std::string& why_not) {
    writing_ = false;
    if (!why_not.empty()) {
      keep_erasures();
    }
    answer(being_written_, why_not);
    if (!asking_.empty()) {
      write_if_idle();
    } else if (!changes_.empty() && !std::exchange(retry_due_, true)) {
      self_->delayed_send(self_, retry_pause, retry_atom::value);
    }
  }

  // What is gone stays gone: a later write takes it off the disk. A record that failed is not kept,
  // since whoever asked for it did not act on it.
  void keep_erasures() {
    std::erase_if(under_way_, [](const journal::change& each) {
      return std::holds_alternative<slot_record>(each);
    });
    changes_.insert(changes_.begin(), under_way_.begin(), under_way_.end());
  }

  static void answer(promises& all, const std::string& why_not) {
    for (auto& each : std::exchange(all, {})) {
      if (why_not.empty()) {
        each.deliver(caf::unit);
      } else {
        each.deliver(caf::make_error(caf::sec::runtime_error, why_not));
      }
    }
  }

  // A promise that dies with its holder is never answered, so all are answered here.
  void exit(const caf::error& reason) {
    answer(being_written_, "the journal has ended");
    answer(asking_, "the journal has ended");
    if (!writing_ && !changes_.empty()) {
      writer_->write(std::exchange(changes_, {}));
    }
    self_->quit(reason);
  }

  journal_with_answers::pointer self_;
  std::vector<journal::change> changes_;    // not given to the writer yet
  std::vector<journal::change> under_way_;  // given to it last
  promises asking_;                         // who asked for these
  promises being_written_;
  bool writing_ = false;
  bool retry_due_ = false;
  std::unique_ptr<writer> writer_;
};

journal_with_answers::behavior_type keep_journal(journal_state::pointer self,
                                                 std::shared_ptr<journal> kept) {
  return self->state.start(std::move(kept));
}

}  // namespace

journal_actor spawn_journal(caf::actor_system& system, journal kept) {
  return caf::actor_cast<journal_actor>(
      system.spawn(keep_journal, std::make_shared<journal>(std::move(kept))));
}

}  // namespace fleet
