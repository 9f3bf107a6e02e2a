// SPDX-License-Identifier: MIT
// remove and scale: what is drained and stopped.
#include "actions.hpp"
#include "pending.hpp"
#include "progress.hpp"
#include "text.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

namespace fleet::ctl {

namespace {

using clock = std::chrono::steady_clock;

bool leaving(const std::string& stage) {
  return stage == "draining" || stage == "stopping" || stage == "confirming";
}

bool coming_or_there(const std::string& stage) {
  return stage == "reserved" || stage == "launching" || stage == "loading" || stage == "serving" ||
         stage == "waiting";
}

class removal {
 public:
  removal(const session& at, std::string name)
      : name_(std::move(name)),
        call_(
            at.router,
            {.method = "DELETE", .target = "/replicas/" + encoded(name_), .limit = std::nullopt}) {}

  void step(const session& at, const std::vector<slot>& slots, bool wait) {
    if (call_.ready()) {
      auto got = call_.take();
      settled_ = true;
      if (got.router == reached::no || !got.good()) {
        failure_ = complaint_of(got, at.router);
        failure_->text = printable(name_) + ": " + failure_->text;
      }
      body_ = std::move(got.body);
      return;
    }
    const auto found = std::find_if(slots.begin(), slots.end(),
                                    [this](const slot& each) { return each.name == name_; });
    if (found == slots.end() || !leaving(found->stage)) {
      return;
    }
    stage_ = found->stage;
    const auto left = found->running ? found->running->outstanding : 0;
    const bool drains = stage_ == "draining";
    left_ = drains ? std::to_string(left) + (left == 1 ? " request" : " requests") + " left"
                   : std::string();
    limit_ = drains && found->drain_left ? ", at most " + span_text(*found->drain_left) + " more"
                                         : std::string();
    settled_ = !wait;
  }

  [[nodiscard]] bool settled() const { return settled_; }
  [[nodiscard]] bool removed() const { return !body_.empty(); }
  [[nodiscard]] const std::optional<complaint>& failure() const { return failure_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& body() const { return body_; }
  [[nodiscard]] std::string age() const { return span_text(clock::now() - begun_); }
  [[nodiscard]] line progress() const {
    return {{name_ + "  "}, {stage_, paint_of(stage_)}, {"  " + age() + "  "}, {left_ + limit_}};
  }
  [[nodiscard]] line brief() const { return {{name_ + "  " + stage_ + "  " + left_}}; }

 private:
  clock::time_point begun_ = clock::now();
  std::string name_;
  pending call_;
  std::string stage_ = "asked";
  std::string left_;
  std::string limit_;
  std::string body_;
  std::optional<complaint> failure_;
  bool settled_ = false;
};

int conclude(const session& at, live_lines& live, const removal& of) {
  if (of.failure()) {
    live.clear();
    return complain(*of.failure());
  }
  if (at.asked.output == output_format::name) {
    at.screen.write(printable(of.name()) + "\n");
  } else if (at.asked.output == output_format::json) {
    at.screen.write(of.removed() ? of.body() + "\n"
                                 : boost::json::serialize(boost::json::object{{"name", of.name()},
                                                                              {"stopped", false}}) +
                                       "\n");
  } else if (of.removed()) {
    live.say({{of.name() + "  "}, {"removed", paint::good}, {"  after " + of.age()}});
  } else {
    live.say({{of.name() + "  "},
              {"draining", paint::busy},
              {"  the router stops it when its requests are over"}});
  }
  return exit_done;
}

/// Those to remove first: not there yet, then idle ones, later slots before earlier ones.
std::vector<std::string> least_needed(std::vector<slot> slots, std::size_t count) {
  std::reverse(slots.begin(), slots.end());
  const auto rank = [](const slot& each) {
    const bool ready = each.running && each.running->ready;
    return std::pair(ready, each.running ? each.running->outstanding : 0);
  };
  std::stable_sort(slots.begin(), slots.end(),
                   [rank](const slot& a, const slot& b) { return rank(a) < rank(b); });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back(slots[i].name);
  }
  return names;
}

}  // namespace

int remove_all(const session& at, const std::vector<std::string>& names, bool wait) {
  under_way<removal> removals;
  for (const auto& each : std::set<std::string>(names.begin(), names.end())) {
    removals.open.push_back(std::make_unique<removal>(at, each));
  }
  live_lines live(at.screen);
  pauses between;
  for (;;) {
    const auto slots = read_slots(at.router.get("/slots").body).value_or(std::vector<slot>());
    for (auto& each : removals.open) {
      each->step(at, slots, wait);
    }
    const auto end = removals.show(
        at, live, wait, [&](const removal& of) { return conclude(at, live, of); },
        "timed out: ", "; the router goes on with it");
    if (end) {
      return *end;
    }
    between.pause();
  }
}

int remove_replicas(const session& at) {
  return remove_all(at, at.asked.operands, !at.asked.no_wait);
}

namespace {

bool is_replaced(const pool& members, const std::string& slot) {
  const auto& back = members.left.replacing;
  return std::any_of(back.begin(), back.end(),
                     [&](const slot_note& note) { return note.slot == slot; });
}

/// Waits for what an earlier command has begun; with none of it there is nothing to do.
int settle(const session& at, const std::vector<slot>& running, const std::vector<slot>& going) {
  std::vector<replica> coming;
  for (const auto& each : running) {
    const auto known = each.running.value_or(replica{.name = each.name, .phase = each.stage});
    if (!known.ready) {
      coming.push_back(known);
    }
  }
  if (at.asked.wait && !coming.empty()) {
    return launch_all(at, {}, true, coming);
  }
  if (at.asked.wait && !going.empty()) {
    std::vector<std::string> names;
    std::transform(going.begin(), going.end(), std::back_inserter(names),
                   [](const slot& each) { return each.name; });
    return remove_all(at, names, true);
  }
  if (at.asked.output == output_format::table || at.asked.output == output_format::wide) {
    at.screen.write("nothing to do: the router runs " + std::to_string(running.size()) + "\n");
  }
  return exit_done;
}

}  // namespace

int scale_replicas(const session& at) {
  const auto pool_answer = at.router.get("/replicas");
  const auto members = read_pool(pool_answer.body);
  if (!pool_answer.good() || !members) {
    return complain(at, pool_answer);
  }
  const auto slots_answer = at.router.get("/slots");
  const auto slots = read_slots(slots_answer.body);
  if (!slots_answer.good() || !slots) {
    return complain(at, slots_answer);
  }
  std::vector<slot> running;
  std::vector<slot> going;
  for (const auto& each : *slots) {
    if (is_replaced(*members, each.name) || coming_or_there(each.stage)) {
      running.push_back(each);
    } else if (leaving(each.stage)) {
      going.push_back(each);
    }
  }
  const auto wanted = at.asked.scale_to;
  if (wanted > members->left.ceiling) {
    return complain({exit_refused, "the pool takes at most " +
                                       std::to_string(members->left.ceiling) +
                                       " replicas; `fleetctl slots` lists its slots"});
  }
  if (wanted == running.size()) {
    return settle(at, running, going);
  }
  if (wanted > running.size()) {
    return launch_all(at, std::vector<std::string>(wanted - running.size()), at.asked.wait, {});
  }
  return remove_all(at, least_needed(running, running.size() - wanted), at.asked.wait);
}

}  // namespace fleet::ctl
