// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace fleet::http {

/// An error the router itself answers with. `code` is stable and stands in the JSON body.
struct refusal {
  int status = 500;
  std::string_view code;
  std::string message;
};

}  // namespace fleet::http
