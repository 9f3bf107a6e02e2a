// SPDX-License-Identifier: MIT
#pragma once

#include "net.hpp"

#include "fleet/core/replica.hpp"

#include <boost/asio/ssl/context.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace fleet::http {

/// The TLS client contexts of all lanes. Reading a CA bundle takes milliseconds, in which a lane
/// serves nobody, so each is read once and shared. From any thread.
class tls_contexts {
 public:
  /// The context for this endpoint (contract section 2: verified against the system's CA store or
  /// `ca_file`, unless `insecure_skip_verify`); nullptr when it is plain HTTP. `ec` when the CA
  /// file cannot be used; the next call tries again.
  [[nodiscard]] std::shared_ptr<asio::ssl::context> find(const endpoint& where, error_code& ec);

 private:
  using trust = std::pair<bool /*verified*/, std::string /*ca_file*/>;

  std::mutex mutex_;
  std::map<trust, std::shared_ptr<asio::ssl::context>> known_;
};

}  // namespace fleet::http
