// SPDX-License-Identifier: MIT
#include "options.hpp"

#include "text.hpp"

#include <boost/program_options.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>

namespace po = boost::program_options;

namespace fleet::ctl {

namespace {

constexpr std::size_t longest_token = 4096;

early_exit usage_error(const std::string& why, const command* of = nullptr) {
  return {2, "fleetctl: " + why + "\n" +
                 (of != nullptr ? usage_of(*of) : std::string("`fleetctl --help` lists commands")) +
                 "\n"};
}

po::options_description described() {
  po::options_description all;
  for (const auto* table : {&global_options(), &command_options()}) {
    for (const auto& each : *table) {
      const auto name =
          each.letter != 0 ? each.name + "," + std::string(1, each.letter) : each.name;
      if (each.argument.empty()) {
        all.add_options()(name.c_str(), "");
      } else {
        all.add_options()(name.c_str(), po::value<std::string>(), "");
      }
    }
  }
  all.add_options()("word", po::value<std::vector<std::string>>(), "");
  return all;
}

/// The library's message, without what stands behind a `=`: that may be a misspelled --token's.
std::string message_of(const po::error& refused) {
  std::string text = printable(refused.what());
  const auto value = text.find('=');
  return value == std::string::npos ? text : text.substr(0, value) + "'";
}

bool is_token(std::string_view text) {
  return !text.empty() && text.size() <= longest_token &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

outcome<std::string> token_from_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char next = 0;
  while (text.size() < longest_token + 2 && file.get(next)) {
    text += next;
  }
  if (text.empty()) {
    return failure{"--token-file " + printable(path) + ": cannot be read, or is empty"};
  }
  for (const char end : {'\n', '\r'}) {
    if (text.ends_with(end)) {
      text.pop_back();
    }
  }
  return text;
}

/// Turns what was given into an invocation; each step gives why it refuses, or an empty text.
class reader {
 public:
  reader(const po::variables_map& seen, const env_lookup& env) : seen_(seen), env_(env) {}

  invocation into;

  std::string read() {
    for (const auto step : {&reader::router, &reader::token, &reader::output, &reader::numbers}) {
      if (auto why = (this->*step)(); !why.empty()) {
        return why;
      }
    }
    into.ca_file = text("ca-file").value_or("");
    into.insecure_skip_verify = has("insecure-skip-verify");
    into.colour = !has("no-color") && env_("NO_COLOR").value_or("").empty();
    into.wait = has("wait");
    into.no_wait = has("no-wait");
    into.yes = has("yes");
    into.follow = has("follow");
    into.json = has("json");
    return {};
  }

 private:
  [[nodiscard]] bool has(const char* name) const { return seen_.contains(name); }
  [[nodiscard]] std::optional<std::string> text(const char* name) const {
    return has(name) ? std::optional(seen_[name].as<std::string>()) : std::nullopt;
  }

  std::string router() {
    auto given = text("router");
    const char* from = "--router ";
    if (!given) {
      given = env_("FLEETCTL_ROUTER");
      from = "FLEETCTL_ROUTER ";
    }
    if (!given) {
      return {};
    }
    auto url = parse_router_url(*given);
    if (!url) {
      return from + url.error();
    }
    into.router = std::move(*url);
    return {};
  }

  std::string token() {
    auto given = text("token");
    std::string from = "--token";
    if (!given && has("token-file")) {
      auto read = token_from_file(*text("token-file"));
      if (!read) {
        return read.error();
      }
      given = std::move(*read);
      from = "--token-file";
    } else if (!given) {
      given = env_("FLEETCTL_TOKEN");
      from = "FLEETCTL_TOKEN";
    }
    if (given && !is_token(*given)) {
      return from + ": expected a token of 1 to " + std::to_string(longest_token) +
             " visible ASCII characters";
    }
    into.token = given.value_or("");
    return {};
  }

  std::string output() {
    static const std::vector<std::string> names{"table", "wide", "json", "name"};
    const auto given = text("output").value_or("table");
    const auto found = std::find(names.begin(), names.end(), given);
    if (found == names.end()) {
      return "--output " + printable(given) + ": expected table, wide, json or name";
    }
    into.output = static_cast<output_format>(found - names.begin());
    return {};
  }

  std::string numbers() {
    if (const auto given = text("timeout")) {
      double seconds = 0;
      const char* end = given->data() + given->size();
      const auto [stop, error] =
          std::from_chars(given->data(), end, seconds, std::chars_format::fixed);
      if (error != std::errc{} || stop != end || !(seconds > 0 && seconds <= 1e9)) {
        return "--timeout " + printable(*given) + ": expected seconds above 0";
      }
      into.timeout = std::chrono::nanoseconds(std::llround(seconds * 1e9));
    }
    std::uint64_t count = 1;
    auto why = whole("count", count, 1, 10'000);
    into.count = count;
    return why.empty() ? whole("tail", into.tail, 1, 1'000'000) : why;
  }

  std::string whole(const char* name, std::uint64_t& number, std::uint64_t least,
                    std::uint64_t most) const {
    const auto given = text(name);
    return given ? whole_number("--" + std::string(name), *given, number, least, most)
                 : std::string();
  }

 public:
  static std::string whole_number(const std::string& name, const std::string& given,
                                  std::uint64_t& number, std::uint64_t least, std::uint64_t most) {
    const char* end = given.data() + given.size();
    const auto [stop, error] = std::from_chars(given.data(), end, number);
    if (error == std::errc{} && stop == end && number >= least && number <= most) {
      return {};
    }
    return name + " " + printable(given) + ": expected a whole number from " +
           std::to_string(least) + " to " + std::to_string(most);
  }

 private:
  const po::variables_map& seen_;
  const env_lookup& env_;
};

/// Why this command does not take what it was given; empty when it does.
std::string misfit(const command& what, const po::variables_map& seen,
                   const std::vector<std::string>& operands) {
  for (const auto& each : command_options()) {
    if (seen.contains(each.name) &&
        std::count(what.options.begin(), what.options.end(), each.name) == 0) {
      return what.name + " does not take --" + each.name;
    }
  }
  if (operands.size() < what.least) {
    return what.name + " needs " + what.operands;
  }
  if (operands.size() > what.most) {
    return what.name +
           (what.most == 0 ? " takes nothing more, got '" : " takes " + what.operands + ", got '") +
           printable(operands[what.most]) + "'";
  }
  return {};
}

outcome<po::variables_map> stored(int argc, const char* const* argv) {
  const auto options = described();
  po::positional_options_description words;
  words.add("word", -1);
  const int style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
  po::variables_map seen;
  try {
    po::store(
        po::command_line_parser(argc, argv).options(options).positional(words).style(style).run(),
        seen);
  } catch (const po::error& refused) {
    return failure{message_of(refused)};
  }
  return seen;
}

std::variant<const command*, early_exit> command_of(const std::string& name) {
  if (const auto* found = find_command(name)) {
    return found;
  }
  const auto near = nearest_command(name);
  return usage_error("there is no command '" + printable(name) + "'" +
                     (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

}  // namespace

std::variant<invocation, early_exit> parse_options(int argc, const char* const* argv,
                                                   const env_lookup& env) {
  auto seen = stored(argc, argv);
  if (!seen) {
    return usage_error(seen.error());
  }
  auto words = seen->contains("word") ? (*seen)["word"].as<std::vector<std::string>>()
                                      : std::vector<std::string>();
  if (seen->contains("version")) {
    return early_exit{.text = "fleetctl " + version() + "\n"};
  }
  const bool help = seen->contains("help") || (!words.empty() && words.front() == "help");
  if (help && !words.empty() && words.front() == "help") {
    words.erase(words.begin());
  }
  if (words.empty()) {
    return help ? early_exit{.text = general_help()} : early_exit{2, general_help()};
  }
  const auto found = command_of(words.front());
  if (const auto* none = std::get_if<early_exit>(&found)) {
    return *none;
  }
  const auto& what = *std::get<const command*>(found);
  if (help) {
    return early_exit{.text = help_of(what)};
  }
  words.erase(words.begin());
  auto why = misfit(what, *seen, words);
  reader read(*seen, env);
  if (why.empty()) {
    why = read.read();
  }
  if (why.empty() && what.name == "scale") {
    why = reader::whole_number("scale", words.front(), read.into.scale_to, 0, 10'000);
  }
  if (why.empty() && read.into.count != 1 && !words.empty()) {
    why = "add takes a SLOT or --count, not both";
  }
  if (!why.empty()) {
    return usage_error(why, &what);
  }
  read.into.what = &what;
  read.into.operands = std::move(words);
  return std::move(read.into);
}

}  // namespace fleet::ctl
