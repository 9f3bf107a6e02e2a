// SPDX-License-Identifier: MIT
#include "fleet/core/replica.hpp"
#include "fleet/core/turn.hpp"

namespace fleet {

std::string authority(const endpoint& where) {
  const bool v6 = where.host.find(':') != std::string::npos;
  return (v6 ? "[" + where.host + "]" : where.host) + ":" + std::to_string(where.port);
}

std::string url(const endpoint& where) {
  return (where.tls ? "https://" : "http://") + authority(where);
}

std::string to_string(phase p) {
  switch (p) {
    case phase::starting:
      return "starting";
    case phase::ready:
      return "ready";
    case phase::draining:
      return "draining";
    case phase::failed:
      return "failed";
  }
  return "unknown";
}

std::string to_string(affinity a) {
  switch (a) {
    case affinity::none:
      return "none";
    case affinity::fresh:
      return "fresh";
    case affinity::hit:
      return "hit";
    case affinity::moved_load:
      return "moved_load";
    case affinity::moved_gone:
      return "moved_gone";
    case affinity::expired:
      return "expired";
  }
  return "unknown";
}

std::string to_string(no_route n) {
  switch (n) {
    case no_route::no_replica:
      return "no_replica";
    case no_route::all_tried:
      return "all_tried";
    case no_route::shutting_down:
      return "shutting_down";
  }
  return "unknown";
}

std::string to_string(turn_outcome o) {
  switch (o) {
    case turn_outcome::done:
      return "done";
    case turn_outcome::client_gone:
      return "client_gone";
    case turn_outcome::connect_failed:
      return "connect_failed";
    case turn_outcome::replica_failed:
      return "replica_failed";
    case turn_outcome::timed_out:
      return "timed_out";
    case turn_outcome::aborted:
      return "aborted";
  }
  return "unknown";
}

}  // namespace fleet
