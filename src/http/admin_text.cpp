// SPDX-License-Identifier: MIT
#include "admin_text.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <charconv>

namespace fleet::http {

outcome<std::string> slot_asked_for(std::string_view body) {
  if (body.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return std::string();
  }
  boost::json::error_code ec;
  const auto value = boost::json::parse(boost::json::string_view(body.data(), body.size()), ec);
  const auto* object = ec ? nullptr : value.if_object();
  if (object == nullptr) {
    return failure{R"(the body must be empty or a JSON object like {"slot":"node02-d1"})"};
  }
  std::string slot;
  for (const auto& member : *object) {
    const auto* text = member.key() == "slot" ? member.value().if_string() : nullptr;
    if (text == nullptr || text->empty()) {
      return failure{R"(the body takes one member, "slot", a non-empty string)"};
    }
    slot.assign(text->data(), text->size());
  }
  return slot;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      out.push_back(static_cast<char>(value));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

std::string_view query_of(std::string_view target) {
  const auto mark = target.find('?');
  return mark == std::string_view::npos ? std::string_view{}
                                        : target.substr(mark + 1, target.find('#') - mark - 1);
}

namespace {

/// What a query gives for `key`; nothing: it does not.
std::optional<std::string_view> given_in(std::string_view query, std::string_view key) {
  while (!query.empty()) {
    const auto part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(part.size() + 1, query.size()));
    if (part.size() > key.size() && part.starts_with(key) && part[key.size()] == '=') {
      return part.substr(key.size() + 1);
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view value_in(std::string_view query, std::string_view key) {
  return given_in(query, key).value_or(std::string_view());
}

std::optional<std::uint64_t> number_in(std::string_view query, std::string_view key,
                                       std::uint64_t fallback) {
  const auto text = given_in(query, key);
  if (!text) {
    return fallback;
  }
  std::uint64_t number = 0;
  const auto* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace fleet::http
