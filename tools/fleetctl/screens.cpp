// SPDX-License-Identifier: MIT
#include "screens.hpp"

#include "text.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace fleet::ctl {

namespace {

std::string age(const std::optional<wall_time>& since, wall_time now) {
  return since ? span_text(now - *since) : std::string();
}

std::string both(const std::string& reason, const std::string& detail) {
  return reason + (reason.empty() || detail.empty() ? "" : ": ") + detail;
}

std::string for_some_time(const std::optional<wall_time>& since, wall_time now) {
  return since ? " for " + age(since, now) : std::string();
}

/// "2 ready, 1 starting", in the order the words first come.
std::string counted(const std::vector<std::string>& words) {
  std::vector<std::string> order;
  std::map<std::string, std::size_t> counts;
  for (const auto& word : words) {
    if (counts[word]++ == 0) {
      order.push_back(word);
    }
  }
  std::string out;
  for (const auto& word : order) {
    out += (out.empty() ? "" : ", ") + std::to_string(counts[word]) + " " + word;
  }
  return out.empty() ? "none" : out;
}

template <class All, class Word>
std::vector<std::string> words_of(const All& all, Word word) {
  std::vector<std::string> out;
  std::transform(all.begin(), all.end(), std::back_inserter(out), word);
  return out;
}

line row(const char* name, std::vector<span> rest) {
  line out{{name, paint::dim}};
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

std::string traffic(const fleet_picture& all) {
  const auto& totals = all.totals;
  std::uint64_t outstanding = 0;
  for (const auto& each : all.members.replicas) {
    outstanding += each.outstanding;
  }
  const auto share = totals.routed == 0
                         ? std::string()
                         : " (" + std::to_string(totals.affinity_hits * 100 / totals.routed) + "%)";
  return std::to_string(totals.sessions) + " sessions, " + std::to_string(totals.routed) +
         " routed, " + std::to_string(totals.affinity_hits) + " to their pin" + share + ", " +
         std::to_string(totals.rejected) + " rejected, " + std::to_string(outstanding) +
         " in flight";
}

lines totals_of(const fleet_picture& all) {
  const bool ok = all.totals.status == "ok";
  const auto version = all.version.empty() ? "" : ", version " + all.version;
  auto phases = words_of(all.members.replicas, [](const replica& r) { return r.phase; });
  auto stages = words_of(all.slots, [](const slot& s) { return s.stage; });
  lines out{row("router    ",
                {{all.url + version + ": "}, {all.totals.status, ok ? paint::good : paint::bad}}),
            row("replicas  ", {{counted(phases)}})};
  if (!stages.empty()) {
    out.push_back(
        row("slots     ", {{std::to_string(stages.size()) + ": " + counted(stages) + "; at most " +
                            std::to_string(all.members.left.ceiling) + " in use"}}));
  }
  out.push_back(row("traffic   ", {{traffic(all)}}));
  return out;
}

/// Whether a launch that failed for this reason has left something in its log.
bool ran(std::string_view reason) {
  return reason.find("its log ends") != std::string_view::npos || reason.starts_with("not ready");
}

concern unconfirmed(const slot_note& each, wall_time now) {
  const auto why = " (" + both(each.reason, each.detail) + ")" + for_some_time(each.since, now);
  const auto release = "fleetctl release " + each.slot;
  if (each.reason == "unreachable-at-startup") {
    return {each.slot + ": what ran there before the router's restart does not answer" + why,
            "it may still be loading; when it is gone for certain: " + release};
  }
  if (each.reason == "no-longer-declared") {
    return {each.slot + ": launched once, and no longer in the fleet file" + why,
            "stop it on its machine, then: " + release};
  }
  return {each.slot + ": nobody could confirm that its replica is gone" + why,
          "look at its machine, then: " + release};
}

}  // namespace

paint paint_of(std::string_view word) {
  static const std::map<std::string_view, paint> paints{
      {"ready", paint::good},      {"serving", paint::good},  {"failed", paint::bad},
      {"unconfirmed", paint::bad}, {"abandoned", paint::bad}, {"free", paint::dim},
      {"starting", paint::busy},   {"draining", paint::busy}, {"reserved", paint::busy},
      {"launching", paint::busy},  {"loading", paint::busy},  {"stopping", paint::busy},
      {"confirming", paint::busy}, {"waiting", paint::busy}};
  const auto found = paints.find(word);
  return found == paints.end() ? paint::plain : found->second;
}

lines replica_lines(const std::vector<replica>& replicas, wall_time now, bool wide) {
  std::vector<std::string> heads{"REPLICA", "PHASE", "FOR", ">IN FLIGHT", ">ROUTED", "LAUNCHED"};
  if (wide) {
    heads.insert(heads.end(), {"URL", "HOST", "DEVICES", "LOG"});
  }
  heads.emplace_back("REASON");
  table out(std::move(heads));
  for (const auto& each : replicas) {
    line cells{{each.name},
               {each.phase, paint_of(each.phase)},
               {age(each.since, now)},
               {std::to_string(each.outstanding)},
               {std::to_string(each.routed)},
               {each.owned ? "here" : "elsewhere"}};
    if (wide) {
      cells.insert(cells.end(), {{each.url}, {each.host}, {each.devices}, {each.log}});
    }
    cells.push_back({each.reason});
    out.add(std::move(cells));
  }
  return out.layout();
}

lines slot_lines(const std::vector<slot>& slots, wall_time now, bool wide) {
  std::vector<std::string> heads{"SLOT", "STAGE", "FOR", "HOST", "DEVICES", "ADDRESS"};
  if (wide) {
    heads.insert(heads.end(), {">IN FLIGHT", ">ROUTED", "LOG"});
  }
  heads.emplace_back("REASON");
  table out(std::move(heads));
  for (const auto& each : slots) {
    line cells{{each.name},
               {each.stage, paint_of(each.stage)},
               {age(each.since, now)},
               {each.host},
               {each.devices},
               {each.address}};
    const auto running = each.running.value_or(replica{});
    if (wide) {
      cells.insert(
          cells.end(),
          {{std::to_string(running.outstanding)}, {std::to_string(running.routed)}, {each.log}});
    }
    const auto reason = both(each.reason, each.detail);
    cells.push_back({reason.empty() ? running.reason : reason});
    out.add(std::move(cells));
  }
  return out.layout();
}

std::vector<concern> concerns_of(const fleet_picture& all, wall_time now) {
  std::vector<concern> out;
  const auto& left = all.members.left;
  for (const auto& each : left.unconfirmed) {
    out.push_back(unconfirmed(each, now));
  }
  for (const auto& each : left.abandoned) {
    out.push_back(
        {each.slot + ": given up after " + std::to_string(each.count) + " replicas lost in a row" +
             for_some_time(each.since, now),
         "fleetctl logs " + each.slot + ", and when that is put right: fleetctl add " + each.slot});
  }
  for (const auto& each : left.failed_launches) {
    out.push_back(
        {each.slot + ": its last launch failed " + age(each.since, now) + " ago: " + each.reason,
         (ran(each.reason) ? "fleetctl logs " + each.slot + ", and when" : "when") +
             " that is put right: fleetctl add " + each.slot});
  }
  for (const auto& each : all.members.replicas) {
    if (each.phase == "failed") {
      out.push_back({each.name + ": stopped answering" + for_some_time(each.since, now) + " (" +
                         each.reason + ")",
                     each.owned
                         ? "fleetctl logs " + each.slot
                         : "look at " + each.url + "; once it answers it takes turns again"});
    } else if (each.phase == "starting" && !each.owned) {
      out.push_back({each.name + ": never answered" + for_some_time(each.since, now) + " (" +
                         each.reason + ")",
                     "start what the fleet file says is at " + each.url});
    }
  }
  const bool any = std::any_of(all.members.replicas.begin(), all.members.replicas.end(),
                               [](const replica& r) { return r.ready || r.phase == "starting"; });
  if (!any && !left.free_slots.empty()) {
    out.push_back({"no replica serves, and none is starting", "fleetctl add --wait"});
  }
  return out;
}

namespace {

void append_concerns(lines& out, const fleet_picture& all, wall_time now) {
  out.emplace_back();
  const auto concerns = concerns_of(all, now);
  if (concerns.empty()) {
    out.push_back({{"nothing needs a human", paint::dim}});
  } else {
    out.push_back({{"needs a human", paint::bold}});
  }
  for (const auto& each : concerns) {
    out.push_back({{"  " + each.what, paint::bad}});
    out.push_back({{"    " + each.fix}});
  }
}

}  // namespace

lines status_lines(const fleet_picture& all, wall_time now, bool concerns_first) {
  auto out = totals_of(all);
  if (concerns_first) {
    append_concerns(out, all, now);
  }
  if (!all.members.replicas.empty()) {
    out.emplace_back();
    append(out, replica_lines(all.members.replicas, now, false));
  }
  std::vector<slot> others;
  std::copy_if(all.slots.begin(), all.slots.end(), std::back_inserter(others),
               [](const slot& each) { return !each.running; });
  if (!others.empty()) {
    out.emplace_back();
    append(out, slot_lines(others, now, false));
  }
  if (!concerns_first) {
    append_concerns(out, all, now);
  }
  return out;
}

}  // namespace fleet::ctl
