// SPDX-License-Identifier: MIT
#include "sim/world/world.hpp"

#include <algorithm>
#include <utility>

namespace fleet::sim {

world::world(shape made_of, std::uint64_t seed, std::size_t lines, sabotage harm)
    : shared_(std::move(made_of), seed, lines, harm),
      there_(shared_),
      given_(shared_, there_),
      file_(shared_),
      turns_(shared_, there_),
      people_(shared_, there_, given_),
      faults_({shared_, there_, given_, file_, turns_, people_, [this] { end_router(); }}) {
  if (harm == sabotage::false_silence)
    shared_.judge.overlook(rules::listed);
  shared_.judge.watch_disk(file_.file());
  there_.on_silence = [this](std::uint16_t port) { turns_.broken(port); };
  there_.on_exit = [this](const process_exit& end) {
    shared_.answer_after(shared_.luck.between(1ms, 1s), [this, end] {
      if (!end.how.good())
        shared_.judge.end_told(shared_.now, end.slot, end.instance);
      shared_.router->tell(end);
    });
  };
}

world::~world() {
  dead_ = true;
  shared_.router.reset();
}

// -- time -------------------------------------------------------------------

// To the next moment at which something happens; false when there is none until then.
bool world::step(moment until) {
  auto& s = shared_;
  if (s.router && !s.router->settle())
    crash();
  if (std::exchange(s.dirty, false) && looks_)
    look();
  const auto planned = s.plan.next();
  const auto timer = s.router ? s.router->next_timer() : std::nullopt;
  const auto next = std::min(planned.value_or(moment::max()), timer.value_or(moment::max()));
  const bool any = next <= until;
  s.now = any ? next : until;
  while (s.plan.next() && *s.plan.next() <= s.now)
    s.plan.take()();
  if (s.router)
    s.router->advance(s.now);
  return any;
}

void world::play(duration time) {
  const auto until = shared_.now + time;
  while (!over() && step(until)) {
    // nop
  }
}

// -- the router comes and goes ----------------------------------------------

void world::start_router() {
  auto& s = shared_;
  ++s.life;
  ending_ = dead_ = false;
  s.note("the router starts");
  s.judge.life_begins(s.now);
  s.router = std::make_unique<router_life>(
      router_life::setup{.made_of = s.made_of,
                         .recorded = file_.records(),
                         .now = s.now,
                         .world = *this,
                         .luck = s.luck,
                         .events = s.events,
                         .log = *this,
                         .mint_instance = [this] { return "i" + std::to_string(++minted_); }});
  if (s.harm == sabotage::mortal_prober)
    s.router->kill_prober();
}

void world::crash() {
  shared_.note("the router crashes");
  messages_ += shared_.router->messages();
  dead_ = true;
  shared_.router.reset();
  file_.crash();
  shared_.judge.life_ends();
  turns_.router_died();
  come_back();
}

void world::come_back() {
  shared_.after(shared_.luck.between(10ms, 30s), [this] { start_router(); });
}

void world::end_router() {
  if (std::exchange(ending_, true))
    return;
  const auto done = [this] {
    shared_.after(1ms, [this, in = shared_.life] {
      if (!shared_.router || in != shared_.life)
        return;
      shared_.judge.shut_down(shared_.now, file_.file());
      crash();
    });
  };
  people_.shut_down(shared_.luck.percent(40), done);
  if (shared_.luck.percent(30))
    people_.shut_down(true, [] {});
}

std::uint64_t world::messages() const {
  return messages_ + (shared_.router ? shared_.router->messages() : 0);
}

// -- outside ----------------------------------------------------------------

void world::probe(question q, const endpoint& where, duration limit) {
  auto& s = shared_;
  const auto port = where.port;
  const auto tell = [=, this, asked = s.now](machines::sight seen) {
    probe_result result{.verdict = seen.verdict, .connected = seen.connected};
    result.reason = seen.verdict == probe_verdict::good ? "" : to_string(seen.verdict);
    shared_.judge.probed(asked, shared_.now, port, seen.verdict, seen.connected);
    if (shared_.harm == sabotage::lying_probe && there_.has_served(port))
      result = {.verdict = probe_verdict::good, .connected = true};
    if (shared_.harm == sabotage::slander && shared_.now % 200s > 100s)
      result = {.reason = "slandered"};
    shared_.router->answer(q, result);
  };
  s.answer_after(s.luck.between(100us, 3ms), [=, this] {
    const auto seen = there_.look(port);
    if (!seen.late)
      return tell(seen);
    shared_.answer_after(limit - 3ms, [=] { tell({.connected = seen.connected}); });
  });
}

void world::launch(question q, const launch_order& order) {
  ++launches_;
  hot_moment();
  given_.launch(q, order);
}

void world::stop(question q, const stop_order& order) {
  hot_moment();
  given_.stop(q, order);
}

void world::inspect(question q, const inspect_order& order) {
  given_.inspect(q, order);
}

void world::record(question q, const slot_record& what) {
  hot_moment();
  shared_.judge.writes(what.slot);
  file_.record(q, what);
}

void world::erase(question q, const std::string& slot) {
  hot_moment();
  shared_.judge.writes(slot);
  file_.erase(q, slot);
}

// Where a crash hurts most.
void world::hot_moment() {
  auto& s = shared_;
  if (!s.calm && s.made_of.journal && s.luck.percent(1))
    s.router->crash_in(1 + s.luck.below(12));
}

void world::write(log_level /*level*/, std::string_view event,
                  std::initializer_list<log_field> fields) {
  if (dead_)
    return;
  const auto all = [&] {
    std::string text(event);
    for (const auto& x : fields)
      text += " " + std::string(x.key) + "=" + x.value;
    return text;
  };
  shared_.events.message(shared_.now, "log", all);
  if (event == "actor_died" || event == "pin_lookup_failed" || event == "prober_failed")
    shared_.judge.blame(shared_.now, rules::no_defect, all());
}

// -- looks ------------------------------------------------------------------

std::optional<pool_view> world::view() {
  auto& s = shared_;
  if (!s.router)
    return std::nullopt;
  auto seen = std::make_shared<std::optional<pool_view>>();
  s.router->view([seen](const pool_view* x) {
    if (x != nullptr)
      *seen = *x;
  });
  if (!s.router->settle())
    crash();
  return *seen;
}

void world::look() {
  if (const auto seen = view(); seen && shared_.router)
    shared_.judge.look(shared_.now, *seen);
}

}  // namespace fleet::sim
