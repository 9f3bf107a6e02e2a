// SPDX-License-Identifier: MIT
// The journal as an actor on real lanes. Contract section 8.
#include "fleet/launch/journal_actor.hpp"

#include "support/thread_lanes.hpp"
#include "system/support/deadline.hpp"
#include "system/support/temp_dir.hpp"

#include "fleet/config/state_file.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/inotify.h>
#include <unistd.h>

using namespace fleet;
using namespace fleet::rig;

namespace {

struct journal_rig {
  journal_rig() {
    use_lanes(config, lanes);
    system.emplace(config);
    auto opened = journal::open(path);
    REQUIRE_MESSAGE(opened, opened.error());
    actor = spawn_journal(*system, *std::move(opened));
  }
  ~journal_rig() {
    end();
    system.reset();
  }
  journal_rig(const journal_rig&) = delete;
  journal_rig& operator=(const journal_rig&) = delete;

  void end() {
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    actor = nullptr;
    system->await_all_actors_done();
  }

  // Asks for all of these at once.
  void record(std::size_t count) {
    system->spawn([this, count, to = actor](caf::event_based_actor* self) {
      for (std::size_t i = 0; i < count; ++i) {
        const auto name = std::to_string(i);
        self->request(to, caf::infinite, record_atom_v,
                      slot_record{.slot = "s" + name,
                                  .host = "n",
                                  .devices = {0},
                                  .address = "a",
                                  .port = 1,
                                  .process = {.instance = "i" + name}})
            .then([this] { ++safe; },
                  [this](const caf::error& why) {
                    last_error = to_string(why);
                    ++failed;
                  });
      }
    });
  }

  void erase(const std::string& slot) {
    system->spawn([this, slot, to = actor](caf::event_based_actor* self) {
      self->request(to, caf::infinite, erase_atom_v, slot)
          .then([this] { ++safe; }, [this](const caf::error&) { ++failed; });
    });
  }

  // Nothing can be written while `full`.
  void fill_disk(bool full) const {
    const auto fresh = path + ".new";
    if (full) {
      std::filesystem::create_directories(fresh + "/in-the-way");
    } else {
      std::filesystem::remove_all(fresh);
    }
  }

  // After so many records: the erasure of the first one fails.
  void refuse_erasure(std::size_t records) {
    record(records);
    REQUIRE(eventually([&] { return safe == records; }));
    fill_disk(true);
    erase("s0");
    REQUIRE(eventually([&] { return failed == 1; }));
    CHECK(on_disk() == records);
    fill_disk(false);
  }

  [[nodiscard]] std::size_t on_disk() const {
    const auto read = read_state_file(path);
    return read ? read->size() : 0;
  }

  temp_dir dir;
  std::string path = dir.path() + "/state.json";
  thread_lanes lanes{2};
  caf::actor_system_config config;
  std::optional<caf::actor_system> system;
  journal_actor actor;
  std::atomic<std::size_t> safe = 0;
  std::atomic<std::size_t> failed = 0;
  std::string last_error;
};

}  // namespace

TEST_CASE("the journal answers when a record is on the disk") {
  journal_rig rig;
  rig.record(1);
  REQUIRE(eventually([&] { return rig.safe == 1; }));
  CHECK(rig.on_disk() == 1);
}

TEST_CASE("records that come while one is being written are written together") {
  journal_rig rig;
  const int watch = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  REQUIRE(::inotify_add_watch(watch, rig.dir.path().c_str(), IN_MOVED_TO) > 0);
  rig.record(2000);
  REQUIRE(eventually([&] { return rig.safe == 2000; }));
  CHECK(rig.on_disk() == 2000);
  std::array<char, 65536> events{};
  const auto bytes = ::read(watch, events.data(), events.size());
  ::close(watch);
  const auto event = static_cast<long>(sizeof(inotify_event) + 16);
  CHECK(bytes / event >= 1);
  CHECK(bytes / event < 200);
}

TEST_CASE("a record that cannot be written is answered with the system's reason") {
  journal_rig rig;
  std::filesystem::remove_all(rig.dir.path());
  rig.record(1);
  REQUIRE(eventually([&] { return rig.failed == 1; }));
  CHECK(rig.last_error.find("No such file or directory") != std::string::npos);
}

TEST_CASE("an erasure that could not be written is tried again until it is") {
  journal_rig rig;
  rig.refuse_erasure(1);
  CHECK(eventually([&] { return rig.on_disk() == 0; }));
}

TEST_CASE("an erasure that could not be written goes with the next write") {
  journal_rig rig;
  rig.refuse_erasure(2);
  rig.erase("s1");
  REQUIRE(eventually([&] { return rig.safe == 3; }));
  CHECK(rig.on_disk() == 0);
}

TEST_CASE("an erasure that could not be written is tried a last time at the end") {
  journal_rig rig;
  rig.refuse_erasure(1);
  rig.end();
  const auto left = read_state_file(rig.path);
  REQUIRE(left);
  CHECK(left->empty());
}

TEST_CASE("a journal that ends leaves nobody without an answer") {
  journal_rig rig;
  rig.record(500);
  REQUIRE(eventually([&] { return rig.safe > 0; }));
  rig.end();
  CHECK(rig.safe + rig.failed == 500);
  CHECK(rig.on_disk() >= rig.safe);
}
