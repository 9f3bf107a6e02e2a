// SPDX-License-Identifier: MIT
#pragma once

#include "net.hpp"

#include "fleet/core/header_rules.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace fleet::http {

namespace beast_http = boost::beast::http;

/// The limit on start line and fields, in both directions. Contract section 4.
inline constexpr std::uint32_t header_limit = 64 * 1024;
/// The limit on the number of fields; beyond it the head counts as too large.
inline constexpr std::size_t field_limit = 512;

/// The limit on the extensions of all chunks of one message: they cost the sender little and carry
/// nothing.
inline constexpr std::size_t extension_limit = 16 * 1024;

struct field_view {
  std::string_view name;
  std::string_view value;  ///< without the blanks around it
  known_field is = known_field::none;
};

/// The values of all Connection fields that may name other fields.
[[nodiscard]] std::vector<std::string_view> connection_lists(const std::vector<field_view>& fields);
/// Whether one of these lists names the field: then it ends at this hop (RFC 9110 7.6.1).
[[nodiscard]] bool named_by(const std::vector<std::string_view>& lists, std::string_view field);

/// Beast's incremental parser with nothing copied: fields and pieces of the body are views into the
/// buffer given to it, and hold until that buffer moves or is overwritten.
///
/// Stricter than Beast where HTTP/1.1 leaves room for two readings (RFC 9112 5.2, 6.1, 7.1.1): a
/// folded field, a Transfer-Encoding other than exactly `chunked`, one in an HTTP/1.0 message, a
/// length beside it, and a control character in a chunk's extension are errors.
template <bool is_request>
class message_parser final : public beast_http::basic_parser<is_request> {
 public:
  message_parser();

  /// Parses the head as far as it has come. `data` begins with the message's first byte at every
  /// call, wherever it lies in memory by now. No error while more is needed. Once head_done(), the
  /// views below lie in `data` and head_size() bytes of it are used up.
  error_code parse_head(std::string_view data);

  /// Parses as many pieces of the body as `input`, what follows the head, holds; returns the bytes
  /// used up. No error while more is needed; is_done() tells the end.
  std::size_t parse_body(std::string_view input, error_code& ec);

  [[nodiscard]] bool head_done() const { return this->is_header_done(); }

  [[nodiscard]] std::size_t head_size() const { return head_size_; }

  // Of the head, once head_done() or as far as an error let it come.
  [[nodiscard]] std::string_view method() const { return method_; }  ///< requests
  [[nodiscard]] std::string_view target() const { return target_; }  ///< requests
  [[nodiscard]] int status() const { return status_; }               ///< responses, 0 before
  [[nodiscard]] std::string_view reason() const { return reason_; }  ///< responses
  [[nodiscard]] int version() const { return version_; }             ///< 10 or 11
  [[nodiscard]] const std::vector<field_view>& fields() const { return fields_; }

  /// Gives the memory of fields() back; they are gone then.
  void drop_fields();

  /// The pieces of the body that the last parse_body() found, in order, without chunk framing.
  [[nodiscard]] const std::vector<std::string_view>& pieces() const { return pieces_; }

 private:
  using view = boost::beast::string_view;

  void on_request_impl(beast_http::verb, view method, view target, int version,
                       error_code& ec) override;
  void on_response_impl(int code, view reason, int version, error_code& ec) override;
  void on_field_impl(beast_http::field name, view name_text, view value, error_code& ec) override;
  void on_header_impl(error_code& ec) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code& ec) override;
  std::size_t on_body_impl(view body, error_code& ec) override;
  void on_chunk_header_impl(std::uint64_t size, view extensions, error_code& ec) override;
  std::size_t on_chunk_body_impl(std::uint64_t left, view body, error_code& ec) override;
  void on_finish_impl(error_code& ec) override;

  /// A view as offsets from the head's first byte: the buffer may move while the head comes in.
  struct place {
    std::size_t offset = 0;
    std::size_t length = 0;
  };
  struct field_place {
    place name;
    place value;
    known_field is = known_field::none;
  };
  /// Whether a line of the head so far ends without its CR (RFC 9112 2.2).
  [[nodiscard]] bool ends_lines_badly();
  [[nodiscard]] place place_of(view text) const;
  [[nodiscard]] std::string_view at(place where) const;
  /// Whether a line ended between a field's name and the end of its value.
  [[nodiscard]] bool folded(view name, view value) const;

  std::string_view data_;  ///< of the parse_head() under way
  std::size_t head_size_ = 0;
  std::size_t looked_at_ = 0;  ///< by ends_lines_badly()
  place method_place_;
  place target_place_;
  place reason_place_;
  std::vector<field_place> field_places_;
  std::string_view method_;
  std::string_view target_;
  std::string_view reason_;
  int status_ = 0;
  int version_ = 11;
  bool in_head_ = true;
  bool in_chunk_ = false;  ///< inside a chunk's data
  std::size_t extensions_size_ = 0;
  std::vector<field_view> fields_;
  std::vector<std::string_view> pieces_;
};

using request_parser = message_parser<true>;
using response_parser = message_parser<false>;

extern template class message_parser<true>;
extern template class message_parser<false>;

}  // namespace fleet::http
