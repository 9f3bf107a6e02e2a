// SPDX-License-Identifier: MIT
#include "metrics_scrape.hpp"

#include "admin_reads.hpp"
#include "field_line.hpp"
#include "metrics_families.hpp"

#include "fleet/core/header_rules.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace fleet::http {

namespace {

std::chrono::nanoseconds processor_time(clockid_t of) {
  timespec time{};
  clock_gettime(of, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// On its own thread.
lane_sample look_at(const lane_services& lane) {
  return {.meter = &lane.meter,
          .clients = lane.client_count,
          .pooled = lane.pool.idle_count(),
          .busy = processor_time(CLOCK_THREAD_CPUTIME_ID)};
}

/// From this lane's thread to the other's and back.
awaitable<lane_sample> ask(lane_services& other, executor back) {
  co_return co_await asio::async_initiate<decltype(use_value), void(lane_sample)>(
      [&other, back](auto handler) {
        asio::post(other.where, [&other, back, handler = std::move(handler)]() mutable {
          asio::post(back, [handler = std::move(handler), seen = look_at(other)]() mutable {
            std::move(handler)(seen);
          });
        });
      },
      use_value);
}

/// The values of all fields of this name; `fields`: lines as in request_head.
std::string values_of(std::string_view fields, std::string_view name) {
  std::string all;
  each_line(fields, [&](std::string_view key, std::string_view value, std::string_view /*line*/) {
    if (same_token(key, name)) {
      all.append(all.empty() ? "" : ",").append(value);
    }
  });
  return all;
}

std::uint64_t open_files() {
  constexpr const char* folder = "/proc/self/fd";
  struct stat seen {};
  if (stat(folder, &seen) == 0 && seen.st_size > 0) {
    return static_cast<std::uint64_t>(seen.st_size);
  }
  // Linux before 6.2 does not tell their number.
  std::error_code ec;
  std::uint64_t count = 0;
  for (std::filesystem::directory_iterator at(folder, ec), end; !ec && at != end;
       at.increment(ec)) {
    ++count;
  }
  return count;
}

void look_at_process(process_sample& seen) {
  seen.open_files = open_files();
  seen.processor = processor_time(CLOCK_PROCESS_CPUTIME_ID);
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    seen.most_files = limit.rlim_cur;
  }
  std::ifstream pages("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  if (pages >> all >> resident) {
    seen.resident_bytes = resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }
}

std::string text_of(router_sample& sample, bool open) {
  look_at_process(sample.process);
  const auto families = families_of(sample);
  return open ? openmetrics_text(families) : prometheus_text(families);
}

/// Away from the lane, and back to it.
awaitable<std::string> made_by(asio::thread_pool& writer, executor back, router_sample sample,
                               bool open) {
  co_return co_await asio::async_initiate<decltype(use_value), void(std::string)>(
      [&](auto handler) {
        asio::post(writer, [back, open, handler = std::move(handler),
                            sample = std::move(sample)]() mutable {
          asio::post(back, [handler = std::move(handler), text = text_of(sample, open)]() mutable {
            std::move(handler)(std::move(text));
          });
        });
      },
      use_value);
}

}  // namespace

awaitable<own_reply> answer_metrics(lane_services& lane, const request_head& head) {
  if (!lane.settings.metrics_open && !authorised(head, lane.settings)) {
    co_return unauthorized();
  }
  if (!is_read(head)) {
    co_return wrong_method("GET, HEAD");
  }
  router_sample sample{.version = lane.settings.version};
  sample.fleet = co_await lane.fleet->health();
  sample.pool = co_await lane.fleet->fleet();
  std::set<std::string> names;
  for (const auto& replica : sample.fleet.replicas) {
    names.insert(replica.name);
  }
  for (auto* each : lane.scraped->lanes) {
    each->meter.forget_unless([&](const std::string& name) { return names.contains(name); });
    const auto seen = co_await ask(*each, lane.where);
    sample.lanes.push_back(seen);
  }
  sample.process.started = lane.scraped->started;
  sample.observers = lane.scraped->observers;
  const bool open = wants_openmetrics(values_of(head.fields, "Accept"));
  auto text = co_await made_by(lane.scraped->writer, lane.where, std::move(sample), open);
  co_return own_reply{.text = std::move(text),
                      .text_type = open ? openmetrics_type : prometheus_type};
}

}  // namespace fleet::http
