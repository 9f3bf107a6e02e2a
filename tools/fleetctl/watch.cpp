// SPDX-License-Identifier: MIT
#include "actions.hpp"
#include "pending.hpp"
#include "text.hpp"

#include <csignal>
#include <ctime>
#include <map>
#include <memory>
#include <unistd.h>

namespace fleet::ctl {

namespace {

constexpr std::chrono::milliseconds between_looks{1000};
constexpr std::chrono::milliseconds poll{20};

/// One look in the background, so that a signal is answered at once also while the router is mute.
class looking {
 public:
  explicit looking(const client& router)
      : result_(std::async(std::launch::async,
                           [this, &router] { return look(router, failed_, stop_.get_token()); })) {}
  looking(const looking&) = delete;
  looking& operator=(const looking&) = delete;
  ~looking() { stop_.request_stop(); }

  [[nodiscard]] bool ready() const {
    return result_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  /// Once; `failed` tells why there is none.
  [[nodiscard]] std::optional<fleet_picture> take(answer& failed) {
    auto found = result_.get();
    failed = failed_;
    return found;
  }

 private:
  std::stop_source stop_;
  answer failed_;
  std::future<std::optional<fleet_picture>> result_;
};

std::string clock_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[16];
  return {text, std::strftime(text, sizeof text, "%H:%M:%S", &parts)};
}

/// What the screen shows between two looks.
class live_view {
 public:
  live_view(const session& at, fleet_picture first)
      : at_(at), screen_(at.screen), all_(std::move(first)) {
    draw();
  }

  void take(looking& from) {
    answer failed;
    auto found = from.take(failed);
    trouble_ = found ? std::string() : complaint_of(failed, at_.router).text;
    if (found) {
      all_ = std::move(found);
    }
    draw();
  }

  void draw() const {
    lines now{{{"fleetctl watch  "}, {clock_text() + "  Ctrl-C leaves", paint::dim}}};
    if (!trouble_.empty()) {
      now.push_back({{trouble_, paint::bad}});
    }
    now.emplace_back();
    if (all_) {
      append(now, status_lines(*all_, std::chrono::system_clock::now(), true));
    }
    screen_.draw(now);
  }

  /// Ctrl-Z: the shell gets its screen, and this one is drawn again when it goes on.
  void suspend() const {
    screen_.leave();
    ::kill(::getpid(), SIGSTOP);
    screen_.enter();
    draw();
  }

 private:
  const session& at_;
  full_screen screen_;
  std::optional<fleet_picture> all_;
  std::string trouble_;
};

int watch_live(const session& at) {
  const held_signals signals;
  auto look_now = std::make_unique<looking>(at.router);
  while (!look_now->ready()) {
    if (const int signal = signals.wait(poll); signal == SIGINT || signal == SIGTERM) {
      return exit_done;
    }
  }
  answer failed;
  auto first = look_now->take(failed);
  if (!first) {
    return complain(at, failed);
  }
  look_now.reset();
  live_view view(at, std::move(*first));
  auto next = std::chrono::steady_clock::now() + between_looks;
  for (;;) {
    const int signal = signals.wait(poll);
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) {
      return exit_done;
    }
    if (at.late()) {
      return exit_timed_out;
    }
    if (signal == SIGTSTP) {
      view.suspend();
    } else if (signal == SIGWINCH) {
      view.draw();
    }
    const auto now = std::chrono::steady_clock::now();
    if (look_now && look_now->ready()) {
      view.take(*look_now);
      look_now.reset();
      next = now + between_looks;
    } else if (!look_now && now >= next) {
      look_now = std::make_unique<looking>(at.router);
    }
  }
}

/// Where each replica and each slot stands, in a word or two.
std::map<std::string, std::string> standing(const fleet_picture& all) {
  std::map<std::string, std::string> out;
  out["router"] = all.totals.status;
  for (const auto& each : all.members.replicas) {
    out["replica " + each.name] =
        each.phase + (each.reason.empty() ? "" : " (" + each.reason + ")");
  }
  for (const auto& each : all.slots) {
    out["slot " + each.name] = each.stage + (each.reason.empty() ? "" : " (" + each.reason + ")");
  }
  return out;
}

/// A line for each change.
int watch_plain(const session& at) {
  std::map<std::string, std::string> before;
  bool first = true;
  for (;;) {
    answer failed;
    const auto all = look(at.router, failed);
    if (!all && first) {
      return complain(at, failed);
    }
    auto now =
        all ? standing(*all)
            : std::map<std::string, std::string>{{"router", complaint_of(failed, at.router).text}};
    for (const auto& [what, word] : now) {
      if (const auto was = before.find(what); was == before.end() || was->second != word) {
        at.screen.write(printable(clock_text() + " " + what + ": " + word) + "\n");
      }
    }
    for (const auto& [what, word] : before) {
      if (all && !now.contains(what)) {
        at.screen.write(printable(clock_text() + " " + what + ": gone") + "\n");
      }
    }
    if (!all) {
      before["router"] = now["router"];
    } else {
      before = std::move(now);
    }
    first = false;
    if (at.late()) {
      return exit_timed_out;
    }
    std::this_thread::sleep_for(between_looks);
  }
}

}  // namespace

int watch_fleet(const session& at) {
  return at.screen.live() ? watch_live(at) : watch_plain(at);
}

}  // namespace fleet::ctl
