// SPDX-License-Identifier: MIT
#include "exchange.hpp"

#include <boost/asio/ssl/error.hpp>

#include <array>

namespace fleet::http {

namespace {

constexpr std::string_view crlf = "\r\n";

refusal refusal_for(no_route why) {
  switch (why) {
    case no_route::all_tried:
      return {502, "connect_failed", "no replica could be connected to"};
    case no_route::shutting_down:
      return {503, "shutting_down", "the router is shutting down"};
    case no_route::no_replica:
      break;
  }
  return {503, "no_replica", "no replica is ready"};
}

}  // namespace

exchange::exchange(client_connection& client, lane_services& lane)
    : client_(client), lane_(lane), request_(client.request()), limit_(lane.wheel) {
  limit_.arm(lane.settings.request_timeout, [this] { end_early(turn_outcome::timed_out); });
  client_.watch([this] { end_early(turn_outcome::client_gone); });
}

exchange::~exchange() {
  client_.watch(nullptr);
  if (up_) {
    up_->close();
  }
}

void exchange::end_early(turn_outcome why) {
  if (early_) {
    return;
  }
  early_ = why;
  if (up_) {
    up_->close();
  }
  // A write to the client may be stuck; after bytes of the answer only the cut tells the truth.
  if (why == turn_outcome::client_gone || head_sent_) {
    cut_client();
  }
}

awaitable<bool> exchange::run() {
  const auto& head = request_.head;
  route_query query{.session = request_.pins() ? request_.session : std::string(),
                    .fresh = request_.fresh_session,
                    .counted = head.kind != route_kind::models};
  // One that led nowhere is kept until the next is here: a shutdown waits for turns with a ticket.
  std::optional<lease> ticket;
  for (;;) {
    const auto route = co_await lane_.fleet->route(query);
    if (!route.found) {
      ticket.reset();
      if (!query.tried.empty()) {
        // Whoever reads the answer finds the replica out of rotation: this comes back after the
        // router has heard of the ticket's end.
        co_await lane_.fleet->describe(query.tried.back());
      }
      if (early_ == turn_outcome::client_gone) {
        client_.turn().ended_early(*early_);
        co_return false;
      }
      if (early_) {
        const refusal late{504, "timeout", "no replica was free within --request-timeout"};
        co_return co_await client_.refuse(late);
      }
      const auto why = refusal_for(route.why);
      co_return co_await client_.refuse(why);
    }
    client_.turn().ticket(route.where.how);
    auto& held = ticket.emplace(*lane_.fleet, turn_end{.replica = route.where.replica,
                                                       .session = query.session,
                                                       .chosen = route.where.how,
                                                       .counted = query.counted});
    auto replica = lane_.pool.find(route.where.replica);
    if (!replica && !early_) {
      auto spec = co_await lane_.fleet->describe(route.where.replica);
      if (spec.where.port == 0) {
        query.tried.push_back(route.where.replica);
        continue;
      }
      replica = lane_.pool.add(route.where.replica, std::move(spec));
    }
    if (replica) {
      client_.turn().at(replica->meter);
    }
    auto result = tried::cut;
    if (early_) {
      result = ended_early(held);
    } else {
      result = co_await try_replica(replica, held);
    }
    if (result == tried::next) {
      client_.turn().moved_on();
      query.tried.push_back(route.where.replica);
      continue;
    }
    if (result == tried::refused) {
      co_return co_await client_.refuse(*refusal_);
    }
    co_return result == tried::answered&& client_.may_keep();
  }
}

awaitable<exchange::tried> exchange::try_replica(const std::shared_ptr<pooled_replica>& replica,
                                                 lease& held) {
  up_ = lane_.pool.take(*replica);
  if (up_) {
    const auto result = co_await try_connection(replica, held);
    if (result != tried::stale) {
      co_return result;
    }
    up_->close();
  }
  up_ = lane_.pool.make(*replica);
  client_.turn().connecting();
  const auto ec = co_await lane_.pool.connect(*replica, up_, lane_.names);
  client_.turn().connected();
  if (early_) {
    co_return ended_early(held);
  }
  if (out_of_descriptors(ec)) {
    lane_.log.error("out_of_descriptors", {{"while", "connecting to a replica"}});
    refusal_ = refusal{503, "overloaded", "the router is out of file descriptors"};
    co_return tried::refused;
  }
  if (ec) {
    lane_.log.warn("replica_connect_failed",
                   {{"replica", replica->spec.name}, {"reason", ec.message()}});
    held.outcome(turn_outcome::connect_failed, ec.message());
    client_.turn().failed(upstream_failure::connect);
    if (sent_) {
      // On the connection that ended. Whoever got it may have run it, or died of it.
      refusal_ = refusal{502, "replica_failed", "the replica ended before it answered"};
      co_return tried::refused;
    }
    co_return tried::next;
  }
  co_return co_await try_connection(replica, held);
}

awaitable<exchange::tried> exchange::try_connection(const std::shared_ptr<pooled_replica>& replica,
                                                    lease& held) {
  // A failed write is no verdict: the replica may have answered before it closed.
  send_request(*replica);
  auto result = co_await receive_head(*replica, held);
  if (result == tried::answered) {
    result = co_await relay(*replica, held);
  }
  if (up_->sending()) {
    // What it sends lives here and in the client's connection.
    up_->close();
    co_await up_->send_ended();
  }
  if (result == tried::answered) {
    allow_reuse(replica);
  }
  co_return result;
}

void exchange::send_request(const pooled_replica& replica) {
  const forwarding way{.authority = replica.authority,
                       .client_address = client_.address(),
                       .session = request_.session,
                       .request_id = request_.request_id,
                       .body_size = request_.body.size()};
  write_upstream_head(request_.head, way, head_);
  const std::array<asio::const_buffer, 2> message{asio::buffer(head_), asio::buffer(request_.body)};
  sent_ = true;
  client_.turn().sending();
  up_->send(message);
}

awaitable<exchange::tried> exchange::receive_head(const pooled_replica& replica, lease& held) {
  auto& bytes = up_->bytes();
  answer_.emplace();
  answer_->skip(request_.head.method == "HEAD");
  bool any_byte = false;
  std::size_t interim = 0;
  for (;;) {
    any_byte = any_byte || !bytes.empty();
    if (const auto ec = answer_->parse_head(bytes.data())) {
      co_return failed(
          held, replica,
          {502, "bad_replica_response", "the replica's answer cannot be read: " + ec.message()});
    }
    if (answer_->head_done()) {
      const int status = answer_->status();
      if (status == 101 || status < 100) {
        co_return failed(held, replica,
                         {502, "bad_replica_response", "the replica switched protocols unasked"});
      }
      if (status >= 200) {
        client_.turn().answered(status, !answer_->content_length());
        held.first_byte(client_.turn().first_byte());
        co_return tried::answered;
      }
      interim += answer_->head_size();
      if (interim > header_limit) {
        co_return failed(
            held, replica,
            {502, "bad_replica_response", "the replica sent interim answers without end"});
      }
      bytes.consume(answer_->head_size());
      answer_.emplace();
      answer_->skip(request_.head.method == "HEAD");
      continue;
    }
    const auto ec = co_await up_->more();
    if (early_) {
      co_return ended_early(held);
    }
    if (ec == asio::error::no_buffer_space) {
      co_return failed(held, replica,
                       {502, "bad_replica_response", "the replica's header block is too large"});
    }
    if (ec && up_->reused && !any_byte && bytes.empty()) {
      co_return tried::stale;
    }
    if (ec) {
      co_return failed(
          held, replica,
          {502, "replica_failed", "the replica closed the connection before it answered"});
    }
  }
}

awaitable<exchange::tried> exchange::relay(const pooled_replica& replica, lease& held) {
  auto& bytes = up_->bytes();
  framing_ = framing_for(*answer_, request_.head.method == "HEAD", request_.head.http10);
  const bool carries = request_.head.carries_session();
  if (up_->sending()) {
    sent_head_.swap(head_);  // the bytes stay where they are: a head is too long to lie in a string
  }
  write_client_head(
      *answer_, framing_,
      {.http10 = request_.head.http10,
       .keep_alive = client_.may_keep(),
       .session = carries ? std::string_view(request_.session) : std::string_view(),
       .replica = replica.spec.name,
       .affinity = affinity_field(held.how(), request_.fresh_session, request_.pins()),
       .request_id = request_.request_id},
      head_);
  bytes.consume(answer_->head_size());
  answer_->drop_fields();
  out_.assign(1, asio::buffer(head_));
  bool at_end = false;
  for (;;) {
    error_code bad;
    const auto used = answer_->parse_body(bytes.data(), bad);
    const bool done = answer_->is_done() || at_end;
    gather(done);
    if (!up_->sending()) {
      client_.drop_body();
    } else if (done) {
      up_->close();  // whoever has said all needs no more of the request
    }
    if (!out_.empty()) {
      head_sent_ = true;
      const auto ec = co_await client_.write(out_);
      if (ec && !early_) {
        end_early(turn_outcome::client_gone);
      }
      if (early_) {
        co_return ended_early(held);
      }
    }
    bytes.consume(used);
    out_.clear();
    if (done) {
      held.outcome(turn_outcome::done);
      client_.turn().done();
      co_return framing_ == body_framing::close ? tried::cut : tried::answered;
    }
    if (bad) {
      co_return failed(held, replica, {502, "bad_replica_response", bad.message()});
    }
    const auto ec = co_await up_->more();
    if (early_) {
      co_return ended_early(held);
    }
    // A reset that the sending side was told of shows as a plain end here.
    const bool reset = up_->send_error() == asio::error::connection_reset;
    if (ec == asio::error::eof && answer_->need_eof() && !reset) {
      at_end = true;
    } else if (ec) {
      co_return failed(held, replica, {502, "replica_failed", ec.message()});
    }
  }
}

void exchange::cut_client() {
  if (head_sent_ && framing_ == body_framing::close) {
    client_.reset();
  } else {
    client_.close();
  }
}

void exchange::gather(bool last) {
  std::size_t size = 0;
  for (const auto piece : answer_->pieces()) {
    size += piece.size();
  }
  client_.turn().gives(size);
  const bool chunked = framing_ == body_framing::chunked;
  if (chunked && size != 0) {
    write_chunk_head(size, chunk_size_);
    out_.push_back(asio::buffer(chunk_size_));
  }
  for (const auto piece : answer_->pieces()) {
    out_.push_back(asio::buffer(piece));
  }
  if (chunked && size != 0) {
    out_.push_back(asio::buffer(crlf));
  }
  if (chunked && last) {
    out_.push_back(asio::buffer(last_chunk));
  }
}

exchange::tried exchange::failed(lease& held, const pooled_replica& replica, refusal why) {
  held.outcome(turn_outcome::replica_failed, why.message);
  client_.turn().failed(head_sent_                     ? upstream_failure::broke_off
                        : why.code == "replica_failed" ? upstream_failure::no_answer
                                                       : upstream_failure::bad_answer);
  lane_.log.warn("replica_failed", {{"replica", replica.spec.name},
                                    {"request_id", request_.logged_id()},
                                    {"reason", why.message},
                                    {"answer", head_sent_ ? "cut" : "none"}});
  if (head_sent_) {
    cut_client();
    return tried::cut;
  }
  refusal_ = std::move(why);
  return tried::refused;
}

exchange::tried exchange::ended_early(lease& held) {
  // What was never sent leaves no pin, whoever gave up.
  held.outcome(sent_ ? *early_ : turn_outcome::aborted);
  client_.turn().ended_early(*early_);
  if (*early_ == turn_outcome::timed_out) {
    lane_.log.warn("turn_timeout",
                   {{"request_id", request_.logged_id()}, {"answer", head_sent_ ? "cut" : "none"}});
  }
  if (*early_ == turn_outcome::timed_out && !head_sent_) {
    refusal_ = refusal{504, "timeout", "the replica did not answer within --request-timeout"};
    return tried::refused;
  }
  cut_client();
  return tried::cut;
}

void exchange::allow_reuse(const std::shared_ptr<pooled_replica>& replica) {
  if (answer_->keep_alive() && !up_->send_error()) {
    lane_.pool.give_back(replica, up_);
    up_.reset();
  }
}

}  // namespace fleet::http
