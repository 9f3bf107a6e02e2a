// SPDX-License-Identifier: MIT
// What an admin request says: `<name in its path>\n<body>`; and the error that quotes it.
#include "admin_text.hpp"
#include "response_head.hpp"
#include "support/judge.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <string>

namespace {

using namespace fleet::fuzz;
using namespace fleet::http;
namespace json = boost::json;

void check_body(std::string_view body) {
  const auto slot = slot_asked_for(body);
  if (!slot) {
    expect(is_utf8(slot.error()) && !has_control(slot.error()), "a refusal is one line");
    return;
  }
  json::error_code ec;
  const auto document = json::parse(json::string_view(body.data(), body.size()), ec);
  if (ec) {
    expect(slot->empty() && body.find_first_not_of(" \t\r\n") == std::string_view::npos,
           "without JSON any slot will do", *slot);
    return;
  }
  const auto& object = document.as_object();
  expect(object.size() == (slot->empty() ? 0 : 1), "the slot is the one member", *slot);
  expect(slot->empty() || object.at("slot").as_string() == *slot, "the slot is as given", *slot);
}

std::string percent_encoded(std::string_view text) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return out;
}

void check_name(std::string_view path) {
  const auto name = percent_decoded(path);
  expect(name.size() <= path.size(), "decoding adds nothing", name);
  expect(path.find('%') != std::string_view::npos || name == path, "the rest is kept", name);
  expect(percent_decoded(percent_encoded(path)) == path, "each byte can be spelt", name);
  const auto message = "there is no replica " + name;
  const auto text = error_json({404, "unknown_replica", message});
  expect(is_utf8(text) && !has_control(text), "an error is UTF-8 on one line", text);
  json::error_code ec;
  const auto document = json::parse(text, ec);
  expect(!ec, "an error is JSON", text);
  const auto& said = document.as_object().at("error").as_object().at("message").as_string();
  expect(!is_utf8(name) || has_control(name) || said == message, "a fit name is quoted", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  const auto line = std::min(text.find('\n'), text.size());
  check_name(text.substr(0, line));
  check_body(text.substr(std::min(line + 1, text.size())));
  return 0;
}
