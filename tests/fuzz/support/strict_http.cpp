// SPDX-License-Identifier: MIT
#include "strict_http.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace fleet::fuzz {

namespace {

/// Up to the next CRLF, which goes, too. Nothing when there is none or the line holds CR, LF or
/// NUL.
std::optional<std::string_view> take_line(std::string_view& bytes) {
  const auto end = bytes.find("\r\n");
  if (end == std::string_view::npos) {
    return std::nullopt;
  }
  const auto line = bytes.substr(0, end);
  using namespace std::string_view_literals;
  if (line.find_first_of("\r\n\0"sv) != std::string_view::npos) {
    return std::nullopt;
  }
  bytes.remove_prefix(end + 2);
  return line;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  return first == std::string_view::npos
             ? std::string_view{}
             : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

std::optional<std::uint64_t> whole_number(std::string_view text, int base) {
  std::uint64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto got = std::from_chars(text.data(), end, number, base);
  return !text.empty() && got.ec == std::errc{} && got.ptr == end ? std::optional(number)
                                                                  : std::nullopt;
}

bool take_fields(std::string_view& bytes, strict_message& into) {
  while (const auto line = take_line(bytes)) {
    if (line->empty()) {
      return true;
    }
    const auto colon = std::min(line->find(':'), line->size());
    if (colon == line->size() || !is_token(line->substr(0, colon))) {
      return false;
    }
    into.fields.emplace_back(line->substr(0, colon), trimmed(line->substr(colon + 1)));
  }
  return false;
}

bool take_bytes(std::string_view& bytes, std::uint64_t count, std::string& body) {
  if (bytes.size() < count) {
    return false;
  }
  body.append(bytes.substr(0, static_cast<std::size_t>(count)));
  bytes.remove_prefix(static_cast<std::size_t>(count));
  return true;
}

bool take_chunks(std::string_view& bytes, std::string& body) {
  while (const auto line = take_line(bytes)) {
    const auto size = whole_number(trimmed(line->substr(0, line->find(';'))), 16);
    if (!size) {
      return false;
    }
    if (*size == 0) {
      strict_message trailer;
      return take_fields(bytes, trailer);
    }
    if (!take_bytes(bytes, *size, body) || !bytes.starts_with("\r\n")) {
      return false;
    }
    bytes.remove_prefix(2);
  }
  return false;
}

bool take_body(std::string_view& bytes, strict_message& into, body_rule rule) {
  const auto lengths = into.all("Content-Length");
  const auto codings = into.all("Transfer-Encoding");
  if (lengths.size() + codings.size() > 1) {
    return false;
  }
  const auto length = lengths.empty() ? std::nullopt : whole_number(lengths.front(), 10);
  if (!lengths.empty() && !length) {
    return false;
  }
  if (rule == body_rule::no_body) {
    return true;
  }
  if (!codings.empty()) {
    return lower(codings.front()) == "chunked" && take_chunks(bytes, into.body);
  }
  if (rule == body_rule::answer && !length) {
    return take_bytes(bytes, bytes.size(), into.body);
  }
  return take_bytes(bytes, length.value_or(0), into.body);
}

}  // namespace

std::vector<std::string> strict_message::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& field : fields) {
    if (lower(field.first) == lower(name)) {
      values.push_back(field.second);
    }
  }
  return values;
}

std::optional<strict_message> take_message(std::string_view& bytes, body_rule rule) {
  auto rest = bytes;
  strict_message message;
  const auto start = take_line(rest);
  if (!start) {
    return std::nullopt;
  }
  message.start = *start;
  if (!take_fields(rest, message) || !take_body(rest, message, rule)) {
    return std::nullopt;
  }
  bytes = rest;
  return message;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (auto& c : out) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c + ('a' - 'A'));
    }
  }
  return out;
}

bool lists(std::string_view list, std::string_view token) {
  while (true) {
    const auto comma = std::min(list.find(','), list.size());
    if (lower(trimmed(list.substr(0, comma))) == lower(token)) {
      return true;
    }
    if (comma == list.size()) {
      return false;
    }
    list.remove_prefix(comma + 1);
  }
}

bool holds_word(std::string_view value, std::string_view word) {
  const auto border = [](char c) {
    static constexpr std::string_view of_word =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
    return of_word.find(c) == std::string_view::npos;
  };
  for (auto at = value.find(word); at != std::string_view::npos; at = value.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || border(value[at - 1])) && (end == value.size() || border(value[end]))) {
      return true;
    }
  }
  return false;
}

bool ends_here(std::string_view name) {
  static constexpr std::string_view names[] = {
      "connection", "keep-alive", "proxy-connection", "te",
      "trailer",    "upgrade",    "http2-settings",   "transfer-encoding"};
  return std::find(std::begin(names), std::end(names), lower(name)) != std::end(names);
}

}  // namespace fleet::fuzz
