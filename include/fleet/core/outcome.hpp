// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace fleet {

/// Why something was refused: one line for a person, naming the place and what was wanted.
struct failure {
  std::string message;
};

/// A value, or the reason there is none. Errors are values here; nothing throws across a room.
template <class T>
class outcome {
 public:
  outcome(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  outcome(failure why) : content_(std::in_place_index<1>, std::move(why)) {}

  [[nodiscard]] bool ok() const noexcept { return content_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  /// The value; only when ok().
  [[nodiscard]] T& value() & { return std::get<0>(content_); }
  [[nodiscard]] const T& value() const& { return std::get<0>(content_); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(content_)); }

  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }

  /// The reason; only when not ok().
  [[nodiscard]] const std::string& error() const { return std::get<1>(content_).message; }

 private:
  std::variant<T, failure> content_;
};

}  // namespace fleet
