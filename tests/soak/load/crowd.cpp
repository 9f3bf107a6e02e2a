// SPDX-License-Identifier: MIT
#include "soak/load/crowd.hpp"

#include "system/support/requests.hpp"

#include <memory>

namespace fleet::soak {

using namespace std::chrono_literals;
using rig::milliseconds;

namespace {

constexpr auto turn_limit = 60s;
constexpr std::size_t largest_upload = 1024 * 1024;
constexpr std::array<std::string_view, 9> admin_reads{
    "/health",  "/metrics",      "/replicas",       "/replicas/n-d0", "/slots",
    "/version", "/openapi.json", "/slots/n-d0/log", "/v1/models"};

std::string turn_body(bool stream, std::size_t padding) {
  return R"({"messages":[{"role":"user","content":")" + std::string(padding, 'x') +
         R"("}],"stream":)" + (stream ? "true" : "false") + "}";
}

}  // namespace

// One thread's connection and its choices.
class crowd::client {
 public:
  client(crowd& all, habit what, unsigned seed) : all_{all}, what_{what}, dice_{seed} {}

  void act() {
    if (!line_ || !line_->open())
      line_ = std::make_unique<rig::raw_client>(all_.port_);
    switch (what_) {
      case habit::plain:
        return turn(rig::chat(turn_body(false, below(3000)), a_session()));
      case habit::streamed:
        return turn(rig::chat(turn_body(true, below(3000)), a_session()));
      case habit::aborted:
        return leave_a_turn();
      case habit::churned:
        turn(rig::chat(turn_body(below(2) == 0, 100), a_session()));
        return line_.reset();
      case habit::upload:
        return upload();
      case habit::admin:
        return read_admin();
    }
  }

 private:
  std::size_t below(std::size_t sides) { return dice_() % sides; }
  std::string a_session() { return rig::session("soak-" + std::to_string(below(sessions))); }

  void turn(const std::string& request, std::string_view method = "POST") {
    line_->send(request, turn_limit);
    const auto answer = line_->read_response(method, turn_limit);
    all_.judge(what_, answer);
    if (!answer.complete() || rig::same_word(answer.get("Connection"), "close"))
      line_.reset();
  }

  void leave_a_turn() {
    line_->send(rig::chat(turn_body(true, 100), a_session()), turn_limit);
    if (below(4) != 0)
      line_->wait_for("data:", turn_limit);
    below(2) == 0 ? line_->rst() : line_->half_close();
    line_.reset();
    ++all_.done_[static_cast<std::size_t>(what_)];
  }

  void upload() {
    const auto body = turn_body(false, below(largest_upload));
    below(2) == 0 ? turn(rig::chat(body, a_session()))
                  : turn(rig::chunked_chat(body, 1 + below(60'000), a_session()));
  }

  void read_admin() {
    const auto target = admin_reads[below(admin_reads.size())];
    turn(rig::request("GET", target, "", below(4) == 0 ? "Connection: close\r\n" : ""), "GET");
  }

  crowd& all_;
  habit what_;
  std::mt19937 dice_;
  std::unique_ptr<rig::raw_client> line_;
};

crowd::crowd(std::uint16_t port, std::size_t each, plant planted) : port_{port} {
  for (std::size_t what = 0; what < habit_names.size(); ++what)
    for (std::size_t i = 0; i < each; ++i)
      threads_.emplace_back([this, what, seed = static_cast<unsigned>(what * 100 + i)] {
        run(static_cast<habit>(what), seed);
      });
  if (planted != plant::none)
    threads_.emplace_back([this, planted] { run_plant(planted); });
}

crowd::~crowd() {
  end();
}

void crowd::end() {
  stop_ = true;
  for (auto& each : threads_)
    each.join();
  threads_.clear();
}

void crowd::run(habit what, unsigned seed) {
  client one{*this, what, seed};
  while (!stop_) {
    one.act();
    // Steady and not the most there can be: a full machine would measure itself.
    std::this_thread::sleep_for(10ms);
  }
}

void crowd::run_plant(plant what) {
  if (what == plant::connections) {
    std::vector<std::unique_ptr<rig::raw_client>> held;
    while (!stop_) {
      held.push_back(std::make_unique<rig::raw_client>(port_));
      held.back()->send("GET /health HTTP/1.1\r\n");
      std::this_thread::sleep_for(100ms);
    }
    return;
  }
  rig::raw_client line{port_};
  line.send("POST /v1/chat/completions HTTP/1.1\r\nHost: r\r\nContent-Length: 60000000\r\n\r\n");
  const std::string piece(100'000, 'x');
  while (!stop_) {
    line.send(piece);
    std::this_thread::sleep_for(100ms);
  }
}

void crowd::judge(habit what, const rig::message& answer) {
  ++done_[static_cast<std::size_t>(what)];
  if (answer.status() == 200 && answer.complete())
    return;
  const auto name = std::string{habit_names[static_cast<std::size_t>(what)]} + ": " +
                    (answer.status() == 0 ? "no answer" : answer.start_line) +
                    (answer.complete() ? "" : ", cut");
  const std::lock_guard lock{mutex_};
  ++odd_[name];
}

std::uint64_t crowd::done() const {
  std::uint64_t sum = 0;
  for (const auto& each : done_)
    sum += each;
  return sum;
}

std::map<std::string, std::uint64_t> crowd::odd() const {
  const std::lock_guard lock{mutex_};
  return odd_;
}

}  // namespace fleet::soak
