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
  record({}, [](const std::string& /*why_not*/) {});
}

void slot_state::record_unconfirmed() {
  reason_ = stop_unconfirmed;
  record(reason_, [this](const std::string& /*why_not*/) { advance(slot_stage::unconfirmed); });
}

// And is free then. A record that stays by failure keeps a restarted router off the devices until
// an operator releases them, which is safe.
void slot_state::erase_record() {
  if (!setup_.journal) {
    advance(slot_stage::free);
    return;
  }
  const auto then = [this, step = step_] {
    if (step == step_)
      advance(slot_stage::free);
  };
  self_->request(setup_.journal, caf::infinite, erase_atom_v, setup_.slot.name)
      .then(then, [this, then](const caf::error& why) {
        record_failed(text_of(why));
        then();
      });
}

void slot_state::record(const std::string& reason,
                        std::function<void(const std::string& why_not)> then) {
  if (!setup_.journal) {
    then({});
    return;
  }
  self_
      ->request(setup_.journal, caf::infinite, record_atom_v,
                slot_record{.slot = setup_.slot.name,
                            .host = setup_.host.name,
                            .devices = setup_.slot.devices,
                            .address = setup_.slot.address,
                            .port = setup_.slot.port,
                            .process = process_,
                            .reason = reason,
                            .detail = failure_})
      .then(
          [step = step_, this, then] {
            if (step == step_)
              then({});
          },
          [step = step_, this, then](const caf::error& why) {
            record_failed(text_of(why));
            if (step == step_)
              then(text_of(why));
          });
}

void slot_state::record_failed(const std::string& why) {
  setup_.log->warn("record_failed", {{"slot", setup_.slot.name}, {"reason", why}});
}

}  // namespace fleet
