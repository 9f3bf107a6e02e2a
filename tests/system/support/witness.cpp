// SPDX-License-Identifier: MIT
#include "system/support/witness.hpp"

#include <algorithm>

namespace fleet::rig {

holdings held_by(router_process& r) {
  auto& process = r.process();
  return {process.descriptors(), process.threads(), process.resident_kib()};
}

bool back_to(router_process& r, const holdings& before, std::size_t kib) {
  return becomes_idle(r.port()) && eventually([&] {
           const auto now = held_by(r);
           return now.descriptors <= before.descriptors && now.threads <= before.threads &&
                  now.resident_kib <= before.resident_kib + growth_kib(kib);
         });
}

void witness::stream(replica_turn& turn) {
  turn.send(stream_head);
  for (int i = 0; turn.send(event(i)) && turn.pause(20ms); ++i) {
  }
}

witness::witness(std::uint16_t port) : client_{port} {
  client_.send(chat("witness"));
  reader_ = std::thread{[this] {
    answer_ = client_.read_response_by_pieces(
        [this](const message& so_far) {
          const auto now = clock::now();
          longest_ = std::max(longest_, std::chrono::duration_cast<milliseconds>(now - last_));
          last_ = now;
          note(so_far.pieces.back().bytes);
        },
        1h);
  }};
}

witness::~witness() {
  stop();
}

// Events that waited come together.
void witness::note(std::string_view bytes) {
  unread_ += bytes;
  auto next = event_text(events_);
  for (; unread_.starts_with(next); next = event_text(++events_))
    unread_.erase(0, next.size());
  in_order_ = in_order_ && next.starts_with(unread_);
}

void witness::stop() {
  if (reader_.joinable()) {
    client_.interrupt();
    reader_.join();
  }
}

std::string witness::complaint(milliseconds gap) {
  eventually([this] { return events_ > 5; });
  const auto now = clock::now();
  stop();
  const auto since_last = std::chrono::duration_cast<milliseconds>(now - last_);
  const auto longest = std::max(longest_, since_last);
  if (events_ <= 5 || !in_order_)
    return std::to_string(events_) + (in_order_ ? " events" : " events, and one out of place");
  return longest < gap ? "" : "stood still for " + std::to_string(longest.count()) + " ms";
}

}  // namespace fleet::rig
