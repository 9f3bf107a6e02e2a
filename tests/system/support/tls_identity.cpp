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
  // What SSL_CTX_set_tlsext_servername_callback and ..._arg expand to, without their C casts.
  ::SSL_CTX_callback_ctrl(context_, SSL_CTRL_SET_TLSEXT_SERVERNAME_CB,
                          reinterpret_cast<void (*)()>(note_name));
  ::SSL_CTX_ctrl(context_, SSL_CTRL_SET_TLSEXT_SERVERNAME_ARG, 0, this);
  ::SSL_CTX_set_mode(context_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

tls_identity::~tls_identity() {
  ::SSL_CTX_free(context_);
}

std::string tls_identity::server_name() const {
  const std::lock_guard lock{mutex_};
  return server_name_;
}

int tls_identity::note_name(ssl_st* tls, int*, void* self) {
  auto& identity = *static_cast<tls_identity*>(self);
  const auto* const name = ::SSL_get_servername(tls, TLSEXT_NAMETYPE_host_name);
  const std::lock_guard lock{identity.mutex_};
  identity.server_name_ = name == nullptr ? "" : name;
  return SSL_TLSEXT_ERR_OK;
}

ssl_st* tls_identity::accept_on(int fd) const {
  auto* const tls = ::SSL_new(context_);
  ::SSL_set_fd(tls, fd);
  ::SSL_set_accept_state(tls);
  return tls;
}

}  // namespace fleet::rig
