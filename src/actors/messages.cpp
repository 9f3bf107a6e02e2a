// SPDX-License-Identifier: MIT
#include "fleet/actors/messages.hpp"

namespace fleet {

std::string to_string(probe_verdict v) {
  switch (v) {
    case probe_verdict::good:
      return "good";
    case probe_verdict::bad:
      return "bad";
    case probe_verdict::silent:
      return "silent";
    case probe_verdict::inconclusive:
      return "inconclusive";
  }
  return "unknown";
}

}  // namespace fleet
