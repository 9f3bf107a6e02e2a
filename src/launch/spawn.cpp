// SPDX-License-Identifier: MIT
#include "spawn.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/resource.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace fleet {

namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) {
    all.push_back(word.data());
  }
  all.push_back(nullptr);
  return all;
}

/// Every path the program may be at.
std::vector<std::string> places(const std::string& program, std::string_view path) {
  if (program.find('/') != std::string::npos) {
    return {program};
  }
  if (path.empty()) {
    path = "/usr/bin:/bin";
  }
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find(':', begin), path.size());
    const auto folder = path.substr(begin, end - begin);
    all.push_back((folder.empty() ? "." : std::string(folder)) + "/" + program);
    begin = end + 1;
  }
  return all;
}

/// `/a`, `/a/b` for `/a/b/c.log`.
std::vector<std::string> folders_of(const std::string& path) {
  std::vector<std::string> all;
  for (auto slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    all.push_back(path.substr(0, slash));
  }
  return all;
}

/// All that the child needs, in memory before the fork: after it, in a process with other threads,
/// only async-signal-safe calls are allowed.
class child_side {
 public:
  explicit child_side(const spawn_plan& plan)
      : plan_(plan),
        words_(plan.argv),
        lines_(plan.env),
        places_(places(plan.argv.front(), variable(plan.env, "PATH"))),
        folders_(folders_of(plan.log_path)),
        argv_(pointers(words_)),
        envp_(pointers(lines_)),
        script_argv_(argv_) {
    script_argv_.insert(script_argv_.begin(), shell_.data());
  }

  [[noreturn]] void run() {
    ::setsid();
    reset_signals();
    // First, for a path may hang, on a disk that does not answer: what this process held then would
    // be held for as long as that takes.
    keep_only_own_descriptors();
    open_standard_descriptors();
    if (!plan_.workdir.empty() && ::chdir(plan_.workdir.c_str()) != 0) {
      fail("cannot enter ", plan_.workdir);
    }
    execute();
  }

 private:
  static constexpr int at_report = 3;
  static constexpr std::string_view cannot_set_up = "cannot set up ";
  static constexpr std::string_view standard = "standard input and output";

  [[noreturn]] void fail(std::string_view what, std::string_view which) {
    const std::string_view why = ::strerrordesc_np(errno);
    for (const auto part : {what, which, std::string_view(": "), why, std::string_view("\n")}) {
      report(part);
    }
    ::_exit(127);
  }

  void report(std::string_view text) {
    if (::write(report_, text.data(), text.size()) < 0) {
      ::_exit(127);  // nobody listens any more
    }
  }

  static void reset_signals() {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    for (int number = 1; number <= SIGRTMAX; ++number) {
      ::sigaction(number, &standard, nullptr);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
  }

  // Out of the way of those below, which are about to be replaced: this process may have been
  // started without them.
  static int out_of_the_way(int descriptor) {
    return ::fcntl(descriptor, F_DUPFD_CLOEXEC, at_report + 1);
  }

  /// 0, 1, 2 and the report are all that is left. Where they do not have their own yet, they stand
  /// for the report.
  void keep_only_own_descriptors() {
    report_ = out_of_the_way(plan_.report);
    const bool logged = !plan_.log_path.empty();
    const int out = logged ? report_ : out_of_the_way(plan_.out);
    const int err = logged ? report_ : out_of_the_way(plan_.err);
    if (::dup2(report_, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0 ||
        ::dup3(report_, at_report, O_CLOEXEC) < 0) {
      fail(cannot_set_up, standard);
    }
    report_ = at_report;
    close_above(at_report);
  }

  void open_standard_descriptors() {
    if (::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), 0) < 0) {
      fail(cannot_set_up, standard);
    }
    if (plan_.log_path.empty()) {
      return;
    }
    const int log = open_log();
    if (::dup2(log, 1) < 0 || ::dup2(log, 2) < 0) {
      fail(cannot_set_up, standard);
    }
  }

  int open_log() {
    const std::string* missing = nullptr;
    int why_missing = 0;
    for (const auto& folder : folders_) {
      if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST && missing == nullptr) {
        missing = &folder;
        why_missing = errno;
      }
    }
    const int opened =
        ::open(plan_.log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
    if (opened < 0) {
      if (missing != nullptr && (errno == ENOENT || errno == ENOTDIR)) {
        errno = why_missing;
        fail("cannot make the log's folder ", *missing);
      }
      fail("cannot write ", plan_.log_path);
    }
    report_size_of(opened);
    return opened;
  }

  void report_size_of(int log) {
    struct stat facts {};
    ::fstat(log, &facts);
    std::array<char, 24> text{};
    auto* end = std::to_chars(text.data(), text.data() + text.size() - 1, facts.st_size).ptr;
    *end++ = '\n';
    report({text.data(), static_cast<std::size_t>(end - text.data())});
  }

  static void close_above(int last_kept) {
    const int first = last_kept + 1;
    if (::close_range(static_cast<unsigned>(first), ~0U, 0) == 0) {
      return;
    }
    // Linux before 5.9.
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    const auto end = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1 << 20));
    for (int descriptor = first; descriptor < end; ++descriptor) {
      ::close(descriptor);
    }
  }

  // What execvpe does, which is not async-signal-safe.
  [[noreturn]] void execute() {
    int reason = ENOENT;
    for (auto& place : places_) {
      ::execve(place.c_str(), argv_.data(), envp_.data());
      if (errno == ENOEXEC) {
        script_argv_[1] = place.data();
        ::execve(shell_.c_str(), script_argv_.data(), envp_.data());
      }
      if (errno == EACCES) {
        reason = EACCES;  // a later folder may still have one that may be run
      } else if (errno != ENOENT && errno != ENOTDIR) {
        reason = errno;
        break;
      }
    }
    errno = reason;
    fail("cannot run ", plan_.argv.front());
  }

  const spawn_plan& plan_;
  std::vector<std::string> words_;
  std::vector<std::string> lines_;
  std::vector<std::string> places_;
  std::vector<std::string> folders_;
  std::string shell_ = "/bin/sh";
  std::vector<char*> argv_;
  std::vector<char*> envp_;
  std::vector<char*> script_argv_;  // for a script that names no interpreter
  int report_ = -1;
};

}  // namespace

outcome<pid_t> spawn(const spawn_plan& plan) {
  child_side child(plan);
  // A handler of this process that ran in the child would act for both.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  if (pid == 0) {
    child.run();
  }
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) {
    return failure{"cannot start a process: " + std::generic_category().message(error)};
  }
  return pid;
}

}  // namespace fleet
