// SPDX-License-Identifier: MIT
#include "tls_contexts.hpp"

namespace fleet::http {

namespace {

std::shared_ptr<asio::ssl::context> make_context(bool verified, const std::string& ca_file,
                                                 error_code& ec) {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  if (!verified) {
    context->set_verify_mode(asio::ssl::verify_none, ec);
    return context;
  }
  context->set_verify_mode(asio::ssl::verify_peer, ec);
  if (ca_file.empty()) {
    context->set_default_verify_paths(ec);
  } else {
    context->load_verify_file(ca_file, ec);
  }
  return context;
}

}  // namespace

std::shared_ptr<asio::ssl::context> tls_contexts::find(const endpoint& where, error_code& ec) {
  ec = {};
  if (!where.tls) {
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  const trust key{!where.insecure_skip_verify, where.ca_file};
  if (const auto found = known_.find(key); found != known_.end()) {
    return found->second;
  }
  auto made = make_context(key.first, key.second, ec);
  if (!ec) {
    known_.emplace(key, made);
  }
  return made;
}

}  // namespace fleet::http
