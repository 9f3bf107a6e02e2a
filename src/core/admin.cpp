// SPDX-License-Identifier: MIT
#include "fleet/core/admin.hpp"

namespace fleet {

std::string to_string(grow_outcome o) {
  switch (o) {
    case grow_outcome::accepted:
      return "accepted";
    case grow_outcome::pool_full:
      return "pool_full";
    case grow_outcome::at_ceiling:
      return "at_ceiling";
    case grow_outcome::slot_not_free:
      return "slot_not_free";
    case grow_outcome::unknown_slot:
      return "unknown_slot";
    case grow_outcome::launch_failed:
      return "launch_failed";
    case grow_outcome::shutting_down:
      return "shutting_down";
  }
  return "unknown";
}

std::string to_string(shrink_outcome o) {
  switch (o) {
    case shrink_outcome::stopped:
      return "stopped";
    case shrink_outcome::unknown:
      return "unknown_replica";
    case shrink_outcome::not_owned:
      return "not_owned";
    case shrink_outcome::unconfirmed:
      return "stop_unconfirmed";
    case shrink_outcome::shutting_down:
      return "shutting_down";
  }
  return "unknown";
}

std::string to_string(release_outcome o) {
  switch (o) {
    case release_outcome::released:
      return "released";
    case release_outcome::unknown:
      return "unknown_slot";
    case release_outcome::not_unconfirmed:
      return "not_unconfirmed";
    case release_outcome::shutting_down:
      return "shutting_down";
  }
  return "unknown";
}

}  // namespace fleet
