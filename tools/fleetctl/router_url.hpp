// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/outcome.hpp"

#include <string>
#include <string_view>

namespace fleet::ctl {

/// Where the router is.
struct router_url {
  bool tls = false;
  std::string host = "127.0.0.1";  ///< IPv6 without brackets
  std::string port = "8000";
  std::string prefix;  ///< path in front of the router's own, no slash at its end

  /// For messages: `http://127.0.0.1:8000`.
  [[nodiscard]] std::string text() const;
  /// For the Host field: `127.0.0.1:8000`.
  [[nodiscard]] std::string authority() const;
};

/// `[http[s]://]host[:port][/prefix]`. Ports default to 8000, for https to 443. The failure says
/// what was wanted, and does not quote a URL that holds a password.
[[nodiscard]] outcome<router_url> parse_router_url(std::string_view text);

}  // namespace fleet::ctl
