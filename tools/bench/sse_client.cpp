// SPDX-License-Identifier: MIT
// Keeps a number of streamed turns going at one proxy and measures how many events arrive, and how
// long each took from the replica's write to this program's read. Prints one line of key=value.
#include "sse_event.hpp"

#include <boost/asio.hpp>
#include <boost/program_options.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace {

namespace asio = boost::asio;
namespace po = boost::program_options;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;

struct plan {
  std::uint16_t port = 0;
  unsigned connections = 0;
  unsigned events = 0;
  unsigned pace_us = 0;
  double seconds = 0;
  std::int64_t deadline_ns = 0;
};

struct totals {
  std::uint64_t events = 0;
  std::uint64_t turns = 0;
  std::uint64_t errors = 0;
  std::vector<std::int64_t> delays_ns;
};

/// Takes a chunked answer apart as it arrives, wherever proxies cut it.
class answer {
 public:
  explicit answer(totals& sum) : sum_(sum) {}

  /// True when the whole answer is there. Throws when it is none of a replica's.
  bool feed(std::string_view bytes) {
    now_ns_ = bench::now_ns();
    raw_ += bytes;
    if (!head_done_) {
      const auto end = raw_.find("\r\n\r\n");
      if (end == std::string::npos) {
        return false;
      }
      if (!raw_.starts_with("HTTP/1.1 200")) {
        throw std::runtime_error(raw_.substr(0, raw_.find('\r')));
      }
      raw_.erase(0, end + 4);
      head_done_ = true;
    }
    return chunks();
  }

  [[nodiscard]] unsigned events() const { return events_; }

 private:
  bool chunks() {
    std::size_t at = 0;
    bool last = false;
    for (;;) {
      const auto line = raw_.find("\r\n", at);
      if (line == std::string::npos) {
        break;
      }
      const auto size = std::strtoul(raw_.c_str() + at, nullptr, 16);
      const auto end = line + 2 + size + 2;
      if (raw_.size() < end) {
        break;
      }
      body_.append(raw_, line + 2, size);
      at = end;
      last = last || size == 0;
    }
    raw_.erase(0, at);
    take_events();
    return last;
  }

  void take_events() {
    std::size_t at = 0;
    for (; body_.size() - at >= bench::event_size; at += bench::event_size) {
      const auto sent = bench::sent_at(std::string_view(body_).substr(at, bench::event_size));
      if (sent == 0) {
        throw std::runtime_error("not the replica's event");
      }
      sum_.delays_ns.push_back(now_ns_ - sent);
      ++events_;
    }
    body_.erase(0, at);
  }

  totals& sum_;
  std::string raw_;
  std::string body_;
  std::int64_t now_ns_ = 0;
  unsigned events_ = 0;
  bool head_done_ = false;
};

std::string turn(const plan& p, unsigned session) {
  std::string body = R"({"model":"bench","stream":true,"messages":[{"role":"user","content":")";
  body.append(1024 - body.size() - 4, 'a');
  body += "\"}]}";
  return "POST /v1/chat/completions HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
         "X-Session-Id: sse-" +
         std::to_string(session) + "\r\nX-Events: " + std::to_string(p.events) +
         "\r\nX-Pace-Us: " + std::to_string(p.pace_us) +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

awaitable<void> turns(tcp::socket& socket, const plan& p, const std::string& request, totals& sum) {
  std::vector<char> buffer(16384);
  do {
    co_await asio::async_write(socket, asio::buffer(request), use_awaitable);
    answer got(sum);
    std::size_t n = 0;
    do {
      n = co_await socket.async_read_some(asio::buffer(buffer), use_awaitable);
    } while (!got.feed({buffer.data(), n}));
    if (got.events() != p.events) {
      throw std::runtime_error("an answer of " + std::to_string(got.events()) + " events");
    }
    sum.events += got.events();
    ++sum.turns;
  } while (bench::now_ns() < p.deadline_ns);
}

awaitable<void> client(const plan& p, unsigned number, totals& sum) {
  tcp::socket socket(co_await asio::this_coro::executor);
  try {
    // Spread over one pace, so that the events of all streams do not fall on the same moment.
    const std::chrono::microseconds offset(std::uint64_t{p.pace_us} * number / p.connections);
    asio::steady_timer start(socket.get_executor(), offset);
    co_await start.async_wait(use_awaitable);
    co_await socket.async_connect({asio::ip::address_v4::loopback(), p.port}, use_awaitable);
    socket.set_option(tcp::no_delay(true));
    co_await turns(socket, p, turn(p, number), sum);
  } catch (const std::exception& error) {
    if (sum.errors++ == 0) {
      std::cerr << "bench_sse_client: connection " << number << ": " << error.what() << "\n";
    }
  }
}

double percentile_us(std::vector<std::int64_t>& delays, double part) {
  if (delays.empty()) {
    return 0;
  }
  const auto at =
      delays.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(delays.size() - 1));
  std::nth_element(delays.begin(), at, delays.end());
  return static_cast<double>(*at) / 1000;
}

int run(plan p) {
  totals sum;
  const std::int64_t begun = bench::now_ns();
  p.deadline_ns = begun + static_cast<std::int64_t>(p.seconds * 1e9);
  asio::io_context context(1);
  for (unsigned i = 0; i < p.connections; ++i) {
    asio::co_spawn(context, client(p, i, sum), asio::detached);
  }
  context.run();
  const double seconds = static_cast<double>(bench::now_ns() - begun) / 1e9;
  std::cout << "events=" << sum.events << " turns=" << sum.turns << " errors=" << sum.errors
            << " per_second=" << static_cast<double>(sum.events) / seconds
            << " p50_us=" << percentile_us(sum.delays_ns, 0.5)
            << " p99_us=" << percentile_us(sum.delays_ns, 0.99) << "\n";
  return sum.errors == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  plan p;
  po::options_description flags("bench_sse_client");
  flags.add_options()("port", po::value(&p.port)->required(), "the proxy, on 127.0.0.1")(
      "connections", po::value(&p.connections)->default_value(32), "turns at a time")(
      "events", po::value(&p.events)->default_value(200), "events of a turn")(
      "pace-us", po::value(&p.pace_us)->default_value(0), "between events; 0: as fast as it goes")(
      "seconds", po::value(&p.seconds)->default_value(5), "no turn is begun after these");
  try {
    po::variables_map values;
    po::store(po::parse_command_line(argc, argv, flags), values);
    po::notify(values);
    return run(p);
  } catch (const std::exception& error) {
    std::cerr << "bench_sse_client: " << error.what() << "\n" << flags;
    return 2;
  }
}
