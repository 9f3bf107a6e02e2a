// SPDX-License-Identifier: MIT
#include "fleet/http/access_log.hpp"

#include "fleet/core/harmless.hpp"
#include "fleet/core/timestamp.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string_view.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace fleet::http {

namespace {

/// Lines are gathered for so long, so that a busy lane does not wake the writer for each.
constexpr std::chrono::milliseconds gather_time{20};
constexpr std::chrono::seconds goodbye{3};
constexpr std::size_t written_at_once = 64 * 1024;
constexpr mode_t file_mode = 0640;

/// An object that grows by its members; a member without a value is null.
class line_writer {
 public:
  void text(std::string_view key, std::string_view value) {
    const auto clean = harmless(value);
    begin(key).append(value.empty() ? "null"
                                    : boost::json::serialize(boost::json::string_view(clean)));
  }
  void number(std::string_view key, std::uint64_t value) {
    begin(key).append(std::to_string(value));
  }
  void milliseconds(std::string_view key, std::optional<std::chrono::nanoseconds> value) {
    std::array<char, 48> digits{};
    if (value) {
      std::snprintf(digits.data(), digits.size(), "%.3f",
                    std::chrono::duration<double, std::milli>(*value).count());
    }
    begin(key).append(value ? digits.data() : "null");
  }
  [[nodiscard]] std::string end() && { return std::move(out_.append("}\n")); }

 private:
  std::string& begin(std::string_view key) {
    return out_.append(out_.empty() ? "{\"" : ",\"").append(key).append("\":");
  }

  std::string out_;
};

/// -1 and errno when it cannot be had. A pipe is not waited for.
int open_file(const std::string& file) {
  if (file == "-") {
    return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  }
  const int opened =
      ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, file_mode);
  if (opened >= 0) {
    fcntl(opened, F_SETFL, fcntl(opened, F_GETFL) & ~O_NONBLOCK);
  }
  return opened;
}

}  // namespace

std::string access_line(const access_entry& entry) {
  line_writer line;
  line.text("time", to_timestamp(entry.at));
  line.text("client", entry.client);
  line.text("method", entry.method);
  line.text("path", entry.path);
  line.text("route", entry.route);
  line.number("status", static_cast<std::uint64_t>(entry.status));
  line.text("code", entry.code);
  line.text("session", entry.session);
  line.text("replica", entry.replica);
  line.text("affinity", entry.affinity);
  line.text("why", entry.why);
  line.number("bytes_in", entry.bytes_in);
  line.number("bytes_out", entry.bytes_out);
  line.number("pieces", entry.pieces);
  line.milliseconds("first_byte_ms", entry.first_byte);
  line.milliseconds("total_ms", entry.total);
  line.text("end", entry.end);
  line.text("request_id", entry.request_id);
  line.text("trace", entry.trace);
  return std::move(line).end();
}

/// Shared with the writer's thread, which may outlive the log while a disk hangs.
struct access_log::state {
  std::string file;
  int descriptor = -1;  // the writer's, once it runs
  bool torn = false;    // the writer's: the last line is not whole

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::vector<access_entry> waiting;
  logger* log = nullptr;  // null once the access_log has gone
  bool asleep = false;    // the writer waits for a first line
  bool reopening = false;
  bool closed = false;
  bool ended = false;
  bool dropping = false;
  std::uint64_t written = 0;
  std::uint64_t dropped = 0;

  ~state() { ::close(descriptor); }

  /// With the mutex held; says so once until lines are written again.
  void drop(std::uint64_t lines, const char* why) {
    dropped += lines;
    if (!std::exchange(dropping, true) && log != nullptr) {
      log->warn("access_log_dropping", {{"file", file}, {"reason", why}});
    }
  }

  void run() {
    // A pipe whose reader has gone is an error, not a signal.
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    std::vector<access_entry> lines;
    std::unique_lock lock(mutex);
    for (;;) {
      if (waiting.empty() && !reopening && !closed) {
        asleep = true;
        changed.wait(lock, [this] { return !waiting.empty() || reopening || closed; });
        asleep = false;
      }
      changed.wait_for(lock, gather_time, [this] { return reopening || closed; });
      lines.clear();
      std::swap(lines, waiting);  // each keeps its memory
      const bool anew = std::exchange(reopening, false);
      const bool last = closed;
      lock.unlock();
      const auto [whole, error] = put(lines);
      lock.lock();
      tell(whole, lines.size() - whole, error);
      if (anew) {
        open_anew();
      }
      if (last && waiting.empty()) {
        break;
      }
    }
    ended = true;
    changed.notify_all();
  }

  /// Lines that are written whole, and the error that kept the rest.
  std::pair<std::size_t, int> put(const std::vector<access_entry>& lines) {
    std::size_t whole = 0;
    std::string text;
    for (const auto& entry : lines) {
      text += access_line(entry);
      if (text.size() < written_at_once && &entry != &lines.back()) {
        continue;
      }
      const bool cut = std::exchange(torn, false);
      text.insert(0, cut ? 1 : 0, '\n');
      const auto [size, error] = write_all(text);
      const auto end = text.begin() + static_cast<std::ptrdiff_t>(size);
      whole += static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
      whole -= cut && size != 0 ? 1 : 0;
      torn = size == 0 ? cut : text[size - 1] != '\n';
      if (error != 0) {
        return {whole, error};
      }
      text.clear();
    }
    return {whole, 0};
  }

  /// Bytes that are written, and the error that kept the rest.
  [[nodiscard]] std::pair<std::size_t, int> write_all(std::string_view text) const {
    std::size_t size = 0;
    while (size != text.size()) {
      const auto n = ::write(descriptor, text.data() + size, text.size() - size);
      if (n < 0 && errno != EINTR) {
        return {size, errno};
      }
      size += n < 0 ? 0 : static_cast<std::size_t>(n);
    }
    return {size, 0};
  }

  /// With the mutex held.
  void tell(std::size_t whole, std::size_t lost, int error) {
    written += whole;
    if (lost != 0) {
      drop(lost, std::strerror(error));
    } else if (whole != 0 && std::exchange(dropping, false) && log != nullptr) {
      log->info("access_log_resumed", {{"file", file}, {"dropped", std::to_string(dropped)}});
    }
  }

  /// With the mutex held.
  void open_anew() {
    const int opened = file == "-" ? -1 : open_file(file);
    if (opened >= 0) {
      ::close(std::exchange(descriptor, opened));
      torn = false;
    } else if (file != "-" && log != nullptr) {
      log->warn("access_log_reopen_failed", {{"file", file}, {"reason", std::strerror(errno)}});
    }
  }
};

outcome<std::unique_ptr<access_log>> access_log::open(std::string file, logger& log) {
  auto made = std::make_shared<state>();
  made->descriptor = open_file(file);
  if (made->descriptor < 0) {
    return failure{"--access-log " + file + ": " + std::strerror(errno)};
  }
  made->file = std::move(file);
  made->log = &log;
  return std::unique_ptr<access_log>(new access_log(std::move(made)));
}

access_log::access_log(std::shared_ptr<state> made) : state_(std::move(made)) {
  std::thread([state = state_] { state->run(); }).detach();
}

access_log::~access_log() {
  std::unique_lock lock(state_->mutex);
  state_->closed = true;
  state_->changed.notify_all();
  state_->changed.wait_for(lock, goodbye, [this] { return state_->ended; });
  state_->log = nullptr;
}

void access_log::add(access_entry entry) {
  const std::lock_guard lock(state_->mutex);
  if (state_->waiting.size() >= most_waiting) {
    state_->drop(1, "the disk is too slow");
    return;
  }
  state_->waiting.push_back(std::move(entry));
  if (state_->asleep) {
    state_->changed.notify_all();
  }
}

void access_log::reopen() {
  const std::lock_guard lock(state_->mutex);
  state_->reopening = true;
  state_->changed.notify_all();
}

std::uint64_t access_log::written() const {
  const std::lock_guard lock(state_->mutex);
  return state_->written;
}

std::uint64_t access_log::dropped() const {
  const std::lock_guard lock(state_->mutex);
  return state_->dropped;
}

}  // namespace fleet::http
