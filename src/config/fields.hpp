// SPDX-License-Identifier: MIT
#pragma once

#include <boost/json/value.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fleet {

/// Keeps the first thing that is wrong with a document; later ones often only follow from it.
class complaint {
 public:
  /// `where` is a place such as `hosts[1].devices`; empty for the document itself.
  void say(std::string_view where, std::string_view what);

  [[nodiscard]] bool made() const noexcept { return !text_.empty(); }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

/// One JSON object being read into values. Each reader leaves its target alone when the key is
/// absent, and complains about a wrong type or range. Values of type text are never quoted in a
/// complaint, for they may be secret. No text may hold NUL: it cannot be an argument or a path. No
/// list may have more than 65535 entries.
class fields {
 public:
  /// Complains when `value` is no object. `value` and `out` must outlive this.
  fields(const boost::json::value& value, std::string where, complaint& out);

  /// `where.key`.
  [[nodiscard]] std::string at(std::string_view key) const;
  void say(std::string_view key, std::string_view what) { out_->say(at(key), what); }

  void text(std::string_view key, std::string& to);  ///< not empty
  void yes_or_no(std::string_view key, bool& to);
  void words(std::string_view key, std::vector<std::string>& to);  ///< words may be empty
  /// A list, not empty, of numbers from 0.
  void whole_numbers(std::string_view key, std::uint32_t highest, std::vector<std::uint32_t>& to);

  template <std::unsigned_integral T>
  void whole_number(std::string_view key, std::int64_t lowest, std::int64_t highest, T& to) {
    if (const auto* value = find(key)) {
      to = static_cast<T>(number(*value, at(key), lowest, highest));
    }
  }

  /// Calls `read` with each element of a list and its place, e.g. `hosts[1]`.
  void each(std::string_view key,
            const std::function<void(const boost::json::value&, const std::string&)>& read);
  /// Calls `read` with each name, text and place of an object of texts, in the file's order.
  void each_text(std::string_view key,
                 const std::function<void(std::string_view name, std::string value,
                                          const std::string& where)>& read);

  /// Complains when the key is absent; counts as having read it.
  void require(std::string_view key);

  /// To be called last: complains about a key that nobody read, before any that is missing.
  void finish();

 private:
  [[nodiscard]] bool has(std::string_view key) const;
  const boost::json::value* find(std::string_view key);
  std::string string(const boost::json::value& value, const std::string& where);
  std::int64_t number(const boost::json::value& value, const std::string& where,
                      std::int64_t lowest, std::int64_t highest);

  const boost::json::object* object_;
  std::string where_;
  complaint* out_;
  std::vector<std::string> known_;
  std::string missing_;
};

}  // namespace fleet
