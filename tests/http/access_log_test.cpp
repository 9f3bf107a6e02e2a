// SPDX-License-Identifier: MIT
#include "fleet/http/access_log.hpp"

#include "lane_fixture.hpp"

#include "fleet/core/harmless.hpp"

#include <boost/json/parse.hpp>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace fleet;
using namespace fleet::http;
using end = scripted_upstream::end;
namespace json = boost::json;

namespace {

struct folder {
  folder() {
    REQUIRE(mkdtemp(path.data()) != nullptr);
    file = path + "/access.log";
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() { std::filesystem::remove_all(path); }

  std::string path = (std::filesystem::temp_directory_path() / "access-XXXXXX").string();
  std::string file;
};

struct shared_log final : logger {
  void write(log_level, std::string_view event, std::initializer_list<log_field>) override {
    const std::lock_guard lock(mutex);
    events.emplace_back(event);
  }
  std::size_t count(std::string_view event) {
    const std::lock_guard lock(mutex);
    return static_cast<std::size_t>(std::count(events.begin(), events.end(), event));
  }

  std::mutex mutex;
  std::vector<std::string> events;
};

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

bool soon(const std::function<bool()>& condition) {
  const auto over = steady_clock::now() + std::chrono::seconds(10);
  while (!condition() && steady_clock::now() < over) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return condition();
}

access_entry entry_of(std::string request_id) {
  return {.method = "POST", .request_id = std::move(request_id)};
}

/// A pipe that nobody reads: it fills up, and its writer hangs until this goes.
struct stuck_disk {
  stuck_disk() {
    REQUIRE(mkfifo(file.c_str(), 0600) == 0);
    reader = ::open(file.c_str(), O_RDONLY | O_NONBLOCK);
  }
  stuck_disk(const stuck_disk&) = delete;
  stuck_disk& operator=(const stuck_disk&) = delete;
  ~stuck_disk() { ::close(reader); }

  folder place;
  std::string file = place.path + "/pipe";
  int reader = -1;
};

}  // namespace

TEST_CASE("a line is valid UTF-8 and JSON whatever a client sends") {
  std::string all;
  for (int i = 0; i < 256; ++i) {
    all.push_back(static_cast<char>(i));
  }
  auto entry = entry_of(all);
  entry.path = "/v1/\xff\xc0\xaf\"\\";
  entry.method = "P\x80";
  const auto line = access_line(entry);
  CHECK(line.ends_with("}\n"));
  CHECK(line.find('\n') == line.size() - 1);
  const auto body = line.substr(0, line.size() - 1);
  CHECK(harmless(body) == body);
  const auto read = json::parse(body).as_object();
  CHECK(read.at("path").as_string() == "/v1/???\"\\");
  CHECK(read.at("method").as_string() == "P?");
  CHECK(read.at("session").is_null());
  CHECK(read.at("first_byte_ms").is_null());
}

TEST_CASE("a log reopens its file behind the lines that wait") {
  const folder place;
  shared_log log;
  auto opened = access_log::open(place.file, log);
  REQUIRE(opened);
  auto& access = **opened;
  access.add(entry_of("before"));
  REQUIRE(soon([&] { return access.written() == 1; }));
  std::filesystem::rename(place.file, place.file + ".1");
  access.add(entry_of("between"));
  access.reopen();
  REQUIRE(soon([&] { return std::filesystem::exists(place.file); }));
  access.add(entry_of("after"));
  opened->reset();
  REQUIRE(lines_of(place.file + ".1").size() == 2);
  REQUIRE(lines_of(place.file).size() == 1);
  CHECK(lines_of(place.file)[0].find("after") != std::string::npos);
}

TEST_CASE("a log that cannot reopen its file goes on with the old one") {
  const folder place;
  shared_log log;
  auto opened = access_log::open(place.file, log);
  REQUIRE(opened);
  std::filesystem::rename(place.file, place.file + ".1");
  std::filesystem::create_directory(place.file);
  (*opened)->reopen();
  REQUIRE(soon([&] { return log.count("access_log_reopen_failed") == 1; }));
  (*opened)->add(entry_of("x"));
  opened->reset();
  CHECK(lines_of(place.file + ".1").size() == 1);
}

TEST_CASE("a file that cannot be opened is refused with its name") {
  shared_log log;
  const auto opened = access_log::open("/nowhere/access.log", log);
  REQUIRE(!opened);
  CHECK(opened.error() == "--access-log /nowhere/access.log: No such file or directory");
}

TEST_CASE("the end writes what waits") {
  const folder place;
  shared_log log;
  {
    auto opened = access_log::open(place.file, log);
    REQUIRE(opened);
    for (int i = 0; i < 1000; ++i) {
      (*opened)->add(entry_of(std::to_string(i)));
    }
  }
  const auto lines = lines_of(place.file);
  REQUIRE(lines.size() == 1000);
  CHECK(json::parse(lines.back()).at("request_id").as_string() == "999");
}

TEST_CASE("a slow disk delays nobody: lines are dropped, counted, and the log says so once") {
  const stuck_disk disk;
  shared_log log;
  auto opened = access_log::open(disk.file, log);
  REQUIRE(opened);
  auto& access = **opened;
  const auto begin = steady_clock::now();
  constexpr int lines = 40'000;
  for (int i = 0; i < lines; ++i) {
    access.add(entry_of(std::to_string(i)));
  }
  CHECK(steady_clock::now() - begin < std::chrono::seconds(5));
  CHECK(access.dropped() > 0);
  CHECK(access.dropped() < lines);
  CHECK(log.count("access_log_dropping") == 1);
  // The reader wakes up: lines are written again, each whole.
  std::string text;
  std::array<char, 65536> piece{};
  REQUIRE(soon([&] {
    for (;;) {
      const auto n = ::read(disk.reader, piece.data(), piece.size());
      if (n <= 0) {
        break;
      }
      text.append(piece.data(), static_cast<std::size_t>(n));
    }
    return access.written() + access.dropped() == lines;
  }));
  CHECK(log.count("access_log_resumed") == 1);
  CHECK(log.count("access_log_dropping") == 1);
}

TEST_CASE("a disk that hangs does not hold up the end for long") {
  const stuck_disk disk;
  shared_log log;
  auto opened = access_log::open(disk.file, log);
  REQUIRE(opened);
  for (int i = 0; i < 5000; ++i) {
    (*opened)->add(entry_of(std::to_string(i)));
  }
  const auto begin = steady_clock::now();
  opened->reset();
  CHECK(steady_clock::now() - begin < std::chrono::seconds(8));
}

TEST_CASE("a full disk drops lines") {
  shared_log log;
  auto opened = access_log::open("/dev/full", log);
  REQUIRE(opened);
  (*opened)->add(entry_of("x"));
  (*opened)->add(entry_of("y"));
  CHECK(soon([&] { return (*opened)->dropped() == 2; }));
  CHECK((*opened)->written() == 0);
  CHECK(log.count("access_log_dropping") == 1);
}

namespace {

struct logged_lane : lane_fixture {
  logged_lane() {
    auto opened = access_log::open(place.file, log);
    REQUIRE(opened);
    access = *std::move(opened);
    services->access = access.get();
  }

  /// The only line.
  json::object line() {
    REQUIRE(run_until([&] { return lines_of(place.file).size() == 1; }));
    return json::parse(lines_of(place.file)[0]).as_object();
  }

  const folder place;
  shared_log log;
  std::unique_ptr<access_log> access;
};

}  // namespace

TEST_CASE_FIXTURE(logged_lane, "a turn leaves one line that tells its way") {
  upstream_that(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n",
      end::keep);
  chat(
      "X-Session-Id: s\r\nX-Request-Id: r-1\r\n"
      "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n");
  CHECK(gets("0\r\n\r\n"));
  const auto told = line();
  CHECK(told.at("client").as_string() == "127.0.0.1");
  CHECK(told.at("method").as_string() == "POST");
  CHECK(told.at("path").as_string() == "/v1/x");
  CHECK(told.at("route").as_string() == "other");
  CHECK(told.at("status").to_number<int>() == 200);
  CHECK(told.at("code").is_null());
  CHECK(told.at("session").as_string() == "s");
  CHECK(told.at("replica").as_string() == "replica1");
  CHECK(told.at("affinity").as_string() == "miss");
  CHECK(told.at("why").as_string() == "no_pin");
  CHECK(told.at("bytes_in").to_number<int>() == 2);
  CHECK(told.at("bytes_out").to_number<int>() == 6);
  CHECK(told.at("pieces").to_number<int>() >= 1);
  CHECK(told.at("first_byte_ms").to_number<double>() > 0);
  CHECK(told.at("total_ms").to_number<double>() >= told.at("first_byte_ms").to_number<double>());
  CHECK(told.at("end").as_string() == "done");
  CHECK(told.at("request_id").as_string() == "r-1");
  CHECK(told.at("trace").as_string() == "0af7651916cd43dd8448eb211c80319c");
}

TEST_CASE_FIXTURE(logged_lane, "a refused turn leaves a line with its code") {
  chat();
  CHECK(gets("503"));
  const auto told = line();
  CHECK(told.at("status").to_number<int>() == 503);
  CHECK(told.at("code").as_string() == "no_replica");
  CHECK(told.at("end").as_string() == "refused");
  CHECK(told.at("replica").is_null());
  CHECK(told.at("affinity").is_null());
  CHECK(told.at("bytes_out").to_number<int>() > 50);
}

TEST_CASE_FIXTURE(logged_lane, "a client that leaves in its upload leaves a line") {
  send("POST /v1/x HTTP/1.1\r\nHost: r\r\nContent-Length: 10\r\n\r\nhalf");
  CHECK(run_until([&] { return services->client_count == 1; }));
  lane.io.restart();
  lane.io.run_for(std::chrono::milliseconds(20));
  client.close();
  const auto told = line();
  CHECK(told.at("status").to_number<int>() == 0);
  CHECK(told.at("end").as_string() == "client_gone");
}

TEST_CASE_FIXTURE(logged_lane, "what is no turn leaves no line") {
  send("GET /health HTTP/1.1\r\nHost: r\r\n\r\n");
  CHECK(gets("503"));
  received.clear();
  send("GET /replicas HTTP/1.1\r\nHost: r\r\n\r\n");
  CHECK(gets("200"));
  chat();
  CHECK(gets("no_replica"));
  CHECK(line().at("path").as_string() == "/v1/x");
}
