// SPDX-License-Identifier: MIT
#include "fleet/config/state_file.hpp"

#include "fields.hpp"
#include "json_text.hpp"
#include "one_line.hpp"
#include "text_file.hpp"

#include "fleet/core/timestamp.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <system_error>
#include <utility>

namespace fleet {

namespace {

namespace json = boost::json;

constexpr std::uint32_t this_version = 1;
constexpr std::size_t most_bytes = 64 * 1024 * 1024;
constexpr std::uint32_t highest_port = 65535;
constexpr std::uint32_t highest_device = 65534;

// -- to text ----------------------------------------------------------------

void put(json::object& to, const char* key, const std::string& text) {
  if (!text.empty()) {
    to[key] = text;
  }
}

/// What tells which process it is, and where.
void put_replica(json::object& to, const slot_record& record) {
  put(to, "host", record.host);
  put(to, "ssh", record.ssh);
  if (!record.devices.empty()) {
    to["devices"] = json::value_from(record.devices);
  }
  put(to, "address", record.address);
  if (record.port != 0) {
    to["port"] = record.port;
  }
  if (record.process.instance.empty()) {
    return;
  }
  to["instance"] = record.process.instance;
  to["process_group"] = record.process.process_group;
  to["launched_at"] = to_timestamp(record.launched_at);
  put(to, "birth", record.process.birth);
  if (record.process.log_begin != 0) {
    to["log_begin"] = record.process.log_begin;
  }
}

json::object object_of(const slot_record& record) {
  json::object out{{"slot", record.slot}};
  if (!record.reason.empty()) {
    out["reason"] = record.reason;
    out["since"] = to_timestamp(record.since);
    put(out, "detail", record.detail);
  }
  put_replica(out, record);
  return out;
}

// -- from text --------------------------------------------------------------

void read_time(fields& in, const char* key, wall_time& to) {
  std::string text;
  in.text(key, text);
  if (text.empty()) {
    return;
  }
  if (const auto time = parse_timestamp(text)) {
    to = *time;
  } else {
    in.say(key, "expected a time such as 2026-01-31T12:00:00Z");
  }
}

void read_devices(fields& in, slot_record& record) {
  in.whole_numbers("devices", highest_device, record.devices);
  if (std::set(record.devices.begin(), record.devices.end()).size() != record.devices.size()) {
    in.say("devices", "a device is given twice");
  }
}

void read_process(fields& in, slot_record& record) {
  auto& process = record.process;
  in.text("instance", process.instance);
  if (!process.instance.empty() && !is_instance(process.instance)) {
    in.say("instance", "expected 1 to 128 of A-Z a-z 0-9 . _ -");
  }
  std::uint32_t group = 0;
  in.whole_number("process_group", 0, std::numeric_limits<int>::max(), group);
  if (group == 1) {
    in.say("process_group", "expected 0 (unknown) or a group above 1");
  }
  process.process_group = static_cast<int>(group);
  in.text("birth", process.birth);
  in.whole_number("log_begin", 0, std::numeric_limits<std::int64_t>::max(), process.log_begin);
  read_time(in, "launched_at", record.launched_at);
}

slot_record read_record(const json::value& value, const std::string& where, bool reserved,
                        complaint& out) {
  slot_record record;
  fields in(value, where, out);
  in.require("slot");
  in.text("slot", record.slot);
  in.text("host", record.host);
  in.text("ssh", record.ssh);
  read_devices(in, record);
  in.text("address", record.address);
  in.whole_number("port", 1, highest_port, record.port);
  read_process(in, record);
  if (reserved) {
    in.text("reason", record.reason);
    in.text("detail", record.detail);
    read_time(in, "since", record.since);
    in.require("reason");
    in.require("since");
  } else {
    for (const auto* key :
         {"host", "devices", "address", "port", "instance", "process_group", "launched_at"}) {
      in.require(key);
    }
  }
  in.finish();
  return record;
}

/// Slots and instances; each may be recorded once.
class seen_before {
 public:
  void take(const slot_record& record, const std::string& where, complaint& out) {
    check(slots_, record.slot, where, ".slot", out);
    if (!record.process.instance.empty()) {
      check(instances_, record.process.instance, where, ".instance", out);
    }
  }

 private:
  using places = std::map<std::string, std::string>;

  static void check(places& known, const std::string& what, const std::string& where,
                    const char* key, complaint& out) {
    const auto [first, fresh] = known.emplace(what, where);
    if (!fresh) {
      out.say(where + key, first->second + " is about " + one_line(what) + ", too");
    }
  }

  places slots_;
  places instances_;
};

std::vector<slot_record> read_document(const json::value& document, complaint& out) {
  std::vector<slot_record> records;
  seen_before seen;
  fields in(document, "", out);
  std::uint32_t version = this_version;
  in.require("version");
  in.whole_number("version", 1, std::numeric_limits<std::uint32_t>::max(), version);
  if (version > this_version) {
    in.say("version", "written by a newer router: expected " + std::to_string(this_version) +
                          ", not " + std::to_string(version));
  }
  const auto read = [&](const char* key, bool reserved) {
    in.require(key);
    in.each(key, [&](const json::value& value, const std::string& where) {
      records.push_back(read_record(value, where, reserved, out));
      seen.take(records.back(), where, out);
    });
  };
  read("replicas", false);
  read("reservations", true);
  in.finish();
  return records;
}

}  // namespace

std::string state_text(const std::vector<slot_record>& records) {
  json::array replicas;
  json::array reservations;
  for (const auto& record : records) {
    (record.reason.empty() ? replicas : reservations).push_back(object_of(record));
  }
  return json::serialize(json::object{{"version", this_version},
                                      {"replicas", std::move(replicas)},
                                      {"reservations", std::move(reservations)}}) +
         "\n";
}

outcome<std::vector<slot_record>> parse_state(std::string_view text, std::string_view file) {
  const auto document = parse_json_text(text, file);
  if (!document) {
    return failure{document.error()};
  }
  complaint out;
  auto records = read_document(*document, out);
  if (out.made()) {
    return failure{std::string(file) + ": " + out.text()};
  }
  return records;
}

outcome<std::vector<slot_record>> read_state_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::status(path, error).type() == std::filesystem::file_type::not_found) {
    return std::vector<slot_record>{};
  }
  const auto text = read_text_file(path, most_bytes);
  if (!text) {
    return failure{text.error()};
  }
  return parse_state(*text, path);
}

}  // namespace fleet
