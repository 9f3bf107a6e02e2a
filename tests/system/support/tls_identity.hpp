// SPDX-License-Identifier: MIT
#pragma once

#include "system/support/temp_dir.hpp"

#include <mutex>
#include <string>

struct ssl_ctx_st;
struct ssl_st;

namespace fleet::rig {

// A self-signed certificate made for one test. Its file serves as the CA bundle that trusts it.
class tls_identity {
 public:
  // `alternative_name` as in a subjectAltName, e.g. "IP:127.0.0.1" or "DNS:replica.test".
  explicit tls_identity(const std::string& alternative_name);
  ~tls_identity();
  tls_identity(const tls_identity&) = delete;
  tls_identity& operator=(const tls_identity&) = delete;

  std::string certificate_file() const { return dir_.path() + "/cert.pem"; }
  // The name the latest client asked for (SNI); empty when it named none.
  std::string server_name() const;
  // The server's side of a handshake on a non-blocking socket; it happens with the first read.
  ssl_st* accept_on(int fd) const;

 private:
  static int note_name(ssl_st* tls, int* alert, void* self);

  temp_dir dir_;
  ssl_ctx_st* context_ = nullptr;
  mutable std::mutex mutex_;
  std::string server_name_;
};

}  // namespace fleet::rig
