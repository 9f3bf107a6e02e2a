// SPDX-License-Identifier: MIT
#include "options.hpp"

#include <boost/program_options.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace po = boost::program_options;

namespace fleet::stub {
namespace {

using seconds = std::chrono::duration<double>;
using milliseconds = std::chrono::duration<double, std::milli>;

template <class Unit>
duration checked(const std::string& flag, double value) {
  const Unit span{value};
  if (!std::isfinite(value) || value < 0 || span > std::chrono::hours(24 * 365)) {
    throw po::error("--" + flag + ": wanted a time of at least 0, got " + std::to_string(value));
  }
  return std::chrono::duration_cast<duration>(span);
}

template <class Number>
Number checked(const std::string& flag, std::int64_t value, std::int64_t most, std::int64_t least) {
  if (value < least || value > most) {
    throw po::error("--" + flag + ": wanted " + std::to_string(least) + ".." +
                    std::to_string(most) + ", got " + std::to_string(value));
  }
  return static_cast<Number>(value);
}

/// Declares flags whose values go straight into `options`.
class flag_table {
 public:
  explicit flag_table(options& into) : into_(into) {}

  void text(const char* flag, std::string& field, const char* help) {
    all_.add_options()(flag, po::value<std::string>(&field), help);
  }
  void toggle(const char* flag, bool& field, const char* help) {
    all_.add_options()(flag, po::bool_switch(&field), help);
  }
  template <class Unit, class Field>
  void time(const char* flag, Field& field, const char* help) {
    all_.add_options()(flag, po::value<double>()->notifier([flag, &field](double value) {
      field = checked<Unit>(flag, value);
    }),
                       help);
  }
  template <class Number, class Field>
  void count(const char* flag, Field& field, const char* help,
             std::int64_t most = std::numeric_limits<std::int64_t>::max(), std::int64_t least = 0) {
    const auto take = [flag, &field, most, least](std::int64_t value) {
      field = checked<Number>(flag, value, most, least);
    };
    all_.add_options()(flag, po::value<std::int64_t>()->notifier(take), help);
  }

  po::options_description build() {
    text("model", into_.model, "model path; its last part is the model's name");
    text("served-model-name", into_.served_model_name, "the model's name in answers");
    text("host", into_.host, "bind address [127.0.0.1]");
    count<std::uint16_t>("port", into_.port, "bind port, 0 picks a free one [8000]", 65535);
    text("name", into_.name, "what it calls itself in answers [its port]");
    count<std::size_t>("tokens", into_.tokens, "tokens per answer [16]");
    time<milliseconds>("token-delay-ms", into_.token_delay, "before each token [10]");
    time<milliseconds>("prefill-ms", into_.prefill_per_1000,
                       "prefill time per 1000 uncached prompt characters [0]");
    count<std::size_t>("cache-blocks", into_.cache_blocks,
                       "64-byte prompt blocks remembered, 0 is no cache [65536]");
    time<seconds>("keep-alive-seconds", into_.keep_alive, "idle connections close after it [5]");
    time<seconds>("load-seconds", into_.load, "refuse connections that long at start [0]");
    time<seconds>("unhealthy-after", into_.unhealthy_after, "/health is 503 after S seconds");
    text("unhealthy-file", into_.unhealthy_file, "/health is 503 while this file exists");
    count<std::size_t>("die-after-requests", into_.die_after_requests, "exit after N answers");
    time<seconds>("die-after-seconds", into_.die_after, "exit after S seconds");
    count<int>("die-code", into_.die_code, "exit status of both [1]", 255);
    count<std::size_t>("fail-after-tokens", into_.fail_after_tokens, "cut each answer there");
    text("fault-file", into_.fault_file,
         "while this file exists, turns end as it says: garbage, cut or die");
    toggle("echo", into_.echo, "answers repeat the last word of the prompt, numbered");
    toggle("hang-prefill", into_.hang_prefill, "never send a first token");
    count<std::size_t>("refuse-turns", into_.refuse_turns, "refuse the first N turns [0]");
    count<int>("refuse-status", into_.refuse_status,
               "with this status; 429 and 503 say Retry-After: 1 [503]", 599, 400);
    toggle("call-tools", into_.call_tools,
           "a chat turn that offers tools, and does not end with a tool's result, calls the first");
    toggle("ignore-sigterm", into_.ignore_sigterm, "leave SIGTERM without effect");
    count<int>("exit-code", into_.exit_code, "exit with N instead of binding", 255);
    return std::move(all_);
  }

 private:
  options& into_;
  po::options_description all_{"stub-serving: a replica without a model"};
};

/// `STUB_TOKEN_DELAY_MS` to `token-delay-ms`; empty for what is no knob.
std::string knob_of(const std::string& variable, const po::options_description& known) {
  if (!variable.starts_with("STUB_")) {
    return {};
  }
  std::string flag = variable.substr(5);
  std::transform(flag.begin(), flag.end(), flag.begin(), [](char c) {
    return c == '_' ? '-' : (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  });
  return known.find_nothrow(flag, false) != nullptr ? flag : std::string{};
}

}  // namespace

outcome<std::optional<options>> parse_options(int argc, const char* const* argv) {
  options result;
  const auto known = flag_table(result).build();
  auto with_help = po::options_description().add(known);
  with_help.add_options()("help", "");
  try {
    const int style =
        po::command_line_style::default_style &
        ~(po::command_line_style::allow_guessing | po::command_line_style::allow_short);
    po::variables_map seen;
    po::store(po::command_line_parser(argc, argv)
                  .options(with_help)
                  .style(style)
                  .allow_unregistered()
                  .run(),
              seen);
    if (seen.contains("help")) {
      return std::optional<options>{};
    }
    po::store(po::parse_environment(
                  known, [&known](const std::string& name) { return knob_of(name, known); }),
              seen);
    po::notify(seen);
  } catch (const po::error& refused) {
    return failure{refused.what()};
  }
  return std::optional<options>{std::move(result)};
}

std::string usage() {
  options unused;
  std::ostringstream out;
  out << flag_table(unused).build() << "\nEach is also read from the environment, --token-delay-ms"
      << " as STUB_TOKEN_DELAY_MS.\nOther pypto-serving flags are accepted and ignored.\n";
  return out.str();
}

}  // namespace fleet::stub
