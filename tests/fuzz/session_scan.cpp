// SPDX-License-Identifier: MIT
// The session id of a body: what a JSON parser finds, however the body comes in pieces.
#include "fleet/core/session_scan.hpp"

#include "support/judge.hpp"
#include "support/session_by_parser.hpp"

#include "fleet/core/session_id.hpp"

#include <boost/json/parse.hpp>

#include <optional>
#include <string>

namespace {

using namespace fleet::fuzz;
namespace json = boost::json;
using found_id = std::optional<std::string>;

found_id scanned(std::string_view body, unsigned way) {
  fleet::session_scan scan;
  for (const auto piece : cut(body, way)) {
    scan.feed(piece);
  }
  return scan.result();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto body = text_of(data, size);
  const auto found = scanned(body, 0);
  expect(!found || found->empty() || fleet::valid_session_id(*found), "an id found is valid");
  for (unsigned way = 1; way < 4; ++way) {
    expect(scanned(body, way) == found, "the cuts between pieces change nothing");
  }
  if (body.starts_with("\xEF\xBB\xBF")) {
    body.remove_prefix(3);
  }
  json::parse_options deep;
  deep.max_depth = 1000;
  json::error_code ec;
  const auto document = json::parse(json::string_view(body.data(), body.size()), ec, {}, deep);
  if (!ec) {
    const auto wanted = fleet::session_by_parser(document);
    expect(found == wanted, "the parser's session_id is found", wanted.value_or("(none)"));
  }
  return 0;
}
