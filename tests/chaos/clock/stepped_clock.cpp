// SPDX-License-Identifier: MIT
// Preloaded into a process: its wall clock is off by the seconds that the file FLEET_CLOCK_FILE
// holds at that moment, as a native 64-bit number. What runs steadily goes on running steadily.
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

namespace {

using clock_reader = int (*)(clockid_t, timespec*);

// nullptr without a file: then nothing is off.
const volatile std::int64_t* map_file() {
  const char* const name = std::getenv("FLEET_CLOCK_FILE");
  const int fd = name == nullptr ? -1 : ::open(name, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return nullptr;
  void* const at = ::mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, fd, 0);
  ::close(fd);
  return at == MAP_FAILED ? nullptr : static_cast<const volatile std::int64_t*>(at);
}

std::int64_t offset() {
  static const auto* const seconds = map_file();
  return seconds == nullptr ? 0 : *seconds;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* out) noexcept {
  static const auto real = reinterpret_cast<clock_reader>(::dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = real(clock, out);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    out->tv_sec += offset();
  return result;
}

int gettimeofday(timeval* out, void* /*zone*/) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *out = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr)
    *out = now.tv_sec;
  return now.tv_sec;
}
}
