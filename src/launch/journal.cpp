// SPDX-License-Identifier: MIT
#include "fleet/launch/journal.hpp"

#include "file_descriptor.hpp"

#include "fleet/config/state_file.hpp"
#include "fleet/core/harmless.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace fleet {

namespace {

namespace fs = std::filesystem;

constexpr mode_t owner_only = 0600;
constexpr int most_links = 40;

failure system_failure(const std::string& path, int error = errno) {
  return {path + ": " + std::generic_category().message(error)};
}

/// Where the links lead, also when nothing is there.
outcome<std::string> follow_links(const std::string& path) {
  fs::path place = path;
  for (int i = 0; i < most_links; ++i) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(place, error))) {
      return place.string();
    }
    const auto next = fs::read_symlink(place, error);
    if (error) {
      return failure{path + ": " + error.message()};
    }
    place = place.parent_path() / next;
  }
  return system_failure(path, ELOOP);
}

/// No link is followed at the very end, since links have been followed before.
outcome<file_descriptor> lock_file(const std::string& file, const std::string& shown) {
  const auto path = file + ".lock";
  file_descriptor held(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, owner_only));
  if (held.get() < 0) {
    return system_failure(path);
  }
  if (::flock(held.get(), LOCK_EX | LOCK_NB) != 0) {
    return errno == EWOULDBLOCK ? failure{shown + ": another router keeps its record there"}
                                : system_failure(path);
  }
  return held;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  return true;
}

/// A whole new file; what went wrong, 0 when nothing did.
int write_file(const std::string& path, std::string_view text) {
  ::unlink(path.c_str());
  file_descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, owner_only));
  if (file.get() < 0) {
    return errno;
  }
  const bool good = ::fchmod(file.get(), owner_only) == 0 && write_all(file.get(), text) &&
                    ::fsync(file.get()) == 0 && ::close(file.release()) == 0;
  return good ? 0 : errno;
}

int sync_directory_of(const std::string& path) {
  const auto parent = fs::path(path).parent_path().string();
  const file_descriptor folder(
      ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder.get() >= 0 && ::fsync(folder.get()) == 0 ? 0 : errno;
}

/// The old file or the new one is there at any moment.
std::optional<failure> replace_file(const std::string& path, std::string_view text) {
  const auto fresh = path + ".new";
  if (const int error = write_file(fresh, text); error != 0) {
    ::unlink(fresh.c_str());
    return system_failure(fresh, error);
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(fresh.c_str());
    return system_failure(path, error);
  }
  if (const int error = sync_directory_of(path); error != 0) {
    return system_failure(path, error);
  }
  return std::nullopt;
}

void date(slot_record& record, const slot_record* before, wall_time now) {
  const auto stamp = std::chrono::floor<std::chrono::milliseconds>(now);
  const bool same_process =
      before != nullptr && before->process.instance == record.process.instance;
  record.launched_at = same_process                      ? before->launched_at
                       : record.process.instance.empty() ? wall_time{}
                                                         : stamp;
  const bool same_reason = before != nullptr && before->reason == record.reason;
  record.since = record.reason.empty() ? wall_time{} : same_reason ? before->since : stamp;
  record.detail = record.reason.empty() ? std::string{} : harmless(record.detail);
}

void make(const journal::change& what, std::vector<slot_record>& records, wall_time now) {
  const auto* given = std::get_if<slot_record>(&what);
  const auto& slot = given != nullptr ? given->slot : std::get<std::string>(what);
  const auto known = std::find_if(records.begin(), records.end(),
                                  [&](const slot_record& x) { return x.slot == slot; });
  if (given == nullptr) {
    std::erase_if(records, [&](const slot_record& x) { return x.slot == slot; });
    return;
  }
  auto record = *given;
  date(record, known == records.end() ? nullptr : &*known, now);
  if (known == records.end()) {
    records.push_back(std::move(record));
  } else {
    *known = std::move(record);
  }
}

}  // namespace

class journal::keeper {
 public:
  keeper(std::string path, file_descriptor lock, std::vector<slot_record> records)
      : path_(std::move(path)), lock_(std::move(lock)), records_(std::move(records)) {}

  [[nodiscard]] const std::vector<slot_record>& records() const { return records_; }

  /// What could not be read again must never get there.
  std::optional<failure> write(std::vector<slot_record> records) {
    const auto text = state_text(records);
    if (const auto again = parse_state(text, path_); !again) {
      return failure{"not fit for the state file: " + again.error()};
    }
    auto why_not = replace_file(path_, text);
    if (!why_not) {
      records_ = std::move(records);
    }
    return why_not;
  }

 private:
  std::string path_;
  file_descriptor lock_;
  std::vector<slot_record> records_;
};

outcome<journal> journal::open(const std::string& path) {
  auto place = follow_links(path);
  if (!place) {
    return failure{place.error()};
  }
  std::error_code error;
  const auto found = fs::symlink_status(*place, error);
  if (fs::exists(found) && !fs::is_regular_file(found)) {
    return failure{path + ": expected a regular file"};
  }
  auto held = lock_file(*place, path);
  if (!held) {
    return failure{held.error()};
  }
  auto records = read_state_file(*place);
  if (!records) {
    return failure{records.error()};
  }
  journal opened(
      std::make_unique<keeper>(*std::move(place), *std::move(held), std::vector<slot_record>{}));
  if (auto why_not = opened.keeper_->write(*std::move(records))) {
    return *std::move(why_not);
  }
  return opened;
}

journal::journal(std::unique_ptr<keeper> kept) : keeper_(std::move(kept)) {}
journal::journal(journal&&) noexcept = default;
journal& journal::operator=(journal&&) noexcept = default;
journal::~journal() = default;

const std::vector<slot_record>& journal::records() const {
  return keeper_->records();
}

std::optional<failure> journal::apply(const std::vector<change>& changes, wall_time now) {
  auto records = keeper_->records();
  for (const auto& each : changes) {
    make(each, records, now);
  }
  return keeper_->write(std::move(records));
}

}  // namespace fleet
