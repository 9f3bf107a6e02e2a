// SPDX-License-Identifier: MIT
// The real router under random faults, see tools/chaos.
#include "chaos/storm/run.hpp"

#include <charconv>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace {

using namespace fleet::chaos;

constexpr std::size_t events_shown = 150;
constexpr std::size_t log_lines_shown = 60;

template <class Number>
bool read_number(std::string_view text, Number& into) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc{} && stop == text.data() + text.size();
}

bool read_flag(std::string_view flag, std::string_view value, run_setup& into) {
  std::uint64_t seconds = 0;
  if (flag == "--folder") {
    into.folder = value;
    return true;
  }
  if (flag == "--seed")
    return read_number(value, into.seed);
  if (flag == "--clients")
    return read_number(value, into.clients);
  if (flag == "--seconds" && read_number(value, seconds)) {
    into.storm = std::chrono::seconds{seconds};
    return true;
  }
  if (flag == "--plant")
    if (const auto found = plant_named(value)) {
      into.planted = *found;
      return true;
    }
  return false;
}

void tell(const ledger& book, const run& played, const run_setup& setup) {
  if (book.failed())
    std::printf("---- the router's log ends\n%s---- the last events\n%s---- broken rules\n%s",
                played.router_log(log_lines_shown).c_str(), book.last_events(events_shown).c_str(),
                book.failures().c_str());
  std::printf("%sseed %llu: %s\n", book.totals().c_str(),
              static_cast<unsigned long long>(setup.seed),
              book.failed() ? "rules broken" : "no rule broken");
}

}  // namespace

int main(int argc, char** argv) {
  run_setup setup;
  bool good = argc % 2 == 1;
  for (int i = 1; good && i + 1 < argc; i += 2)
    good = read_flag(argv[i], argv[i + 1], setup);
  if (!good || setup.folder.empty()) {
    std::fprintf(stderr,
                 "usage: fleet-chaos --folder EMPTY_FOLDER [--seconds N] [--seed S] "
                 "[--clients N] [--plant NAME]\n");
    return 2;
  }
  std::printf("seed %llu, %lld s, folder %s\n", static_cast<unsigned long long>(setup.seed),
              static_cast<long long>(setup.storm.count() / 1000), setup.folder.c_str());
  std::fflush(stdout);
  ledger book;
  run played{setup, book};
  played.play();
  tell(book, played, setup);
  return book.failed() ? 1 : 0;
}
