// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"
#include "system/support/wire_table.hpp"

#include <doctest/doctest.h>

#include <future>
#include <mutex>
#include <sstream>

using namespace fleet::rig;

namespace {

std::vector<wire_row> table(const std::string& name) {
  return read_wire_table(FLEET_SOURCE_DIR "/tests/system/smuggling/" + name);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in{text};
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

// -- requests -----------------------------------------------------------------------------------

// The value of the fields that the router mints is never the same.
std::string without_minted(std::string head) {
  for (const std::string name : {"\r\nX-Request-Id: ", "\r\nX-Session-Id: "})
    if (const auto at = head.find(name); at != std::string::npos) {
      const auto begin = at + name.size();
      head.replace(begin, head.find("\r\n", begin) - begin, "*");
    }
  return head;
}

// What the replica saw since it had seen `before` requests: each whole, and strays as one more.
std::vector<std::string> seen_by(const scripted_replica& u, std::size_t before) {
  std::vector<std::string> seen;
  const auto all = u.requests();
  for (std::size_t i = before; i < all.size(); ++i)
    seen.push_back(escaped(without_minted(all[i].head) + all[i].body));
  if (!u.strays().empty())
    seen.push_back("strays: " + escaped(u.strays()));
  return seen;
}

// The answers as the table writes them.
std::string answers_on(raw_client& client, std::size_t answers) {
  std::string got;
  for (std::size_t i = 0; i < answers; ++i) {
    auto answer = client.read_response("POST", 5s);
    while (answer.status() == 100)  // asked for, and no answer yet
      answer = client.read_response("POST", 5s);
    got += std::to_string(answer.status()) + " ";
    if (answer.status() != 0 && !answer.has("X-Replica"))
      got += router_error(answer.body).code + " ";
  }
  const bool asks_on = client.send("GET /health HTTP/1.1\r\nHost: r\r\nConnection: close\r\n\r\n");
  const bool open = asks_on && client.read_response("GET", 5s).status() == 200;
  return got + (open ? "open" : "close");
}

void play_request(const wire_row& row, scripted_replica& u, std::uint16_t router, bool piecemeal) {
  CAPTURE(row.name);
  CAPTURE(piecemeal);
  const auto before = u.request_count();
  const auto wanted = row.get("client");
  std::size_t answers = 0;
  for (const auto& word : words_of(wanted))
    answers += word.find_first_not_of("0123456789") == std::string::npos ? 1 : 0;
  std::string bytes;
  for (const auto& piece : row.all(">"))
    bytes += piece;
  raw_client client{router};
  for (std::size_t i = 0; piecemeal && i < bytes.size(); ++i)
    client.send(bytes.substr(i, 1));
  if (!piecemeal)
    client.send(bytes);
  // After `close` nothing may follow, so the probe of answers_on() must not be the first to say so.
  if (wanted.ends_with("close")) {
    CHECK(client.wait_end(10s) != read_state::timeout);
  }
  CHECK(answers_on(client, answers) == wanted);
  CHECK(client.unread().empty());
  std::vector<std::string> expected;
  for (const auto& each : row.all("replica"))
    expected.push_back(escaped(with(each, "host", "127.0.0.1:" + std::to_string(u.port()))));
  CHECK(seen_by(u, before) == expected);
}

// -- answers ------------------------------------------------------------------------------------

// Sends a row's bytes; what ends the connection stands last in them.
void send_row(replica_turn& turn, std::string bytes) {
  const bool fin = bytes.ends_with("{fin}");
  const bool rst = bytes.ends_with("{rst}");
  turn.send(fin || rst ? bytes.substr(0, bytes.size() - 5) : bytes);
  if (rst) {
    turn.pause(30ms);  // what it overtakes would be lost
    turn.rst();
  } else if (fin) {
    turn.close();
  }
}

// A replica that answers the first turn after `begin` with a row's bytes and every other well.
class lying_replica {
 public:
  lying_replica() : replica{"u", [this](replica_turn& turn) { answer(turn); }} {}

  void begin(const wire_row& row) {
    const std::lock_guard lock{mutex_};
    row_ = &row;
    again_ = 0;
    may_go_on_ = {};
    gone_on_ = {};
  }
  // The client has its answer: `later` may go.
  void go_on() {
    may_go_on_.set_value();
    gone_on_.get_future().wait();
  }

 private:
  void answer(replica_turn& turn) {
    turn.read_body();
    const wire_row* row = nullptr;
    {
      const std::lock_guard lock{mutex_};
      row = std::exchange(row_, nullptr);
    }
    if (row == nullptr) {
      // The first turn after a row shows what that left behind; nothing is left for the next row.
      turn.send(response("200 OK", R"({"ok":true})", again_++ == 0 ? "" : "Connection: close\r\n"));
      return;
    }
    send_row(turn, row->get("<"));
    if (const auto later = row->get("later"); !later.empty()) {
      may_go_on_.get_future().wait();
      send_row(turn, later);
    }
    gone_on_.set_value();
  }

  std::mutex mutex_;
  const wire_row* row_ = nullptr;
  std::atomic<int> again_ = 0;
  std::promise<void> may_go_on_;
  std::promise<void> gone_on_;

 public:
  scripted_replica replica;
};

std::string answer_on(raw_client& client, const std::string& method) {
  const auto answer = client.read_response(method, 5s);
  auto got = std::to_string(answer.status());
  if (answer.status() != 0 && !answer.has("X-Replica"))
    return got + " " + router_error(answer.body).code;
  if (answer.status() == 0)
    return got;
  return got + (answer.complete() ? " whole " : " cut ") + escaped(answer.body);
}

void play_answer(const wire_row& row, lying_replica& u, std::uint16_t router) {
  CAPTURE(row.name);
  const auto method = row.get("ask", "POST");
  u.begin(row);
  raw_client client{router};
  client.send(request(method, "/v1/x", "{}", session("s")));
  auto wanted = row.get("client");
  if (wanted.ends_with("whole") || wanted.ends_with("cut"))
    wanted += " ";
  CHECK(answer_on(client, method) == wanted);
  u.go_on();
  if (!row.get("later").empty()) {
    CHECK(eventually([&] { return u.replica.open_connections() == 0; }));
  }
  const auto connections = u.replica.connections();
  for (int i = 0; i < 2; ++i) {
    raw_client next{router};
    next.send(chat("{}", session("s")));
    CHECK(answer_on(next, "POST") == R"(200 whole {"ok":true})");
    if (i == 0) {
      const bool reused = u.replica.connections() == connections;
      CHECK((reused ? "reused" : "fresh") == row.get("again"));
    }
  }
  // Nothing behind an answer, and in step where the connection stays.
  if (wanted.find(" cut ") == std::string::npos) {
    client.send(chat("{}", session("s")));
    CHECK(answer_on(client, "POST") == R"(200 whole {"ok":true})");
  } else {
    CHECK(client.wait_end() != read_state::timeout);
  }
  CHECK(client.unread().empty());
}

}  // namespace

TEST_CASE("each request of the smuggling table is refused, or reaches the replica as it says") {
  const auto rows = table("requests.txt");
  REQUIRE(rows.size() > 150);
  scripted_replica u;
  ready_router r{fleet_of({u})};
  for (const auto& row : rows)
    play_request(row, u, r.port(), false);
  CHECK(becomes_idle(r.port()));
}

TEST_CASE("each request of the smuggling table means the same when it comes byte by byte") {
  const auto rows = table("requests.txt");
  scripted_replica u;
  ready_router r{fleet_of({u})};
  for (const auto& row : rows)
    if (row.get(">").size() < 1000)
      play_request(row, u, r.port(), true);
  CHECK(becomes_idle(r.port()));
}

TEST_CASE("each answer of the smuggling table reaches its own client only, and shows what it is") {
  const auto rows = table("answers.txt");
  REQUIRE(rows.size() > 90);
  lying_replica u;
  ready_router r{fleet_of({u.replica}), {"--threads", "1"}};
  for (const auto& row : rows)
    play_answer(row, u, r.port());
  CHECK(becomes_idle(r.port()));
}
