// SPDX-License-Identifier: MIT
// The operator's page. Its files are in dashboard/, and compiled in.
#pragma once

#include "request_head.hpp"

#include <span>
#include <string>
#include <string_view>

namespace fleet::http {

/// One file of the page.
struct page_file {
  std::string_view name;
  std::string_view tag;  ///< entity tag with its quotes; another one when the bytes change
  std::string_view bytes;
};

/// All of them.
extern const std::span<const page_file> page_files;

/// The whole answer to a request for /dashboard or /dashboard/{file}: GET and HEAD, 304 to a tag
/// that the client has. Needs no token: the page has no data, it asks for the token and then the
/// admin API. It may load and ask nothing but this router, run no script but its own files, and
/// stand in no frame.
[[nodiscard]] std::string answer_page(const request_head& head, std::string_view request_id,
                                      bool keep_alive);

}  // namespace fleet::http
