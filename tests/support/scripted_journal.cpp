// SPDX-License-Identifier: MIT
#include "support/scripted_journal.hpp"

#include <caf/typed_response_promise.hpp>

#include <utility>

namespace fleet {

std::string journal_script::story(const std::string& slot) const {
  std::string all;
  for (const auto& x : asked) {
    if (x.slot == slot)
      all += (all.empty() ? "" : " ") + x.what + (x.reason.empty() ? "" : ":" + x.reason);
  }
  return all;
}

scripted_journal_actor::behavior_type scripted_journal(
    scripted_journal_actor::stateful_pointer<scripted_journal_state> self,
    std::shared_ptr<journal_script> script) {
  const auto later = [=](std::function<void()> change) -> caf::result<void> {
    auto& st = self->state;
    auto promise = self->make_response_promise();
    st.waiting[++st.last] = [=, failure = script->failure]() mutable {
      if (failure.empty()) {
        change();
        promise.deliver(caf::unit);
      } else {
        promise.deliver(caf::make_error(caf::sec::runtime_error, failure));
      }
    };
    if (script->after > std::chrono::nanoseconds(0))
      self->delayed_send(self, script->after, tick_atom_v, st.last);
    else
      self->send(self, tick_atom_v, st.last);
    return caf::delegated<void>{};
  };
  return {
      [=](record_atom, const slot_record& record) {
        script->asked.push_back({"record", record.slot, record.reason});
        return later([=] { script->held[record.slot] = record; });
      },
      [=](erase_atom, const std::string& slot) {
        script->asked.push_back({"erase", slot, {}});
        return later([=] { script->held.erase(slot); });
      },
      [=](tick_atom, std::uint64_t change) { self->state.waiting.extract(change).mapped()(); },
  };
}

}  // namespace fleet
