// SPDX-License-Identifier: MIT
#include "system/support/wire_table.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>

namespace fleet::rig {

namespace {

using names = std::map<std::string, std::string, std::less<>>;

// What stands for `inner` between braces; none when that is no name of ours.
std::optional<std::string> expansion(std::string_view inner, const names& known) {
  const auto star = inner.rfind('*');
  if (star == std::string_view::npos || star == 0) {
    const auto found = known.find(inner);
    return found == known.end() ? std::nullopt : std::optional{found->second};
  }
  std::size_t times = 0;
  const auto digits = inner.substr(star + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), times);
  const auto found = known.find(inner.substr(0, star));
  if (error != std::errc{} || end != digits.data() + digits.size() ||
      (found == known.end() && star != 1))
    return std::nullopt;
  const std::string piece = found == known.end() ? std::string{inner.substr(0, 1)} : found->second;
  std::string all;
  for (; times > 0; --times)
    all += piece;
  return all;
}

std::string expanded(std::string_view text, const names& known) {
  std::string out;
  while (!text.empty()) {
    const auto close = text.find('}');
    const auto found = text.front() == '{' && close != std::string_view::npos
                           ? expansion(text.substr(1, close - 1), known)
                           : std::nullopt;
    out += found ? *found : std::string{text.substr(0, 1)};
    text.remove_prefix(found ? close + 1 : 1);
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      out += text[at];
      continue;
    }
    const char kind = ++at < text.size() ? text[at] : ' ';
    unsigned value = 0;
    if (kind == 'x' && at + 2 < text.size() &&
        std::from_chars(&text[at + 1], &text[at + 3], value, 16).ptr == &text[at + 3]) {
      out += static_cast<char>(value);
      at += 2;
    } else if (constexpr std::string_view kinds = "rnt0\\"; kinds.find(kind) != kinds.npos) {
      constexpr std::array<char, 5> meant{'\r', '\n', '\t', '\0', '\\'};
      out += meant[kinds.find(kind)];
    } else {
      throw std::runtime_error{"no escape: " + std::string{text.substr(at - 1, 4)}};
    }
  }
  return out;
}

std::string cut_word(std::string& text) {
  const auto end = std::min(text.find(' '), text.size());
  auto word = text.substr(0, end);
  text.erase(0, end + 1);
  return word;
}

}  // namespace

std::vector<std::string> wire_row::all(std::string_view key) const {
  std::vector<std::string> found;
  for (const auto& each : lines)
    if (each.key == key)
      found.push_back(each.value);
  return found;
}

std::string wire_row::get(std::string_view key, std::string otherwise) const {
  const auto found = all(key);
  return found.empty() ? otherwise : found.front();
}

std::vector<wire_row> read_wire_table(const std::string& file) {
  std::ifstream in{file};
  std::vector<wire_row> rows;
  names known;
  for (std::string text; std::getline(in, text);) {
    if (text.empty() || text.front() == '#')
      continue;
    const auto key = cut_word(text);
    if (key == "let") {
      auto name = cut_word(text);
      known.insert_or_assign(std::move(name), expanded(text, known));
    } else if (key == "row") {
      rows.push_back({text, {}});
    } else if (rows.empty()) {
      throw std::runtime_error{file + ": a line before the first row: " + key};
    } else {
      rows.back().lines.push_back({key, unescaped(expanded(text, known))});
    }
  }
  return rows;
}

std::string with(std::string text, std::string_view name, std::string_view value) {
  const auto wanted = "{" + std::string{name} + "}";
  for (auto at = text.find(wanted); at != std::string::npos;
       at = text.find(wanted, at + value.size()))
    text.replace(at, wanted.size(), value);
  return text;
}

std::string escaped(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    if (c == '\r' || c == '\n') {
      out += c == '\r' ? "\\r" : "\\n";
    } else if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      std::array<char, 5> hex{};
      std::snprintf(hex.data(), hex.size(), "\\x%02x", static_cast<unsigned char>(c));
      out += hex.data();
    }
  }
  return out;
}

}  // namespace fleet::rig
