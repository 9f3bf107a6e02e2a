// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/session_id.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>

namespace fleet {

// The session id of a parsed body: none, one that is not valid as an empty text, or the id.
inline std::optional<std::string> session_by_parser(const boost::json::value& document) {
  const auto* object = document.if_object();
  const auto* member = object == nullptr ? nullptr : object->if_contains("session_id");
  if (member == nullptr || !member->is_string()) {
    return std::nullopt;
  }
  const std::string id(member->as_string());
  if (id.find_first_not_of(" \t\r\n") == std::string::npos) {
    return std::nullopt;
  }
  return valid_session_id(id) ? id : std::string();
}

}  // namespace fleet
