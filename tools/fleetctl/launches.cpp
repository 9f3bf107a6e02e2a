// SPDX-License-Identifier: MIT
// add: launches, and what becomes of them.
#include "actions.hpp"
#include "pending.hpp"
#include "progress.hpp"
#include "text.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

namespace fleet::ctl {

namespace {

using clock = std::chrono::steady_clock;

/// Looks in a row that may fail before the wait is given up.
constexpr int patience = 5;

std::string body_for(const std::string& slot) {
  return slot.empty() ? std::string() : boost::json::serialize(boost::json::object{{"slot", slot}});
}

/// Nothing of a launch is left on it, or all that ever will be.
bool at_rest(const std::string& stage) {
  return stage == "free" || stage == "unconfirmed" || stage == "waiting" || stage == "abandoned";
}

class launch {
 public:
  launch(const session& at, const std::string& slot)
      : at_(at),
        name_(slot.empty() ? "a free slot" : slot),
        post_(std::make_unique<pending>(at.router, request{.method = "POST",
                                                           .target = "/replicas",
                                                           .body = body_for(slot),
                                                           .limit = std::nullopt})) {}

  /// One that was asked for before.
  launch(const session& at, const replica& known)
      : at_(at), name_(known.name), phase_(known.phase) {}

  /// Takes the answer when it has come.
  void hear(bool wait) {
    if (settled_ || !post_ || !post_->ready()) {
      return;
    }
    const auto got = post_->take();
    post_.reset();
    if (got.router == reached::no || !got.good()) {
      return fail(complaint_of(got, at_.router));
    }
    body_ = got.body;
    name_ = read_text(got.body, "name");
    phase_ = "starting";
    settled_ = !wait;
  }

  /// Looks for the replica among these.
  void look(const pool& members) {
    const auto* now = members.find(name_);
    if (now == nullptr) {
      return look_why();
    }
    phase_ = now->phase;
    settled_ = now->ready;
    if (settled_ && at_.asked.output == output_format::json) {
      body_ = at_.router.get("/replicas/" + encoded(name_)).body;
    }
    read_log();
  }

  [[nodiscard]] bool begun() const { return !post_ && !settled_; }
  [[nodiscard]] bool settled() const { return settled_; }
  [[nodiscard]] const std::optional<complaint>& failure() const { return failure_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& body() const { return body_; }
  [[nodiscard]] std::string age() const { return span_text(clock::now() - begun_); }

  [[nodiscard]] line progress() const {
    return {{name_ + "  "}, {phase_, paint_of(phase_)}, {"  " + age() + "  "}, {log_, paint::dim}};
  }
  [[nodiscard]] line brief() const { return {{name_ + "  " + phase_}}; }

 private:
  /// Reading a log through ssh takes its time; the rest does not wait for it.
  void read_log() {
    if (detail_ && detail_->ready()) {
      const auto got = detail_->take();
      detail_.reset();
      const auto found = got.good() ? read_replica(got.body) : std::nullopt;
      log_ = found && !found->log_line.empty() ? found->log_line : log_;
    }
    if (!detail_ && !settled_ && at_.tells() && at_.screen.live()) {
      detail_ = std::make_unique<pending>(
          at_.router,
          request{.target = "/replicas/" + encoded(name_), .limit = std::chrono::minutes(3)});
    }
  }

  /// It is gone. Once its slot has settled that says why.
  void look_why() {
    const auto slots = read_slots(at_.router.get("/slots").body).value_or(std::vector<slot>());
    const auto found = std::find_if(slots.begin(), slots.end(),
                                    [this](const slot& each) { return each.name == name_; });
    if (found == slots.end() || at_rest(found->stage)) {
      const auto why =
          found == slots.end() || found->detail.empty() ? "" : ": " + printable(found->detail);
      fail({exit_refused, printable(name_) + " failed" + why + "; `fleetctl logs " +
                              printable(name_) + "` shows its log"});
    }
  }

  void fail(complaint why) {
    failure_ = std::move(why);
    settled_ = true;
  }

  const session& at_;
  clock::time_point begun_ = clock::now();
  std::string name_;
  std::unique_ptr<pending> post_;    // null once it is answered
  std::unique_ptr<pending> detail_;  // a look at its log that is out
  std::string phase_ = "launching";
  std::string log_;
  std::string body_;
  std::optional<complaint> failure_;
  bool settled_ = false;
};

/// The replicas as the router lists them, until it is lost.
class outlook {
 public:
  explicit outlook(const session& at) : at_(at) {}

  /// The replicas now, none when they cannot be had this time.
  std::optional<pool> look() {
    last_ = at_.router.get("/replicas");
    const auto found = last_.good() ? read_pool(last_.body) : std::nullopt;
    misses_ = found ? 0 : misses_ + 1;
    return found;
  }
  [[nodiscard]] bool lost() const { return misses_ >= patience; }
  [[nodiscard]] const answer& last() const { return last_; }

 private:
  const session& at_;
  answer last_;
  int misses_ = 0;
};

/// The launch has come to its end: says so, once.
int conclude(const session& at, live_lines& live, const launch& of, bool wait,
             std::set<std::string>& said) {
  if (of.failure()) {
    live.clear();
    // Of several that failed for one reason one line is enough.
    return said.insert(of.failure()->text).second ? complain(*of.failure()) : of.failure()->status;
  }
  if (at.asked.output == output_format::json) {
    at.screen.write(of.body() + "\n");
  } else if (at.asked.output == output_format::name) {
    at.screen.write(printable(of.name()) + "\n");
  } else {
    live.say({{of.name() + "  "},
              {wait ? "ready" : "starting", wait ? paint::good : paint::busy},
              {wait ? "  after " + of.age() : "  `fleetctl watch` shows how far it is"}});
  }
  return exit_done;
}

}  // namespace

int launch_all(const session& at, const std::vector<std::string>& slots, bool wait,
               const std::vector<replica>& under_way_already) {
  under_way<launch> launches;
  for (const auto& each : under_way_already) {
    launches.open.push_back(std::make_unique<launch>(at, each));
  }
  for (const auto& each : slots) {
    launches.open.push_back(std::make_unique<launch>(at, each));
  }
  live_lines live(at.screen);
  outlook out(at);
  std::set<std::string> said;
  pauses between;
  for (;;) {
    auto& open = launches.open;
    std::optional<pool> members;
    if (std::any_of(open.begin(), open.end(), [](const auto& each) { return each->begun(); })) {
      members = out.look();
    }
    for (auto& each : open) {
      if (members && each->begun()) {
        each->look(*members);
      }
      each->hear(wait);
    }
    const auto end = launches.show(
        at, live, wait, [&](const launch& of) { return conclude(at, live, of, wait, said); },
        "timed out; not ready yet: ", "; the router goes on, `fleetctl watch` shows it");
    if (end) {
      return *end;
    }
    if (out.lost()) {
      live.clear();
      return complain(at, out.last());
    }
    between.pause();
  }
}

int add_replicas(const session& at) {
  auto slots = at.asked.operands;
  if (slots.empty()) {
    slots.resize(at.asked.count);
  }
  return launch_all(at, slots, at.asked.wait, {});
}

}  // namespace fleet::ctl
