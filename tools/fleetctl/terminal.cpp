// SPDX-License-Identifier: MIT
#include "terminal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace fleet::ctl {

namespace {

bool is_live() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && kind != nullptr && *kind != '\0' &&
         std::string_view(kind) != "dumb";
}

/// In place of lines for which there is no room.
line left_out(std::size_t count) {
  return {{"... " + std::to_string(count) + " more lines", paint::dim}};
}

constexpr std::string_view to_line_end = "\x1b[K";
constexpr std::string_view to_screen_end = "\x1b[J";

}  // namespace

terminal::terminal(bool colour) : live_(is_live()), colour_(colour && live_) {}

terminal::extent terminal::size() const {
  winsize told{};
  extent out;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &told) == 0) {
    out.columns = told.ws_col != 0 ? told.ws_col : out.columns;
    out.rows = told.ws_row != 0 ? told.ws_row : out.rows;
  }
  return out;
}

style terminal::fitted_style() const {
  // One column less: some terminals wrap at the last one.
  return {.colour = colour_, .columns = live_ ? std::max<std::size_t>(columns(), 2) - 1 : 0};
}

void terminal::write(std::string_view text) const {
  while (!text.empty()) {
    const auto sent = ::write(STDOUT_FILENO, text.data(), text.size());
    if (sent < 0 && errno != EINTR) {
      if (!write_error_) {
        write_error_.assign(errno, std::generic_category());
      }
      return;
    }
    text.remove_prefix(sent > 0 ? static_cast<std::size_t>(sent) : 0);
  }
}

void live_lines::draw(const lines& now, const lines& brief) {
  if (!on_.live()) {
    for (const auto& each : brief) {
      auto text = rendered(each, {});
      if (std::find(said_.begin(), said_.end(), text) == said_.end()) {
        on_.write(text + "\n");
        said_.push_back(std::move(text));
      }
    }
    return;
  }
  std::string out;
  if (drawn_ != 0) {
    out = "\x1b[" + std::to_string(drawn_) + "A";
  }
  drawn_ = std::min(now.size(), std::max<std::size_t>(on_.rows(), 2) - 1);
  for (std::size_t i = 0; i < drawn_; ++i) {
    const bool rest = i + 1 == drawn_ && drawn_ < now.size();
    out.append("\r")
        .append(rendered(rest ? left_out(now.size() - i) : now[i], on_.fitted_style()))
        .append(to_line_end)
        .append("\n");
  }
  on_.write(out.append(to_screen_end));
}

void live_lines::clear() {
  if (on_.live() && drawn_ != 0) {
    on_.write("\x1b[" + std::to_string(std::exchange(drawn_, 0)) + "A\r" +
              std::string(to_screen_end));
  }
}

void live_lines::say(const line& text) {
  clear();
  on_.write(rendered(text, on_.free_style()) + "\n");
}

full_screen::full_screen(const terminal& on) : on_(on) {
  enter();
}

full_screen::~full_screen() {
  leave();
}

void full_screen::enter() const {
  on_.write("\x1b[?1049h\x1b[?25l");
}

void full_screen::leave() const {
  on_.write("\x1b[?25h\x1b[?1049l");
}

void full_screen::draw(const lines& now) const {
  const auto style = on_.fitted_style();
  const auto shown = std::min(now.size(), on_.rows());
  std::string out = "\x1b[H";
  for (std::size_t i = 0; i < shown; ++i) {
    // No line end behind the last one: it would scroll.
    const bool rest = i + 1 == shown && shown < now.size();
    out.append(i == 0 ? "" : "\n")
        .append(rendered(rest ? left_out(now.size() - i) : now[i], style))
        .append(to_line_end);
  }
  on_.write(out.append(to_screen_end));
}

held_signals::held_signals() {
  sigemptyset(&held_);
  for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH}) {
    sigaddset(&held_, each);
  }
  pthread_sigmask(SIG_BLOCK, &held_, &before_);
}

held_signals::~held_signals() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int held_signals::wait(std::chrono::nanoseconds limit) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
  const timespec time{seconds.count(), (limit - seconds).count()};
  return std::max(sigtimedwait(&held_, nullptr, &time), 0);
}

}  // namespace fleet::ctl
