// SPDX-License-Identifier: MIT
#include "chaos/storm/clients.hpp"

#include "system/support/requests.hpp"

#include <algorithm>

namespace fleet::chaos {

namespace {

// Longer than the router's --request-timeout and a burst together.
constexpr auto turn_limit = 120s;
constexpr std::size_t turns_kept = 6;

}  // namespace

chat_client::chat_client(std::size_t number, std::uint64_t seed, arena& where, ledger& book)
    : number_{number}, dice_{seed}, where_{where}, book_{book} {}

void chat_client::connect() {
  const auto epoch = where_.epoch();
  if (line_ && line_->open() && line_epoch_ == epoch && !dice_.one_in(5))
    return;
  line_ = std::make_unique<rig::raw_client>(where_.port());
  line_epoch_ = epoch;
}

turn chat_client::ask() {
  turn next;
  next.mark = "c" + std::to_string(number_) + "t" + std::to_string(turns_++);
  // Some answers are larger than any buffer on their way.
  if (dice_.one_in(10))
    next.mark += "-" + std::string(1000 + dice_.below(7000), 'x');
  next.tokens = 3 + dice_.below(arena::most_tokens - 3);
  next.stream = dice_.one_in(2);
  next.session = session_;
  return next;
}

bool chat_client::left_early(const turn& next) {
  if (next.stream && dice_.one_in(2))
    line_->wait_for("data:", 300ms);
  else
    line_->fill(dice_.between(0ms, 300ms));
  dice_.one_in(2) ? line_->rst() : line_->half_close();
  line_.reset();
  book_.count("turns", "left by their client");
  return true;
}

void chat_client::exchange(turn& next, bool may_leave) {
  next.begin = clock::now();
  connect();
  const auto fields = next.session.empty() ? std::string{} : rig::session(next.session);
  line_->send(rig::chat(body_of(next, before_), fields), turn_limit);
  if (may_leave && dice_.one_in(20) && left_early(next))
    return;
  next.answer = line_->read_response("POST", turn_limit);
  next.end = clock::now();
  if (!next.answer.complete() || rig::same_word(next.answer.get("Connection"), "close"))
    line_.reset();
}

// Spoils one whole answer of client 0 as the planted fault says.
void chat_client::sabotage(turn& ended) {
  auto& answer = ended.answer;
  if (number_ != 0 || spoilt_ || answer.status() != 200 || !answer.complete() || turns_ < 3)
    return;
  const auto& body = answer.body;
  switch (where_.planted()) {
    case plant::lost_piece:
      if (!ended.stream)
        return;
      answer.body.erase(body.find("\n\n", body.size() / 2),
                        body.find("\n\n", body.find("\n\n", body.size() / 2) + 2) -
                            body.find("\n\n", body.size() / 2));
      break;
    case plant::swapped:
      ended.mark = last_mark_;
      break;
    case plant::cut:
      answer.end = rig::body_end::cut;
      break;
    case plant::odd_error:
      answer.start_line = "HTTP/1.1 500 Internal Server Error";
      break;
    default:
      return;
  }
  spoilt_ = true;
}

verdict chat_client::conclude(turn& ended, bool calm) {
  const auto mark = ended.mark;
  sabotage(ended);
  last_mark_ = mark;
  auto out = judge(ended, book_, calm);
  book_.count("turns", out.kind);
  const auto who =
      "client " + std::to_string(number_) + ", turn " + mark.substr(0, 20) +
      (ended.stream ? " (stream)" : "") + ", session " + ended.session + ", replica " +
      out.replica + ", " +
      std::to_string(
          std::chrono::duration_cast<rig::milliseconds>(ended.end - ended.begin).count()) +
      " ms";
  if (out.broken)
    book_.fail(who + ": " + *out.broken);
  else if (!out.whole)
    book_.note(who + ": " + out.kind);
  if (session_.empty())
    session_ = ended.answer.get("X-Session-Id");
  if (out.whole)
    before_.insert(before_.end(), {"please say " + mark, out.text});
  if (before_.size() > 2 * turns_kept)
    before_.erase(before_.begin(), before_.begin() + 2);
  return out;
}

void chat_client::storm(const std::atomic<bool>& stop) {
  while (!stop) {
    if (dice_.one_in(12)) {
      session_.clear();
      before_.clear();
    }
    auto next = ask();
    exchange(next, true);
    if (next.end != clock::time_point{} && !conclude(next, false).whole) {
      std::this_thread::sleep_for(200ms);
      rig::eventually([&] { return stop || where_.router_running(); }, 2s);
    }
    std::this_thread::sleep_for(dice_.between(0ms, 400ms));
  }
}

void chat_client::calm(std::size_t turns) {
  std::string home;
  for (std::size_t i = 0; i < turns; ++i) {
    auto next = ask();
    exchange(next, false);
    auto out = conclude(next, true);
    if (where_.planted() == plant::moved && number_ == 0 && i == turns - 1)
      out.replica = "another";
    if (!home.empty() && out.whole && out.replica != home)
      book_.fail("session " + session_ + " moved from " + home + " to " + out.replica + " in calm");
    home = out.whole ? out.replica : home;
    std::this_thread::sleep_for(dice_.between(0ms, 100ms));
  }
}

crowd::crowd(std::size_t size, std::uint64_t seed, arena& where, ledger& book) {
  for (std::size_t i = 0; i < size; ++i)
    clients_.push_back(std::make_unique<chat_client>(i, seed * 1000 + i, where, book));
}

void crowd::begin_storm() {
  for (auto& each : clients_)
    threads_.emplace_back([this, client = each.get()] { client->storm(stop_); });
}

void crowd::end_storm() {
  stop_ = true;
  for (auto& each : threads_)
    each.join();
  threads_.clear();
}

void crowd::calm(std::size_t turns) {
  for (auto& each : clients_)
    threads_.emplace_back([client = each.get(), turns] { client->calm(turns); });
  for (auto& each : threads_)
    each.join();
  threads_.clear();
}

void crowd::leave() {
  for (auto& each : clients_)
    each->leave();
}

}  // namespace fleet::chaos
