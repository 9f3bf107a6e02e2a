// SPDX-License-Identifier: MIT
// docs/openapi.json against the router: its routes, statuses and fields are the real ones.
#include "system/support/fleetctl_run.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>

#include <filesystem>
#include <regex>
#include <set>

using namespace fleet::rig;
namespace json = boost::json;

namespace {

const json::value& document() {
  static const json::value read = json::parse(text_of_file(FLEET_SOURCE_DIR "/docs/openapi.json"));
  return read;
}

const json::value& resolved(const json::value& schema) {
  const auto* ref = schema.as_object().if_contains("$ref");
  if (ref == nullptr)
    return schema;
  json::error_code ec;
  const auto* found = document().find_pointer(std::string(ref->as_string()).substr(1), ec);
  REQUIRE_MESSAGE(found != nullptr, ref->as_string().c_str());
  return *found;
}

bool is_type(const json::value& value, std::string_view type) {
  return type == "object"    ? value.is_object()
         : type == "array"   ? value.is_array()
         : type == "string"  ? value.is_string()
         : type == "boolean" ? value.is_bool()
         : type == "null"    ? value.is_null()
         : type == "integer" ? value.is_int64() || value.is_uint64()
                             : value.is_number();
}

bool is_one_of(const json::value& value, const json::value& types) {
  const auto* several = types.if_array();
  return several == nullptr ? is_type(value, std::string(types.as_string()))
                            : std::any_of(several->begin(), several->end(), [&](const auto& each) {
                                return is_type(value, std::string(each.as_string()));
                              });
}

// What is wrong with a value by a schema, with its place; the parts of JSON Schema the document
// uses. A field the schema does not name is wrong too: it is not documented.
void judge(const json::value& value, const json::value& by, const std::string& place,
           std::vector<std::string>& wrong, bool open = false) {
  const auto& schema = resolved(by).as_object();
  if (const auto* all = schema.if_contains("allOf"))
    for (const auto& part : all->as_array())
      judge(value, part, place, wrong, true);
  if (const auto* constant = schema.if_contains("const"); constant != nullptr && *constant != value)
    wrong.push_back(place + " is not the constant");
  if (const auto* words = schema.if_contains("enum"))
    if (std::count(words->as_array().begin(), words->as_array().end(), value) == 0)
      wrong.push_back(place + " is none of the listed words");
  const auto* type = schema.if_contains("type");
  if (type == nullptr)
    return;
  if (!is_one_of(value, *type)) {
    wrong.push_back(place + " is no " + json::serialize(*type));
    return;
  }
  if (const auto* least = schema.if_contains("minimum"))
    if (value.to_number<double>() < least->to_number<double>())
      wrong.push_back(place + " is too small");
  if (value.is_array() && schema.contains("items"))
    for (const auto& item : value.as_array())
      judge(item, schema.at("items"), place + "[]", wrong);
  if (!value.is_object())
    return;
  if (const auto* required = schema.if_contains("required"))
    for (const auto& name : required->as_array())
      if (!value.as_object().contains(name.as_string()))
        wrong.push_back(place + "." + std::string(name.as_string()) + " is missing");
  if (const auto* properties = schema.if_contains("properties"))
    for (const auto& [name, field] : value.as_object()) {
      const auto* known = properties->as_object().if_contains(name);
      if (known != nullptr)
        judge(field, *known, place + "." + std::string(name), wrong);
      else if (const auto* others = schema.if_contains("additionalProperties"))
        judge(field, *others, place + "." + std::string(name), wrong);
      else if (!open)
        wrong.push_back(place + "." + std::string(name) + " is not documented");
    }
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Asks, and holds the answer against what the document says of this route and status.
class documented_router {
 public:
  explicit documented_router(std::uint16_t port) : port_(port) {}

  message ask(const std::string& method, const std::string& path, const std::string& target,
              int status, const std::string& body = "", const std::string& fields = "") {
    auto answer = exchange_once(
        port_, request(method, target, body, fields + "Connection: close\r\n"), method, 30s);
    CAPTURE(method);
    CAPTURE(target);
    CAPTURE(answer.body);
    CHECK(answer.status() == status);
    const auto& operation = document().at("paths").at(path).at(lower(method));
    const auto& responses = operation.at("responses").as_object();
    const auto* response = responses.if_contains(std::to_string(answer.status()));
    REQUIRE(response != nullptr);
    seen.insert(method + " " + path + " " + std::to_string(answer.status()));
    check_content(answer, resolved(*response).as_object());
    return answer;
  }

  // The same of an answer that goes on: each message of its begin is what its schema says.
  void ask_stream(const std::string& path, const std::string& target, const std::string& fields) {
    raw_client reader{port_};
    reader.send(request("GET", target, "", fields));
    const auto head = reader.read_response_head();
    CHECK(head.status() == 200);
    CHECK(head.get("Content-Type") == "text/event-stream");
    REQUIRE(reader.wait_for("event: sample\ndata: "));
    REQUIRE(reader.wait_for("]}\n\n"));
    const auto& seen_text = reader.unread();
    const std::regex one{"event: ([a-z_]+)\ndata: ([^\n]+)\n"};
    std::size_t count = 0;
    for (std::sregex_iterator at{seen_text.begin(), seen_text.end(), one}, end; at != end; ++at) {
      std::vector<std::string> wrong;
      const auto* schema = (*at)[1].str() == "sample" ? "sample" : "event";
      judge(json::parse((*at)[2].str()), document().at("components").at("schemas").at(schema),
            schema, wrong);
      for (const auto& each : wrong)
        FAIL_CHECK(each);
      ++count;
    }
    CHECK(count > 3);
    seen.insert("GET " + path + " 200");
  }

  // Goes on with another router.
  void turn_to(std::uint16_t port) { port_ = port; }

  std::set<std::string> seen;

 private:
  static void check_content(const message& answer, const json::object& response) {
    if (const auto* headers = response.if_contains("headers"))
      for (const auto& [name, _] : headers->as_object())
        CHECK(answer.has(std::string(name)));
    const auto* content = response.if_contains("content");
    if (content == nullptr)
      return;
    const auto& [type, media] = *content->as_object().begin();
    CHECK(answer.get("Content-Type").starts_with(std::string(type)));
    if (type != "application/json")
      return;
    std::vector<std::string> wrong;
    judge(json::parse(answer.body), media.at("schema"), "body", wrong);
    for (const auto& each : wrong)
      FAIL_CHECK(each);
  }

  std::uint16_t port_;
};

// Documented, but not to be had on purpose in a short test.
const std::set<std::string> not_tried{
    "POST /replicas 502",        "POST /replicas 503", "DELETE /replicas/{name} 503",
    "GET /slots/{slot}/log 503", "GET /events 503",    "POST /slots/{slot}/release 503"};

}  // namespace

TEST_CASE("each documented route answers with its documented statuses and fields") {
  const std::vector<std::string> flags{"--initial-replicas", "0", "--admin-token", "T"};
  ctl_pool p({.more = R"(,"stop_command":["false"])"}, flags);
  documented_router r(p.port());
  const std::string bearer = "Authorization: Bearer T\r\n";
  const auto as_admin = [&](const char* method, const char* path, const std::string& target,
                            int status, const std::string& body = "") {
    return r.ask(method, path, target, status, body, bearer);
  };
  r.ask("GET", "/health", "/health", 503);
  as_admin("GET", "/version", "/version", 200);
  as_admin("GET", "/metrics", "/metrics", 200);
  CHECK(r.ask("GET", "/openapi.json", "/openapi.json", 200).body ==
        text_of_file(FLEET_SOURCE_DIR "/docs/openapi.json"));
  for (const auto& [path, target] :
       {std::pair{"/dashboard", "/dashboard"}, {"/dashboard/{file}", "/dashboard/app.js"}}) {
    const auto tag = r.ask("GET", path, target, 200).get("ETag");
    r.ask("GET", path, target, 304, "", "If-None-Match: " + tag + "\r\n");
  }
  r.ask("GET", "/dashboard/{file}", "/dashboard/x.js", 404);
  as_admin("GET", "/slots/{slot}/log", "/slots/n-d0/log", 502);
  as_admin("POST", "/replicas", "/replicas", 202);
  as_admin("GET", "/replicas/{name}", "/replicas/n-d0", 200);
  REQUIRE(launched_ready(p.port(), "n-d0"));
  r.ask("GET", "/health", "/health", 200);
  as_admin("GET", "/replicas", "/replicas", 200);
  as_admin("GET", "/replicas/{name}", "/replicas/n-d0", 200);
  as_admin("GET", "/replicas/{name}", "/replicas/x", 404);
  as_admin("GET", "/slots", "/slots", 200);
  as_admin("GET", "/slots/{slot}/log", "/slots/n-d0/log?tail=1", 200);
  as_admin("GET", "/slots/{slot}/log", "/slots/n-d0/log?tail=x", 400);
  as_admin("GET", "/slots/{slot}/log", "/slots/x/log", 404);
  as_admin("POST", "/replicas", "/replicas", 400, "[]");
  as_admin("POST", "/replicas", "/replicas", 404, R"({"slot":"x"})");
  as_admin("POST", "/replicas", "/replicas", 409, R"({"slot":"n-d0"})");
  as_admin("POST", "/slots/{slot}/release", "/slots/n-d0/release", 409);
  as_admin("POST", "/slots/{slot}/release", "/slots/x/release", 404);
  exchange_once(p.port(), chat("{}", session("s")));
  as_admin("GET", "/sessions/{id}", "/sessions/s", 200);
  as_admin("GET", "/sessions/{id}", "/sessions/x", 404);
  as_admin("GET", "/snapshot", "/snapshot", 200);
  as_admin("GET", "/events", "/events?samples=2", 400);
  r.ask_stream("/events", "/events?after=0&samples=1", bearer);
  as_admin("DELETE", "/replicas/{name}", "/replicas/x", 404);
  as_admin("DELETE", "/replicas/{name}", "/replicas/n-d0", 500);
  as_admin("GET", "/slots", "/slots", 200);
  as_admin("GET", "/replicas", "/replicas", 200);
  as_admin("POST", "/slots/{slot}/release", "/slots/n-d0/release", 200);
  const scripted_replica u;
  ctl_pool other({}, flags, u.entry());
  r.turn_to(other.port());
  as_admin("POST", "/replicas", "/replicas", 202);
  as_admin("DELETE", "/replicas/{name}", "/replicas/n-d0", 200);
  as_admin("DELETE", "/replicas/{name}", "/replicas/u", 409);
  for (const auto& [path, operations] : document().at("paths").as_object()) {
    if (path.starts_with("/v1/"))
      continue;
    for (const auto& [method, operation] : operations.as_object())
      for (const auto& [status, _] : operation.at("responses").as_object()) {
        auto name = std::string(method);
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        const auto target = std::regex_replace(std::string(path), std::regex{"\\{[a-z]+\\}"}, "y");
        if (status == "401")
          r.ask(name, std::string(path), target, 401);
        const auto what = name + " " + std::string(path) + " " + std::string(status);
        CAPTURE(what);
        CHECK(r.seen.contains(what) != not_tried.contains(what));
      }
  }
}

TEST_CASE("each method the router takes on a path is documented, and no other") {
  ctl_pool p({}, {"--initial-replicas", "0"});
  for (const auto& [path, operations] : document().at("paths").as_object()) {
    if (path.starts_with("/v1/"))
      continue;
    const auto target = std::regex_replace(std::string(path), std::regex{"\\{[a-z]+\\}"}, "y");
    const auto refused = admin(p.port(), "PATCH", target);
    CAPTURE(target);
    REQUIRE(refused.status() == 405);
    std::set<std::string> documented;
    for (const auto& [method, _] : operations.as_object())
      documented.insert(std::string(method));
    std::set<std::string> allowed;
    const auto list = lower(refused.get("Allow"));
    const std::regex word{"[a-z]+"};
    for (std::sregex_iterator at{list.begin(), list.end(), word}, end; at != end; ++at)
      if (at->str() != "head")
        allowed.insert(at->str());
    CHECK(allowed == documented);
  }
}

TEST_CASE("each path that the router's source knows is documented") {
  const std::regex literal{"\"(/(?!proc/)[a-z0-9]+[a-z0-9./]*)\""};
  std::string paths;
  for (const auto& [path, _] : document().at("paths").as_object())
    paths += std::string(path) + "\n";
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::directory_iterator{FLEET_SOURCE_DIR "/src/http"}) {
    if (!entry.is_regular_file())
      continue;
    const auto source = text_of_file(entry.path().string());
    for (std::sregex_iterator at{source.begin(), source.end(), literal}, end; at != end; ++at) {
      ++found;
      CAPTURE(entry.path().string());
      CHECK_MESSAGE(paths.find((*at)[1].str()) != std::string::npos, (*at)[1].str());
    }
  }
  CHECK(found >= 8);
}
