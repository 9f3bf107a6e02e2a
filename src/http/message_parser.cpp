// SPDX-License-Identifier: MIT
#include "message_parser.hpp"

#include <boost/optional.hpp>

#include <algorithm>
#include <functional>

namespace fleet::http {

std::vector<std::string_view> connection_lists(const std::vector<field_view>& fields) {
  std::vector<std::string_view> lists;
  for (const auto& field : fields) {
    // The two usual values name no field.
    if (field.is == known_field::connection && !same_token(field.value, "keep-alive") &&
        !same_token(field.value, "close")) {
      lists.push_back(field.value);
    }
  }
  return lists;
}

bool named_by(const std::vector<std::string_view>& lists, std::string_view field) {
  return std::any_of(lists.begin(), lists.end(),
                     [&](std::string_view list) { return names_token(list, field); });
}

template <bool is_request>
message_parser<is_request>::message_parser() {
  this->header_limit(header_limit);
  this->body_limit(boost::none);
  field_places_.reserve(24);
}

template <bool is_request>
error_code message_parser<is_request>::parse_head(std::string_view data) {
  error_code ec;
  data_ = data;
  const auto rest = data.substr(head_size_);
  if (rest.empty()) {
    return ec;
  }
  head_size_ += this->put(asio::buffer(rest.data(), rest.size()), ec);
  if (ec == beast_http::error::need_more) {
    return ends_lines_badly() ? make_error_code(beast_http::error::bad_line_ending) : error_code{};
  }
  method_ = at(method_place_);
  target_ = at(target_place_);
  reason_ = at(reason_place_);
  fields_.reserve(field_places_.size());
  for (const auto& field : field_places_) {
    fields_.push_back({at(field.name), at(field.value), field.is});
  }
  return ec;
}

// Beast looks at a line that came in pieces only once the whole head is there.
template <bool is_request>
bool message_parser<is_request>::ends_lines_badly() {
  for (auto at = data_.find('\n', looked_at_); at != std::string_view::npos;
       at = data_.find('\n', at + 1)) {
    if (at == 0 || data_[at - 1] != '\r') {
      return true;
    }
  }
  looked_at_ = data_.size();
  return false;
}

template <bool is_request>
void message_parser<is_request>::drop_fields() {
  fields_ = {};
  field_places_ = {};
}

template <bool is_request>
std::size_t message_parser<is_request>::parse_body(std::string_view input, error_code& ec) {
  pieces_.clear();
  ec = {};
  if (input.empty() || this->is_done()) {
    return 0;
  }
  // Beast takes it for granted that a last chunk without one before it comes with 5 bytes at least.
  if (this->chunked() && !in_chunk_ && input.front() == '0' && input.size() < 5) {
    return 0;
  }
  this->eager(true);
  const auto used = this->put(asio::buffer(input.data(), input.size()), ec);
  if (ec == beast_http::error::need_more) {
    ec = {};
  }
  return used;
}

template <bool is_request>
auto message_parser<is_request>::place_of(view text) const -> place {
  return text.empty() ? place{}
                      : place{static_cast<std::size_t>(text.data() - data_.data()), text.size()};
}

template <bool is_request>
std::string_view message_parser<is_request>::at(place where) const {
  return data_.substr(where.offset, where.length);
}

template <bool is_request>
void message_parser<is_request>::on_request_impl(beast_http::verb, view method, view target,
                                                 int version, error_code&) {
  method_place_ = place_of(method);
  target_place_ = place_of(target);
  version_ = version;
}

template <bool is_request>
void message_parser<is_request>::on_response_impl(int code, view reason, int version, error_code&) {
  status_ = code;
  reason_place_ = place_of(reason);
  version_ = version;
}

template <bool is_request>
bool message_parser<is_request>::folded(view name, view value) const {
  // Beast unfolds a value into memory of its own, unless its first line is empty.
  const auto* const end = name.data() + name.size();
  const std::less<> before;
  if (before(value.data(), end) || before(data_.data() + data_.size(), value.data())) {
    return true;
  }
  const std::string_view between(end, static_cast<std::size_t>(value.data() - end));
  return between.find('\r') != std::string_view::npos;
}

template <bool is_request>
void message_parser<is_request>::on_field_impl(beast_http::field name, view name_text, view value,
                                               error_code& ec) {
  if (!in_head_) {
    return;  // a trailer; the framing on the other side is our own and has none
  }
  if (field_places_.size() >= field_limit) {
    ec = beast_http::error::header_limit;
    return;
  }
  if (folded(name_text, value)) {
    ec = beast_http::error::bad_value;
    return;
  }
  const std::string_view text{value.data(), value.size()};
  if (name == beast_http::field::transfer_encoding &&
      (!same_token(text, "chunked") || version_ < 11)) {
    ec = beast_http::error::bad_transfer_encoding;
    return;
  }
  field_places_.push_back(
      {place_of(name_text), place_of(value), known_field_of({name_text.data(), name_text.size()})});
}

template <bool is_request>
void message_parser<is_request>::on_header_impl(error_code&) {
  in_head_ = false;
}

template <bool is_request>
void message_parser<is_request>::on_body_init_impl(const boost::optional<std::uint64_t>&,
                                                   error_code&) {
  // nop
}

template <bool is_request>
std::size_t message_parser<is_request>::on_body_impl(view body, error_code&) {
  pieces_.emplace_back(body.data(), body.size());
  return body.size();
}

template <bool is_request>
void message_parser<is_request>::on_chunk_header_impl(std::uint64_t size, view extensions,
                                                      error_code& ec) {
  in_chunk_ = size != 0;
  extensions_size_ += extensions.size();
  // Beast lets anything stand between quotes, also what others take for the end of the line.
  const bool control = std::any_of(extensions.begin(), extensions.end(), [](char c) {
    return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
  });
  if (control || extensions_size_ > extension_limit) {
    ec = beast_http::error::bad_chunk_extension;
  }
}

template <bool is_request>
std::size_t message_parser<is_request>::on_chunk_body_impl(std::uint64_t left, view body,
                                                           error_code&) {
  in_chunk_ = body.size() < left;
  pieces_.emplace_back(body.data(), body.size());
  return body.size();
}

template <bool is_request>
void message_parser<is_request>::on_finish_impl(error_code&) {
  // nop
}

template class message_parser<true>;
template class message_parser<false>;

}  // namespace fleet::http
