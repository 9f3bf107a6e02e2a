// SPDX-License-Identifier: MIT
// The state file on the disk. Contract section 8; spec: "If the router restarts".
#include "fleet/launch/journal.hpp"

#include "launch/support/procfs.hpp"
#include "system/support/temp_dir.hpp"

#include "fleet/config/state_file.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace std::chrono_literals;
using namespace fleet;
using fleet::rig::read_file;
using fleet::rig::temp_dir;

namespace {

constexpr wall_time noon{std::chrono::seconds(1'800'000'000)};

slot_record record(const std::string& slot, const std::string& instance, std::string reason = {}) {
  return {.slot = slot,
          .host = "n",
          .devices = {0},
          .address = "127.0.0.1",
          .port = 9000,
          .process = {.instance = instance},
          .reason = std::move(reason)};
}

struct kept_file {
  temp_dir dir;
  std::string path = dir.path() + "/state.json";

  [[nodiscard]] journal open() const {
    auto opened = journal::open(path);
    REQUIRE_MESSAGE(opened, opened.error());
    return *std::move(opened);
  }
  [[nodiscard]] std::string refusal() const {
    const auto opened = journal::open(path);
    return opened ? "opened" : opened.error();
  }
  [[nodiscard]] std::vector<slot_record> on_disk() const {
    const auto read = read_state_file(path);
    REQUIRE_MESSAGE(read, read.error());
    return *read;
  }
  [[nodiscard]] mode_t mode() const {
    struct stat found {};
    REQUIRE(::stat(path.c_str(), &found) == 0);
    return found.st_mode & 07777;
  }
};

// While it lives no file may grow beyond this many bytes.
class file_size_limit {
 public:
  explicit file_size_limit(rlim_t bytes) {
    before_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &usual_);
    const rlimit tight{bytes, usual_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &tight);
  }
  ~file_size_limit() {
    ::setrlimit(RLIMIT_FSIZE, &usual_);
    std::signal(SIGXFSZ, before_);
  }
  file_size_limit(const file_size_limit&) = delete;
  file_size_limit& operator=(const file_size_limit&) = delete;

 private:
  rlimit usual_{};
  void (*before_)(int) = SIG_DFL;
};

}  // namespace

TEST_CASE("what is recorded is on the disk once apply returns, and the next router reads it") {
  const kept_file file;
  {
    auto kept = file.open();
    CHECK(!kept.apply({record("a", "i1"), record("b", "i2", "stop-unconfirmed")}, noon));
    CHECK(file.on_disk() == kept.records());
    CHECK(!kept.apply({std::string("a"), std::string("unknown")}, noon));
  }
  const auto next = file.open();
  REQUIRE(next.records().size() == 1);
  CHECK(next.records()[0].slot == "b");
}

TEST_CASE("launched_at is when the instance was first recorded, since when the reason was") {
  const kept_file file;
  auto kept = file.open();
  auto x = record("a", "i1");
  CHECK(!kept.apply({x}, noon));
  x.process.process_group = 7;
  CHECK(!kept.apply({x}, noon + 1s));
  CHECK(kept.records()[0].launched_at == noon);
  x.reason = "stop-unconfirmed";
  CHECK(!kept.apply({x}, noon + 2s + 1ns));
  x.detail = "another";
  CHECK(!kept.apply({x}, noon + 3s));
  CHECK(kept.records()[0].since == noon + 2s);
  CHECK(kept.records()[0].launched_at == noon);
  CHECK(kept.records()[0].process.process_group == 7);
  CHECK(!kept.apply({record("a", "i2")}, noon + 4s));
  CHECK(kept.records()[0].launched_at == noon + 4s);
  CHECK(kept.records()[0].since == wall_time{});
}

TEST_CASE("the file is readable by its owner only, also when it was not before") {
  const kept_file file;
  file.dir.write("state.json", state_text({}));
  ::chmod(file.path.c_str(), 0644);
  const auto kept = file.open();
  CHECK(file.mode() == 0600);
}

TEST_CASE("a corrupt file is refused and left as it is") {
  const kept_file file;
  for (const auto* text : {"{", "", R"({"version":2})"}) {
    file.dir.write("state.json", text);
    CHECK(file.refusal().starts_with(file.path + ": "));
    CHECK(read_file(file.path) == text);
  }
}

TEST_CASE("a second router on the same file is refused, also by way of a link") {
  const kept_file file;
  std::filesystem::create_symlink("state.json", file.dir.path() + "/link.json");
  {
    const auto kept = file.open();
    CHECK(file.refusal() == file.path + ": another router keeps its record there");
    CHECK(!journal::open(file.dir.path() + "/link.json"));
  }
  CHECK(file.refusal() == "opened");
}

TEST_CASE("a file that cannot be written is refused when it is opened") {
  const temp_dir dir;
  CHECK(journal::open(dir.path() + "/no/state.json").error() ==
        dir.path() + "/no/state.json.lock: No such file or directory");
  CHECK(journal::open(dir.path()).error() == dir.path() + ": expected a regular file");
  CHECK(journal::open("/dev/null").error() == "/dev/null: expected a regular file");
}

TEST_CASE("a link is written through, not replaced") {
  const temp_dir dir;
  std::filesystem::create_directory(dir.path() + "/real");
  std::filesystem::create_symlink("real/s.json", dir.path() + "/middle.json");
  std::filesystem::create_symlink(dir.path() + "/middle.json", dir.path() + "/state.json");
  auto kept = journal::open(dir.path() + "/state.json");
  REQUIRE(kept);
  CHECK(!kept->apply({record("a", "i1")}, noon));
  CHECK(std::filesystem::is_symlink(dir.path() + "/state.json"));
  CHECK(std::filesystem::is_symlink(dir.path() + "/middle.json"));
  CHECK(read_state_file(dir.path() + "/real/s.json")->size() == 1);
}

TEST_CASE("a link that leads to itself is refused") {
  const temp_dir dir;
  std::filesystem::create_symlink("state.json", dir.path() + "/state.json");
  CHECK(journal::open(dir.path() + "/state.json").error() ==
        dir.path() + "/state.json: Too many levels of symbolic links");
}

TEST_CASE("a write that fails says why, leaves the file as it was, and the next one tries again") {
  const kept_file file;
  auto kept = file.open();
  CHECK(!kept.apply({record("a", "i1")}, noon));
  const auto before = read_file(file.path);
  {
    const file_size_limit full(100);
    const auto why_not = kept.apply({record("b", "i2")}, noon);
    REQUIRE(why_not);
    CHECK(why_not->message == file.path + ".new: File too large");
  }
  CHECK(read_file(file.path) == before);
  CHECK(!std::filesystem::exists(file.path + ".new"));
  CHECK(kept.records().size() == 1);
  CHECK(!kept.apply({record("c", "i3")}, noon));
  CHECK(file.on_disk().size() == 2);
}

TEST_CASE("what could not be read again is never written") {
  const kept_file file;
  auto kept = file.open();
  auto odd = record("a", "i1", "stop-unconfirmed");
  odd.detail = "\xff\x1b[2J";
  CHECK(!kept.apply({odd}, noon));
  CHECK(file.on_disk()[0].detail == "??[2J");
  CHECK(kept.apply({record("\xff", "i2")}, noon));
  CHECK(kept.apply({record("b", "i1")}, noon));
  CHECK(file.on_disk().size() == 1);
}

TEST_CASE("a launched child inherits neither the file nor its lock") {
  const kept_file file;
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  {
    const auto kept = file.open();
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(ends[1], 1);
      ::execlp("sh", "sh", "-c", "readlink /proc/self/fd/*", nullptr);
      ::_exit(1);
    }
    ::waitpid(child, nullptr, 0);
  }
  std::array<char, 4096> seen{};
  const auto size = ::read(ends[0], seen.data(), seen.size());
  CHECK(std::string(seen.data(), static_cast<std::size_t>(size)).find("state.json") ==
        std::string::npos);
}

// A child writes one record after the other and tells of each that is safe; it is killed in
// between.
TEST_CASE("a crash at any moment leaves a whole file that holds what was safe before") {
  const kept_file file;
  for (int run = 0; run < 40; ++run) {
    std::filesystem::remove(file.path);
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      auto kept = journal::open(file.path);
      for (std::uint32_t i = 0; kept && i < 100'000; ++i) {
        const auto instance = "i" + std::to_string(i);
        if (kept->apply(
                {record("a", instance), record("b" + std::to_string(i % 50), "b" + instance)},
                noon) ||
            ::write(ends[1], &i, sizeof i) != sizeof i) {
          break;
        }
      }
      ::_exit(1);
    }
    ::close(ends[1]);
    std::uint32_t last = 0;
    REQUIRE(::read(ends[0], &last, sizeof last) == sizeof last);
    std::this_thread::sleep_for(std::chrono::microseconds(137 * run));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    while (::read(ends[0], &last, sizeof last) == sizeof last) {
    }
    ::close(ends[0]);
    const auto found = file.on_disk();
    REQUIRE(!found.empty());
    const auto now = std::stoul(found[0].process.instance.substr(1));
    CHECK((now == last || now == last + 1));
    CHECK(file.refusal() == "opened");
  }
}
