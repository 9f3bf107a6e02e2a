// SPDX-License-Identifier: MIT
#include "dashboard.hpp"

#include "response_head.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace fleet::http {

namespace {

/// Trusted Types forbid what turns text into markup, so that a mistake in the page is an error
/// there and not a hole.
constexpr std::string_view policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

std::string_view type_of(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> types{
      {{".html", "text/html; charset=utf-8"},
       {".css", "text/css; charset=utf-8"},
       {".js", "text/javascript; charset=utf-8"},
       {".svg", "image/svg+xml"}}};
  const auto* found = std::find_if(types.begin(), types.end(),
                                   [&](const auto& type) { return name.ends_with(type.first); });
  return found == types.end() ? "application/octet-stream" : found->second;
}

const page_file* file_of(std::string_view path) {
  static constexpr std::string_view folder = "/dashboard/";
  const auto name = path.starts_with(folder) ? path.substr(folder.size()) : "index.html";
  const auto found = std::find_if(page_files.begin(), page_files.end(),
                                  [&](const page_file& file) { return file.name == name; });
  return found == page_files.end() ? nullptr : &*found;
}

/// RFC 9110 13.1.2; a tag of ours is found whole, its quotes belong to it.
bool has_tag(const request_head& head, std::string_view tag) {
  return head.if_none_match == "*" || head.if_none_match.find(tag) != std::string::npos;
}

}  // namespace

std::string answer_page(const request_head& head, std::string_view request_id, bool keep_alive) {
  const bool bodiless = head.method == "HEAD";
  const auto refused = [&](const refusal& why, std::string_view allow) {
    return own_answer(why.status, error_json(why), keep_alive, bodiless,
                      {{"X-Request-Id", request_id}, {"Allow", allow}});
  };
  if (head.method != "GET" && !bodiless) {
    return refused({405, "method_not_allowed", "this path takes GET, HEAD"}, "GET, HEAD");
  }
  const auto* file = file_of(path_of(head.target));
  if (file == nullptr) {
    return refused({404, "not_found", "the page has no such file; it is /dashboard"}, "");
  }
  const bool known = has_tag(head, file->tag);
  // With no-cache a browser keeps the files and asks each time, so a new router shows a new page.
  return own_answer(known ? 304 : 200, known ? "" : file->bytes, keep_alive, bodiless,
                    {{"X-Request-Id", request_id},
                     {"ETag", file->tag},
                     {"Cache-Control", "no-cache"},
                     {"Content-Security-Policy", policy},
                     {"X-Content-Type-Options", "nosniff"},
                     {"X-Frame-Options", "DENY"},
                     {"Referrer-Policy", "no-referrer"}},
                    type_of(file->name));
}

}  // namespace fleet::http
