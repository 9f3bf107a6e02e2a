// SPDX-License-Identifier: MIT
#include "system/support/tls_identity.hpp"

#include "system/support/child_process.hpp"

#include <openssl/ssl.h>

#include <csignal>
#include <stdexcept>

namespace fleet::rig {

tls_identity::tls_identity(const std::string& alternative_name) {
  // OpenSSL writes to sockets whose peer is gone.
  std::signal(SIGPIPE, SIG_IGN);
  const auto key = dir_.path() + "/key.pem";
  child_process maker{{.argv = {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                                "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                                "/CN=replica", "-addext", "subjectAltName=" + alternative_name,
                                "-keyout", key, "-out", certificate_file()}}};
  if (maker.wait_exit().value_or(-1) != 0)
    throw std::runtime_error{"openssl req: " + maker.error_text()};
  context_ = ::SSL_CTX_new(::TLS_server_method());
  if (::SSL_CTX_use_certificate_chain_file(context_, certificate_file().c_str()) != 1 ||
      ::SSL_CTX_use_PrivateKey_file(context_, key.c_str(), SSL_FILETYPE_PEM) != 1)
    throw std::runtime_error{"cannot load the certificate"};
  ::SSL_CTX_set_mode(context_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

tls_identity::~tls_identity() {
  ::SSL_CTX_free(context_);
}

ssl_st* tls_identity::accept_on(int fd) const {
  auto* const tls = ::SSL_new(context_);
  ::SSL_set_fd(tls, fd);
  ::SSL_set_accept_state(tls);
  return tls;
}

}  // namespace fleet::rig
