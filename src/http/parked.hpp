// SPDX-License-Identifier: MIT
#pragma once

#include <boost/asio/any_completion_handler.hpp>

#include <utility>

namespace fleet::http {

/// A completion handler set aside until what it waits for has happened. Wraps Asio's type-erased
/// handler because assigning to one recurses without end in Boost 1.81.
template <class... Args>
class parked {
 public:
  using handler_type = boost::asio::any_completion_handler<void(Args...)>;

  template <class Handler>
  void park(Handler&& handler) {
    handler_type(std::forward<Handler>(handler)).swap(handler_);
  }

  explicit operator bool() const { return static_cast<bool>(handler_); }

  /// Completes it here and now; it may park the next one meanwhile.
  void resume(Args... args) {
    auto handler = take();
    std::move(handler)(std::move(args)...);
  }

  /// Hands it out, to be completed elsewhere.
  [[nodiscard]] handler_type take() {
    handler_type out;
    out.swap(handler_);
    return out;
  }

 private:
  handler_type handler_;
};

}  // namespace fleet::http
