// SPDX-License-Identifier: MIT
#include "model.hpp"

#include "text.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace fleet::ctl {

namespace {

namespace json = boost::json;

const json::object& no_object() {
  static const json::object none;
  return none;
}

std::optional<json::object> parsed(std::string_view text) {
  json::error_code ec;
  auto value = json::parse(json::string_view(text.data(), text.size()), ec);
  if (ec || !value.is_object()) {
    return std::nullopt;
  }
  return std::move(value.get_object());
}

const json::value* member(const json::object& of, std::string_view key) {
  return of.if_contains(json::string_view(key.data(), key.size()));
}

std::string text(const json::object& of, std::string_view key) {
  const auto* found = member(of, key);
  const auto* value = found != nullptr ? found->if_string() : nullptr;
  return value != nullptr ? std::string(value->data(), value->size()) : std::string();
}

bool flag(const json::object& of, std::string_view key) {
  const auto* found = member(of, key);
  return found != nullptr && found->is_bool() && found->get_bool();
}

double number(const json::object& of, std::string_view key) {
  const auto* found = member(of, key);
  json::error_code ec;
  const double value = found != nullptr && found->is_number() ? found->to_number<double>(ec) : 0;
  return ec ? 0 : value;
}

std::uint64_t count(const json::object& of, std::string_view key) {
  const auto* found = member(of, key);
  json::error_code ec;
  const auto value =
      found != nullptr && found->is_number() ? found->to_number<std::uint64_t>(ec) : 0;
  return ec ? 0 : value;
}

std::chrono::nanoseconds seconds(const json::object& of, std::string_view key) {
  return std::chrono::seconds(count(of, key));
}

const json::object& object(const json::object& of, std::string_view key) {
  const auto* found = member(of, key);
  return found != nullptr && found->is_object() ? found->get_object() : no_object();
}

template <class Take>
void each_of(const json::object& of, std::string_view key, Take take) {
  const auto* found = member(of, key);
  if (found != nullptr && found->is_array()) {
    for (const auto& entry : found->get_array()) {
      take(entry);
    }
  }
}

std::string number_list(const json::object& of, std::string_view key) {
  std::string out;
  each_of(of, key, [&out](const json::value& entry) {
    json::error_code ec;
    const auto value = entry.is_number() ? entry.to_number<std::uint64_t>(ec) : 0;
    out += (out.empty() ? "" : ",") + std::to_string(value);
  });
  return out;
}

replica replica_of(const json::object& from) {
  return {.name = text(from, "name"),
          .url = text(from, "url"),
          .phase = text(from, "phase"),
          .reason = text(from, "reason"),
          .slot = text(from, "slot"),
          .devices = number_list(from, "devices"),
          .host = text(from, "host"),
          .log = text(from, "log"),
          .log_line = text(object(from, "launch"), "log_line"),
          .ready = flag(from, "ready"),
          .owned = flag(from, "owned"),
          .draining = flag(from, "draining"),
          .outstanding = count(from, "outstanding"),
          .routed = count(from, "routed"),
          .since = utc_time(text(from, "since"))};
}

std::vector<slot_note> notes_of(const json::object& from, std::string_view key) {
  std::vector<slot_note> out;
  each_of(from, key, [&out](const json::value& entry) {
    if (const auto* of = entry.if_object()) {
      out.push_back({.slot = text(*of, "slot"),
                     .reason = text(*of, "reason"),
                     .detail = text(*of, "detail"),
                     .count = std::max(count(*of, "losses"), count(*of, "attempt")),
                     .retry_in = number(*of, "retry_in"),
                     .since = utc_time(text(*of, "since"))});
    }
  });
  return out;
}

capacity capacity_of(const json::object& from) {
  capacity out{.owned = count(from, "owned"), .ceiling = count(from, "ceiling")};
  each_of(from, "free_slots", [&out](const json::value& entry) {
    if (const auto* name = entry.if_string()) {
      out.free_slots.emplace_back(name->data(), name->size());
    }
  });
  out.unconfirmed = notes_of(from, "unconfirmed");
  out.abandoned = notes_of(from, "abandoned");
  out.replacing = notes_of(from, "replacing");
  out.failed_launches = notes_of(from, "failed_launches");
  return out;
}

slot slot_of(const json::object& from) {
  slot out{.name = text(from, "name"),
           .host = text(from, "host"),
           .devices = number_list(from, "devices"),
           .log = text(from, "log"),
           .stage = text(from, "stage"),
           .reason = text(from, "reason"),
           .detail = text(from, "detail"),
           .since = utc_time(text(from, "since"))};
  const auto address = text(from, "address");
  out.address = (address.find(':') == std::string::npos ? address : "[" + address + "]") + ":" +
                std::to_string(count(from, "port"));
  if (from.contains("drain_left")) {
    out.drain_left = std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(number(from, "drain_left")));
  }
  if (const auto* running = member(from, "replica"); running != nullptr && running->is_object()) {
    out.running = replica_of(running->get_object());
  }
  return out;
}

}  // namespace

const replica* pool::find(std::string_view name) const {
  const auto found = std::find_if(replicas.begin(), replicas.end(),
                                  [name](const replica& each) { return each.name == name; });
  return found == replicas.end() ? nullptr : &*found;
}

std::optional<pool> read_pool(std::string_view json) {
  const auto from = parsed(json);
  if (!from || !from->contains("replicas")) {
    return std::nullopt;
  }
  pool out;
  each_of(*from, "replicas", [&out](const json::value& entry) {
    if (const auto* each = entry.if_object()) {
      out.replicas.push_back(replica_of(*each));
    }
  });
  out.left = capacity_of(object(*from, "capacity"));
  return out;
}

std::optional<health> read_health(std::string_view json) {
  const auto from = parsed(json);
  if (!from) {
    return std::nullopt;
  }
  return health{.status = text(*from, "status"),
                .sessions = count(*from, "sessions"),
                .routed = count(*from, "routed"),
                .affinity_hits = count(*from, "affinity_hits"),
                .rejected = count(*from, "rejected")};
}

std::optional<std::vector<slot>> read_slots(std::string_view json) {
  const auto from = parsed(json);
  if (!from || !from->contains("slots")) {
    return std::nullopt;
  }
  std::vector<slot> out;
  each_of(*from, "slots", [&out](const json::value& entry) {
    if (const auto* each = entry.if_object()) {
      out.push_back(slot_of(*each));
    }
  });
  return out;
}

std::optional<replica> read_replica(std::string_view json) {
  const auto from = parsed(json);
  return from ? std::optional(replica_of(*from)) : std::nullopt;
}

fleet_event read_event(std::string_view json) {
  fleet_event out;
  const auto from = parsed(json).value_or(json::object());
  for (const auto& each : from) {
    const auto* value = each.value().if_string();
    if (value == nullptr) {
      continue;
    }
    std::string told(value->data(), value->size());
    if (each.key() == "at") {
      out.at = std::move(told);
    } else if (each.key() == "event") {
      out.name = std::move(told);
    } else {
      out.fields.emplace_back(std::string(each.key()), std::move(told));
    }
  }
  return out;
}

std::optional<conversation> read_session(std::string_view json) {
  const auto from = parsed(json);
  if (!from || text(*from, "replica").empty()) {
    return std::nullopt;
  }
  const auto& move = object(*from, "last_move");
  return conversation{.id = text(*from, "session"),
                      .replica = text(*from, "replica"),
                      .age = seconds(*from, "age_s"),
                      .turns = count(*from, "turns"),
                      .in_flight = count(*from, "in_flight"),
                      .last = text(*from, "last"),
                      .moved = !move.empty(),
                      .from = text(move, "from"),
                      .why = text(move, "why"),
                      .moved_age = seconds(move, "age_s")};
}

refusal read_refusal(std::string_view json) {
  const auto from = parsed(json);
  if (!from) {
    return {};
  }
  return {.message = text(*from, "message"), .code = text(object(*from, "error"), "code")};
}

std::string read_text(std::string_view json, std::string_view key) {
  const auto from = parsed(json);
  return from ? text(*from, key) : std::string();
}

}  // namespace fleet::ctl
