// SPDX-License-Identifier: MIT
// What a slot puts on record, so that a router that starts after a crash knows what may be held.
// Contract section 8. Nothing is spawned without a record, and a record goes only once nothing is
// left; in between a write that fails costs nothing: what the disk still holds only reserves.
#include "slot.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <utility>

namespace fleet {

namespace {

constexpr const char* stop_unconfirmed = "stop-unconfirmed";

std::string text_of(const caf::error& why) {
  const auto& context = why.context();
  return context.match_elements<std::string>() ? context.get_as<std::string>(0) : to_string(why);
}

}  // namespace

void slot_state::record_intent() {
  record({}, [this](const std::string& why_not) {
    if (why_not.empty() && !unwanted_)
      return start_process();
    launch_failed(unwanted_ ? "not wanted any more" : "no record of it: " + why_not);
    erase_record();
  });
}

void slot_state::record_process() {
  record({}, nullptr);
}

void slot_state::record_unconfirmed() {
  be_held_for(stop_unconfirmed);
  record(reason_, [this](const std::string& /*why_not*/) { advance(slot_stage::unconfirmed); });
}

// And is free then. A record that stays by failure keeps a restarted router off the devices until
// an operator releases them, which is safe.
void slot_state::erase_record() {
  if (!setup_.journal) {
    advance(slot_stage::free);
    return;
  }
  after_record_ = [this](const std::string& /*why_not*/) { advance(slot_stage::free); };
  self_->request(setup_.journal, caf::infinite, erase_atom_v, setup_.slot.name)
      .then([this, step = step_] { recorded(step, {}); },
            [this, step = step_](const caf::error& why) { recorded(step, text_of(why)); });
}

void slot_state::record(const std::string& reason,
                        std::function<void(const std::string& why_not)> then) {
  if (!setup_.journal) {
    if (then)
      then({});
    return;
  }
  after_record_ = std::move(then);
  self_
      ->request(setup_.journal, caf::infinite, record_atom_v,
                slot_record{.slot = setup_.slot.name,
                            .host = setup_.host.name,
                            .ssh = setup_.host.ssh,
                            .devices = setup_.slot.devices,
                            .address = setup_.slot.address,
                            .port = setup_.slot.port,
                            .process = process_,
                            .reason = reason,
                            .detail = failure_})
      .then([this, step = step_] { recorded(step, {}); },
            [this, step = step_](const caf::error& why) { recorded(step, text_of(why)); });
}

void slot_state::recorded(std::uint64_t step, const std::string& why_not) {
  if (!why_not.empty())
    setup_.log->warn("record_failed", {{"slot", setup_.slot.name}, {"reason", why_not}});
  if (const auto then = step == step_ ? std::exchange(after_record_, nullptr) : nullptr)
    then(why_not);
}

}  // namespace fleet
