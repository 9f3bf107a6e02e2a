// SPDX-License-Identifier: MIT
#include "fleet/config/settings.hpp"

#include "admin_token.hpp"
#include "flags.hpp"
#include "one_line.hpp"

#include <boost/program_options.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace fleet {

namespace {

namespace po = boost::program_options;

po::options_description describe(const std::vector<flag>& flags) {
  po::options_description description("flags", 100, 60);
  for (const auto& row : flags) {
    const auto text = row.meaning + (row.fallback.empty() ? "" : " [" + row.fallback + "]");
    if (row.argument.empty()) {
      description.add_options()(row.name.c_str(), text.c_str());
    } else {
      auto* value = po::value<std::string>()->value_name(row.argument);
      description.add_options()(row.name.c_str(), value, text.c_str());
    }
  }
  return description;
}

/// The words as flags and values. Unknown flags and stray words are still among them.
outcome<std::vector<po::option>> split(const std::vector<std::string>& words,
                                       const std::vector<flag>& flags) {
  namespace style = po::command_line_style;
  using syntax = po::invalid_command_line_syntax;
  const auto description = describe(flags);
  try {
    return po::command_line_parser(words)
        .options(description)
        .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next)
        .allow_unregistered()
        .run()
        .options;
  } catch (const syntax& e) {
    const bool extra = e.kind() == syntax::extra_parameter;
    return failure{one_line(e.get_option_name()) +
                   (extra ? ": takes no value" : ": expected a value")};
  } catch (const po::error& e) {
    return failure{one_line(e.what())};
  }
}

/// Stores one flag; gives the complaint if it cannot be stored.
std::string store(settings& to, const po::option& given, const std::vector<flag>& flags) {
  if (given.string_key.empty()) {
    return "unexpected argument '" +
           one_line(given.original_tokens.empty() ? "" : given.original_tokens.front()) + "'";
  }
  const auto row = std::find_if(flags.begin(), flags.end(), [&](const flag& candidate) {
    return candidate.name == given.string_key;
  });
  if (given.unregistered || row == flags.end()) {
    return "--" + one_line(given.string_key) + ": unknown flag";
  }
  const std::string value = given.value.empty() ? "" : given.value.front();
  // A flag whose value was forgotten must not swallow the next flag.
  if (given.original_tokens.size() == 2 && value.starts_with("--")) {
    return "--" + row->name + ": expected a value";
  }
  const auto wanted = value.find('\0') == std::string::npos ? row->store(to, value) : "no NUL";
  if (wanted.empty()) {
    return {};
  }
  return "--" + row->name + (row->secret ? "" : " '" + one_line(value) + "'") + ": expected " +
         wanted;
}

/// Takes the token from where it is given; gives the complaint if there is an unusable one.
std::string find_token(settings& to, const env_lookup& env) {
  if (!to.admin_token.empty()) {
    return {};
  }
  if (!to.admin_token_file.empty()) {
    auto token = read_token_file(to.admin_token_file);
    if (!token) {
      return "--admin-token-file: " + one_line(token.error());
    }
    to.admin_token = *std::move(token);
    return {};
  }
  constexpr const char* variable = "PYPTO_ROUTER_ADMIN_TOKEN";
  if (auto token = env(variable)) {
    if (const auto wanted = wrong_token(*token); !wanted.empty()) {
      return std::string(variable) + ": expected " + wanted;
    }
    to.admin_token = *std::move(token);
  }
  return {};
}

/// Whether two paths lead to one file, be it there or not.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code unknown;
  const auto full = [&unknown](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, unknown), unknown);
  };
  return std::filesystem::equivalent(a, b, unknown) || full(a) == full(b);
}

std::string beside(const std::string& file, const char* ending) {
  return file.empty() ? file : file + ending;
}

/// A log that is appended to another file of ours would spoil it. Gives the complaint if it would.
std::string shared_access_log(const settings& given) {
  const auto& log = given.access_log;
  if (log.empty() || log == "-") {
    return {};
  }
  const std::pair<const char*, std::string> others[] = {
      {"--replicas", given.fleet_file},
      {"--state-file", given.state_file},
      {"--state-file", beside(given.state_file, ".new")},
      {"--state-file", beside(given.state_file, ".lock")},
      {"--admin-token-file", given.admin_token_file},
  };
  for (const auto& [flag, path] : others) {
    if (!path.empty() && same_file(log, path)) {
      return "--access-log '" + one_line(log) + "': expected a file of its own, not that of " +
             flag;
    }
  }
  return {};
}

early_exit usage_error(const std::string& what) {
  return {.status = 2, .text = "pypto-serving-router: " + what + "\n"};
}

}  // namespace

command_line parse_command_line(int argc, const char* const* argv, const env_lookup& env) {
  const auto flags = all_flags();
  const auto options = split({argv + std::min(argc, 1), argv + argc}, flags);
  if (!options) {
    return usage_error(options.error());
  }
  settings result;
  result.threads = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  std::set<std::string> seen;
  for (const auto& option : *options) {
    if (const auto complaint = store(result, option, flags); !complaint.empty()) {
      return usage_error(complaint);
    }
    if (!seen.insert(option.string_key).second) {
      return usage_error("--" + option.string_key + ": given twice");
    }
  }
  if (seen.contains("help")) {
    return early_exit{.text = help_text()};
  }
  if (seen.contains("version")) {
    return early_exit{.text = "pypto-serving-router " + version() + "\n"};
  }
  if (result.fleet_file.empty()) {
    return usage_error("--replicas: expected the path of a fleet file, none is given");
  }
  if (const auto complaint = find_token(result, env); !complaint.empty()) {
    return usage_error(complaint);
  }
  if (const auto complaint = shared_access_log(result); !complaint.empty()) {
    return usage_error(complaint);
  }
  result.replace_after = std::max(result.replace_after, 2 * result.routing.health_interval);
  return result;
}

std::string help_text() {
  std::ostringstream text;
  text << "Usage: pypto-serving-router --replicas FILE [flags]\n\n"
          "Spreads OpenAI-compatible requests over serving replicas and keeps each conversation\n"
          "on one of them. Times are in seconds and may be fractional.\n\n"
       << describe(all_flags())
       << "\nExit status: 0 orderly shutdown or --check passed; 1 the fleet file or state file is\n"
          "missing or invalid, too few slots for --initial-replicas, or the port is taken;\n"
          "2 invalid arguments.\n";
  return text.str();
}

std::string version() {
  return FLEET_VERSION;
}

}  // namespace fleet
