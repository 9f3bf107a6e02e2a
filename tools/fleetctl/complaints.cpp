// SPDX-License-Identifier: MIT
#include "actions.hpp"
#include "text.hpp"

#include <cstdio>
#include <map>

namespace fleet::ctl {

namespace {

/// What to try after a refusal, by its code; `slot`: the one it names, if any.
std::string next_step(const std::string& code, const std::string& slot) {
  if (code == "stop_unconfirmed" && !slot.empty()) {
    return "; look at its machine, then `fleetctl release " + printable(slot) + "`";
  }
  static const std::map<std::string, std::string> steps{
      {"pool_full", "`fleetctl slots` shows what holds them; `fleetctl remove NAME` frees one"},
      {"at_ceiling",
       "`fleetctl remove NAME` makes room, or start the router with a higher "
       "--max-replicas"},
      {"slot_not_free", "`fleetctl slots` shows what holds it"},
      {"unknown_slot", "`fleetctl slots` lists them"},
      {"unknown_replica", "`fleetctl replicas` lists them"},
      {"not_owned", "stop it where it was started"},
      {"not_unconfirmed", "only unconfirmed slots need a release; see `fleetctl slots`"},
      {"launch_failed", "`fleetctl slots` shows where each slot stands"},
      {"unknown_session",
       "it may have expired, or its replica was drained; its next turn gets a new pin"},
      {"too_many_followers", "end another `fleetctl events -f` or dashboard"},
      {"log_unreadable", "`fleetctl slots` shows whether anything was launched there"},
      {"shutting_down", "start the router again"},
      {"not_found", "is this router older than fleetctl? see `fleetctl version`"}};
  const auto found = steps.find(code);
  return found == steps.end() ? std::string() : "; " + found->second;
}

complaint unreachable(const answer& from, const client& router) {
  const auto& where = router.router();
  if (from.late) {
    return {exit_timed_out, "timed out: no answer from " + where.text() + " within --timeout"};
  }
  std::string text = "cannot reach " + where.text() + ": " + from.failure;
  if (from.failure.find("certificate") != std::string::npos) {
    text += "; name its CA with --ca-file";
  } else if (where.tls) {
    text += "; is it https there? The router itself speaks http";
  } else {
    text += "; is the router running there? --router URL or FLEETCTL_ROUTER names another";
  }
  return {exit_unreachable, std::move(text)};
}

}  // namespace

complaint complaint_of(const answer& from, const client& router) {
  if (from.router == reached::no) {
    return unreachable(from, router);
  }
  if (from.status == 401) {
    return {exit_refused, router.has_token()
                              ? "the router does not accept this token; is it the one of its "
                                "--admin-token-file?"
                              : "the router wants its admin token: give --token-file FILE or set "
                                "FLEETCTL_TOKEN"};
  }
  const auto said = read_refusal(from.body);
  if (said.message.empty() && said.code.empty()) {
    return {exit_unreachable, router.router().text() + " does not answer like a router (status " +
                                  std::to_string(from.status) +
                                  "); --router URL or FLEETCTL_ROUTER names another"};
  }
  const auto& what = said.message.empty() ? said.code : said.message;
  return {exit_refused, printable(what) + next_step(said.code, read_text(from.body, "slot"))};
}

int complain(const complaint& what) {
  std::fprintf(stderr, "fleetctl: %s\n", what.text.c_str());
  return what.status;
}

int complain(const session& at, const answer& from) {
  return complain(complaint_of(from, at.router));
}

}  // namespace fleet::ctl
