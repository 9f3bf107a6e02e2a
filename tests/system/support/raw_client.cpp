// SPDX-License-Identifier: MIT
#include "system/support/raw_client.hpp"

namespace fleet::rig {

raw_client::raw_client(std::uint16_t port, const std::string& host)
    : wire{connect_to(host, port)} {}

message raw_client::read_response(std::string_view method, milliseconds limit) {
  const auto deadline = clock::now() + limit;
  auto response = read_head(*this, deadline);
  if (!response)
    return {};
  read_response_body(*this, *response, method, deadline);
  return *response;
}

message raw_client::read_response_by_pieces(std::function<void(const message&)> on_piece,
                                            milliseconds limit) {
  const auto deadline = clock::now() + limit;
  auto response = read_head(*this, deadline);
  if (!response)
    return {};
  response->on_piece = std::move(on_piece);
  read_response_body(*this, *response, "POST", deadline);
  response->on_piece = nullptr;
  return *response;
}

message raw_client::read_response_head(milliseconds limit) {
  return read_head(*this, clock::now() + limit).value_or(message{});
}

std::vector<std::unique_ptr<raw_client>> many_clients(std::uint16_t port, std::size_t count) {
  std::vector<std::unique_ptr<raw_client>> clients(count);
  for (auto& each : clients)
    each = std::make_unique<raw_client>(port);
  return clients;
}

message exchange_once(std::uint16_t port, std::string_view request, std::string_view method,
                      milliseconds limit) {
  raw_client client{port};
  // A router that refuses the request may close before it has read all of it.
  client.send(request, limit);
  return client.read_response(method, limit);
}

message get(std::uint16_t port, std::string_view target) {
  return exchange_once(
      port, "GET " + std::string{target} + " HTTP/1.1\r\nHost: r\r\nConnection: close\r\n\r\n",
      "GET");
}

}  // namespace fleet::rig
