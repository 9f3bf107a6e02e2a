// SPDX-License-Identifier: MIT
#pragma once

#include "options.hpp"

#include <boost/asio/ssl/context.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace fleet::ctl {

/// A question to the router.
struct request {
  std::string method = "GET";
  std::string target;  ///< path and query, percent-encoded
  std::string body;    ///< JSON; empty: none
  /// For the whole exchange; none: as long as it takes, once the router has been reached. With
  /// --timeout only that counts.
  std::optional<std::chrono::nanoseconds> limit = std::chrono::seconds(10);
};

enum class reached : bool { no, yes };

/// What came of it.
struct answer {
  reached router = reached::no;
  int status = 0;                             ///< of the HTTP answer
  std::string body;                           ///< as it came
  std::map<std::string, std::string> fields;  ///< by lower-case name
  std::string failure;                        ///< why the router was not reached, printable
  bool late = false;                          ///< because --timeout was over

  [[nodiscard]] bool good() const { return status >= 200 && status < 300; }
};

/// One segment of a path.
[[nodiscard]] std::string encoded(std::string_view segment);

/// Talks to the router, one connection for each question. Safe to call from several threads.
class client {
 public:
  /// `where` outlives it. `until`: when --timeout is over.
  client(const invocation& where, std::optional<std::chrono::steady_clock::time_point> until);

  /// Blocks until there is an answer, or none can come. `stop` ends it early.
  [[nodiscard]] answer call(const request& question, std::stop_token stop = {}) const;

  [[nodiscard]] answer get(std::string target, std::stop_token stop = {}) const {
    return call({.target = std::move(target)}, std::move(stop));
  }

  /// Takes an answer that has no end, piece by piece, until `take` gives false or it ends. The
  /// limit is for the time without a piece. Its body is left out, but for a refusal's.
  [[nodiscard]] answer follow(const request& question,
                              const std::function<bool(std::string_view)>& take) const;

  /// Whether --timeout is over.
  [[nodiscard]] bool late() const { return until_ && std::chrono::steady_clock::now() >= *until_; }
  [[nodiscard]] const router_url& router() const { return where_.router; }
  [[nodiscard]] bool has_token() const { return !where_.token.empty(); }

 private:
  [[nodiscard]] answer ask(const request& question,
                           const std::function<bool(std::string_view)>& take,
                           const std::stop_token& stop) const;

  const invocation& where_;
  std::optional<std::chrono::steady_clock::time_point> until_;
  std::unique_ptr<boost::asio::ssl::context> tls_;  ///< null: plain HTTP
  std::string tls_failure_;
};

}  // namespace fleet::ctl
