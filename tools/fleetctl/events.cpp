// SPDX-License-Identifier: MIT
// events and session: what happened, and why a conversation is where it is.
#include "actions.hpp"
#include "event_stream.hpp"
#include "text.hpp"

#include <cstdio>
#include <deque>
#include <thread>

namespace fleet::ctl {

namespace {

constexpr std::chrono::seconds before_retry{1};
/// The router sends a comment every 15 s.
constexpr std::chrono::seconds longest_silence{40};

bool as_json(const session& at) {
  return at.asked.json || at.asked.output == output_format::json;
}

/// Events as they come: those there were until the command began, their last ones first, then what
/// follows.
class event_feed {
 public:
  /// `last`: the newest event when the command began.
  event_feed(const session& at, std::string last) : at_(at), last_(std::move(last)) {
    caught_up_ = number_of_event(last_) == 0;
  }

  /// Until it is done, see done(), or the answer ends.
  answer read() {
    stream_reader reader;
    const request question{.target = "/events?after=" + encoded(place_), .limit = longest_silence};
    return at_.router.follow(question, [&](std::string_view piece) {
      heard_ = true;
      reader.feed(piece);
      while (const auto message = reader.next()) {
        hear(*message);
      }
      return !done();
    });
  }

  /// Nothing more is asked for, or nobody reads it any more.
  [[nodiscard]] bool done() const {
    return (caught_up_ && !at_.asked.follow) || at_.screen.write_error();
  }

  /// Whether a stream was open since this was asked last.
  [[nodiscard]] bool heard() { return std::exchange(heard_, false); }

 private:
  void hear(const stream_message& message) {
    if (message.name == "reset") {
      reset_ = true;
    }
    if (message.id.empty() || known(message.id)) {
      return;
    }
    if (std::exchange(reset_, false) && caught_up_) {
      std::fputs(boot_of_event(message.id) == boot_of_event(place_)
                     ? "fleetctl: some events were missed\n"
                     : "fleetctl: this is another router process, its events begin here\n",
                 stderr);
    }
    place_ = message.id;
    kept_.push_back(message);
    if (kept_.size() > at_.asked.tail && !caught_up_) {
      kept_.pop_front();
    }
    caught_up_ = caught_up_ || number_of_event(message.id) >= number_of_event(last_) ||
                 boot_of_event(message.id) != boot_of_event(last_);
    if (caught_up_) {
      show();
    }
  }

  [[nodiscard]] bool known(std::string_view id) const {
    return boot_of_event(id) == boot_of_event(place_) &&
           number_of_event(id) <= number_of_event(place_);
  }

  void show() {
    for (const auto& each : std::exchange(kept_, {})) {
      if (as_json(at_)) {
        at_.screen.write((at_.screen.live() ? printable(each.data) : each.data) + "\n");
      } else if (at_.asked.output == output_format::name) {
        at_.screen.write(printable(each.id) + "\n");
      } else {
        at_.screen.write(rendered(event_line(read_event(each.data)), at_.screen.free_style()) +
                         "\n");
      }
    }
  }

  const session& at_;
  const std::string last_;
  std::string place_ = "0";
  std::deque<stream_message> kept_;
  bool caught_up_ = false;
  bool reset_ = false;
  bool heard_ = false;
};

}  // namespace

int show_events(const session& at) {
  const auto now = at.router.get("/snapshot");
  const auto last = read_text(now.body, "last_event");
  if (now.router == reached::no || !now.good() || last.empty()) {
    return complain(at, now);
  }
  event_feed feed(at, last);
  bool told = false;
  while (!feed.done()) {
    const auto got = feed.read();
    if (at.late()) {
      return exit_timed_out;
    }
    if (got.router == reached::yes && !got.good()) {
      return complain(at, got);
    }
    told = told && !feed.heard();
    if (!feed.done() && !std::exchange(told, true)) {
      std::fprintf(stderr, "fleetctl: %s has ended the events; waiting for it\n",
                   at.router.router().text().c_str());
    }
    if (!feed.done()) {
      std::this_thread::sleep_for(before_retry);
    }
  }
  return exit_done;
}

int show_session(const session& at) {
  const auto got = at.router.get("/sessions/" + encoded(at.asked.operands.front()));
  const auto found = read_session(got.body);
  if (got.router == reached::no || !got.good() || !found) {
    return complain(at, got);
  }
  if (at.asked.output == output_format::json) {
    at.screen.write((at.screen.live() ? printable(got.body) : got.body) + "\n");
  } else if (at.asked.output == output_format::name) {
    at.screen.write(printable(found->replica) + "\n");
  } else {
    at.screen.write(rendered(session_lines(*found), at.screen.free_style()));
  }
  return exit_done;
}

}  // namespace fleet::ctl
