// SPDX-License-Identifier: MIT
#include "fields.hpp"

#include "one_line.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <sstream>
#include <utility>

namespace fleet {

namespace {

namespace json = boost::json;

constexpr std::size_t longest_list = 65535;

std::string what_it_is(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
    case json::kind::int64:
    case json::kind::uint64:
      return json::serialize(value);
    case json::kind::double_: {
      std::ostringstream text;
      text << value.get_double();
      return text.str();
    }
    case json::kind::string:
      return "a string";
    case json::kind::array:
      return "a list";
    case json::kind::object:
      return "an object";
  }
  return "something else";
}

std::string expected(const std::string& wanted, const json::value& value) {
  return "expected " + wanted + ", not " + what_it_is(value);
}

}  // namespace

void complaint::say(std::string_view where, std::string_view what) {
  if (text_.empty()) {
    text_ = std::string(where) + (where.empty() ? "" : ": ") + std::string(what);
  }
}

fields::fields(const json::value& value, std::string where, complaint& out)
    : object_(value.if_object()), where_(std::move(where)), out_(&out) {
  if (object_ == nullptr) {
    out_->say(where_, expected("an object", value));
  }
}

std::string fields::at(std::string_view key) const {
  return where_ + (where_.empty() ? "" : ".") + one_line(key);
}

bool fields::has(std::string_view key) const {
  return object_ != nullptr && object_->contains({key.data(), key.size()});
}

const json::value* fields::find(std::string_view key) {
  known_.emplace_back(key);
  return object_ == nullptr ? nullptr : object_->if_contains({key.data(), key.size()});
}

std::string fields::string(const json::value& value, const std::string& where) {
  const auto* text = value.if_string();
  if (text == nullptr) {
    out_->say(where, expected("a string", value));
    return {};
  }
  if (text->find('\0') != json::string::npos) {
    out_->say(where, "must not hold a NUL character");
  }
  return std::string(text->data(), text->size());
}

std::int64_t fields::number(const json::value& value, const std::string& where, std::int64_t lowest,
                            std::int64_t highest) {
  const auto* number = value.if_int64();
  if (number == nullptr || *number < lowest || *number > highest) {
    const auto wanted =
        "a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest);
    out_->say(where, expected(wanted, value));
    return lowest;
  }
  return *number;
}

void fields::text(std::string_view key, std::string& to) {
  if (const auto* value = find(key)) {
    to = string(*value, at(key));
    if (to.empty()) {
      say(key, "must not be empty");
    }
  }
}

void fields::yes_or_no(std::string_view key, bool& to) {
  if (const auto* value = find(key)) {
    if (const auto* yes = value->if_bool()) {
      to = *yes;
    } else {
      say(key, expected("true or false", *value));
    }
  }
}

void fields::words(std::string_view key, std::vector<std::string>& to) {
  std::vector<std::string> words;
  each(key, [&](const json::value& value, const std::string& where) {
    words.push_back(string(value, where));
  });
  if (has(key)) {
    to = std::move(words);
  }
}

void fields::whole_numbers(std::string_view key, std::uint32_t highest,
                           std::vector<std::uint32_t>& to) {
  each(key, [&](const json::value& value, const std::string& where) {
    to.push_back(static_cast<std::uint32_t>(number(value, where, 0, highest)));
  });
  if (to.empty() && has(key)) {
    say(key, "must not be empty");
  }
}

void fields::each(std::string_view key,
                  const std::function<void(const json::value&, const std::string&)>& read) {
  const auto* value = find(key);
  if (value == nullptr) {
    return;
  }
  const auto* list = value->if_array();
  if (list == nullptr) {
    say(key, expected("a list", *value));
    return;
  }
  if (list->size() > longest_list) {
    say(key, "longer than " + std::to_string(longest_list) + " entries");
    return;
  }
  for (std::size_t i = 0; i < list->size() && !out_->made(); ++i) {
    read((*list)[i], at(key) + "[" + std::to_string(i) + "]");
  }
}

void fields::each_text(
    std::string_view key,
    const std::function<void(std::string_view, std::string, const std::string&)>& read) {
  const auto* value = find(key);
  if (value == nullptr) {
    return;
  }
  const auto* members = value->if_object();
  if (members == nullptr) {
    say(key, expected("an object", *value));
    return;
  }
  for (const auto& member : *members) {
    const std::string_view name(member.key().data(), member.key().size());
    const auto where = at(key) + "." + one_line(name);
    read(name, string(member.value(), where), where);
  }
}

void fields::require(std::string_view key) {
  if (find(key) == nullptr && missing_.empty()) {
    missing_ = key;
  }
}

void fields::finish() {
  if (object_ == nullptr) {
    return;
  }
  for (const auto& member : *object_) {
    const std::string_view key(member.key().data(), member.key().size());
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
      say(key, "unknown key");
      return;
    }
  }
  if (!missing_.empty()) {
    say(missing_, "is required");
  }
}

}  // namespace fleet
