// SPDX-License-Identifier: MIT
#include "json_text.hpp"

#include "one_line.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parser.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace fleet {

namespace {

namespace json = boost::json;

constexpr std::size_t max_depth = 32;

/// Walks a text without building anything, and stops at the first key that its object already has.
class repeated_key_finder {
 public:
  static constexpr std::size_t max_object_size = SIZE_MAX;
  static constexpr std::size_t max_array_size = SIZE_MAX;
  static constexpr std::size_t max_key_size = SIZE_MAX;
  static constexpr std::size_t max_string_size = SIZE_MAX;

  /// Where the repeated key is, e.g. `hosts[0].model`; empty: there is none.
  std::string found;

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) { return enter(true); }
  bool on_object_end(std::size_t, json::error_code&) { return leave(); }
  bool on_array_begin(json::error_code&) { return enter(false); }
  bool on_array_end(std::size_t, json::error_code&) { return leave(); }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    key_.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, std::size_t size, json::error_code& ec) {
    on_key_part(part, size, ec);
    auto& here = levels_.back();
    here.key = std::move(key_);
    key_.clear();
    if (!here.keys.insert(here.key).second) {
      found = path();
      ec = json::make_error_code(json::error::input_error);
      return false;
    }
    return true;
  }
  bool on_string_part(json::string_view, std::size_t, json::error_code&) { return true; }
  bool on_string(json::string_view, std::size_t, json::error_code&) { return value(); }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t, json::string_view, json::error_code&) { return value(); }
  bool on_uint64(std::uint64_t, json::string_view, json::error_code&) { return value(); }
  bool on_double(double, json::string_view, json::error_code&) { return value(); }
  bool on_bool(bool, json::error_code&) { return value(); }
  bool on_null(json::error_code&) { return value(); }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  struct level {
    bool object = false;
    std::size_t index = 0;  ///< of the element being read, in an array
    std::string key;        ///< of the member being read, in an object
    std::set<std::string> keys;
  };

  bool enter(bool object) {
    levels_.push_back({.object = object});
    return true;
  }

  bool leave() {
    levels_.pop_back();
    return value();
  }

  bool value() {
    if (!levels_.empty()) {
      ++levels_.back().index;
    }
    return true;
  }

  [[nodiscard]] std::string path() const {
    std::string text;
    for (const auto& step : levels_) {
      if (step.object) {
        text += (text.empty() ? "" : ".") + (step.key.empty() ? "\"\"" : one_line(step.key));
      } else {
        text += "[" + std::to_string(step.index) + "]";
      }
    }
    return text;
  }

  std::vector<level> levels_;
  std::string key_;
};

std::string line_and_column(std::string_view text, std::size_t offset) {
  const auto before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto last = before.rfind('\n');
  const auto column = last == std::string_view::npos ? offset + 1 : offset - last;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

}  // namespace

outcome<json::value> parse_json_text(std::string_view text, std::string_view file) {
  json::parse_options options;
  options.max_depth = max_depth;
  const std::string prefix = std::string(file) + ": ";
  json::error_code ec;
  json::basic_parser<repeated_key_finder> scan(options);
  const auto offset = scan.write_some(false, text.data(), text.size(), ec);
  if (!scan.handler().found.empty()) {
    return failure{prefix + scan.handler().found + ": given twice"};
  }
  if (ec || offset < text.size()) {
    return failure{prefix + line_and_column(text, offset) + ": " +
                   (ec ? ec.message() : "extra data")};
  }
  json::parser build({}, options);
  build.write(text.data(), text.size(), ec);
  if (ec) {
    return failure{prefix + ec.message()};
  }
  return build.release();
}

}  // namespace fleet
