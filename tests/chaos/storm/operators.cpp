// SPDX-License-Identifier: MIT
#include "chaos/storm/operators.hpp"

#include "system/support/fleet_view.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace fleet::chaos {

namespace {

// What each call may be answered with: status, then code unless it went well.
const std::set<std::string>& known_answers(std::string_view method, const std::string& target) {
  static const std::set<std::string> post{"202",
                                          "409 pool_full",
                                          "409 at_ceiling",
                                          "409 slot_not_free",
                                          "502 launch_failed",
                                          "503 shutting_down"};
  static const std::set<std::string> remove{"200", "404 unknown_replica", "500 stop_unconfirmed",
                                            "503 shutting_down"};
  static const std::set<std::string> release{"200", "409 not_unconfirmed", "503 shutting_down"};
  return method == "DELETE" ? remove : target.starts_with("/slots") ? release : post;
}

std::string kind_of(const rig::message& answer) {
  const auto status = std::to_string(answer.status());
  if (answer.status() / 100 == 2)
    return status;
  try {
    return status + " " + rig::router_error(answer.body).code;
  } catch (const std::exception&) {
    return status + " without the documented body";
  }
}

}  // namespace

int call(arena& where, ledger& book, std::string_view method, const std::string& target,
         std::string_view body) {
  const auto what =
      std::string{method} + " " + target + (body.empty() ? "" : " " + std::string{body});
  book.note("operator: " + what);
  const auto begin = clock::now();
  const auto answer = where.admin(method, target, body);
  const bool router_harmed = book.harmed({harm::router}, "", begin, clock::now());
  std::string kind = "no answer";
  if (answer.status() != 0 && answer.complete()) {
    kind = kind_of(answer);
    if (!known_answers(method, target).contains(kind) || (answer.status() == 503 && !router_harmed))
      book.fail("operator: " + what + " is answered " + answer.head + answer.body);
  } else if (!router_harmed) {
    book.fail("operator: " + what + " gets no answer, and the router was not harmed");
  }
  book.note("operator: " + what + " -> " + kind);
  const auto slash = target.find('/', 1);
  book.count("operator " + std::string{method} + " " + target.substr(0, slash), kind);
  return answer.status();
}

void release_free_slots(arena& where, watcher& eyes, ledger& book) {
  const auto slots = where.slots();
  if (!slots)
    return;
  const auto holders = eyes.live();
  for (const auto& slot : *slots) {
    const bool held = std::any_of(holders.begin(), holders.end(),
                                  [&](const holder& each) { return each.device == slot.device; });
    if (slot.stage == "unconfirmed" && !held && eyes.free_since(slot.device) + 2s < clock::now())
      call(where, book, "POST", "/slots/" + slot.name + "/release");
  }
}

operators::operators(std::uint64_t seed, arena& where, watcher& eyes, ledger& book)
    : dice_{seed}, where_{where}, eyes_{eyes}, book_{book}, thread_{[this] { run(); }} {}

operators::~operators() {
  stop_ = true;
  thread_.join();
}

void operators::run() {
  while (!stop_) {
    std::this_thread::sleep_for(dice_.between(100ms, 900ms));
    if (where_.router_running())
      act();
  }
}

void operators::act() {
  const auto slot = arena::slot_of(dice_.below(arena::devices));
  switch (dice_.below(8)) {
    case 0:
    case 1:
    case 2:
      call(where_, book_, "POST", "/replicas");
      break;
    case 3:
      call(where_, book_, "POST", "/replicas", R"({"slot":")" + slot + "\"}");
      break;
    case 4:
      call(where_, book_, "DELETE", "/replicas/" + slot);
      break;
    default:
      release_free_slots(where_, eyes_, book_);
  }
}

}  // namespace fleet::chaos
