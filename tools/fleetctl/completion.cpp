// SPDX-License-Identifier: MIT
#include "completion.hpp"

#include "commands.hpp"

#include <algorithm>

namespace fleet::ctl {

namespace {

/// A command that prints what may stand there; empty: nothing is known. `where`: shell words that
/// name the router, with a blank in front.
std::string source_of(names_a what, const std::string& where = {}) {
  switch (what) {
    case names_a::slot:
      return "fleetctl" + where + " slots -o name 2>/dev/null";
    case names_a::replica:
      return "fleetctl" + where + " replicas -o name 2>/dev/null";
    case names_a::shell:
      return "echo bash zsh fish";
    case names_a::format:
      return "echo table wide json name";
    case names_a::nothing:
    case names_a::file:
    case names_a::number:
      break;
  }
  return {};
}

std::vector<option> options_of(const command& which) {
  std::vector<option> out;
  for (const auto& each : command_options()) {
    if (std::count(which.options.begin(), which.options.end(), each.name) != 0) {
      out.push_back(each);
    }
  }
  return out;
}

std::string dashed(const std::vector<option>& all) {
  std::string out;
  for (const auto& each : all) {
    out += (out.empty() ? "--" : " --") + each.name;
  }
  return out;
}

std::vector<option> with_argument() {
  std::vector<option> out;
  for (const auto* table : {&global_options(), &command_options()}) {
    std::copy_if(table->begin(), table->end(), std::back_inserter(out),
                 [](const option& each) { return !each.argument.empty(); });
  }
  return out;
}

/// `--output|-o`.
std::string pattern(const option& each) {
  return "--" + each.name + (each.letter != 0 ? std::string("|-") + each.letter : "");
}

/// Options that say which router is asked and how, as patterns of a `case` in bash and zsh.
const std::string asking_apart = "--router|--token|--token-file|--ca-file";
const std::string asking_whole =
    "--router=*|--token=*|--token-file=*|--ca-file=*|--insecure-skip-verify";

/// In single quotes of any of the three shells; such quotes in the text become backticks.
std::string quoted(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '`');
  return "'" + text + "'";
}

// -- bash ---------------------------------------------------------------------------------------

std::string bash_words(names_a what) {
  if (what == names_a::file) {
    return "COMPREPLY=($(compgen -f -- \"$word\"))";
  }
  const auto source = source_of(what, " \"${where[@]}\"");
  return source.empty() ? ":" : "COMPREPLY=($(compgen -W \"$(" + source + ")\" -- \"$word\"))";
}

std::string bash() {
  std::string takes;
  std::string arguments;
  for (const auto& each : with_argument()) {
    takes += (takes.empty() ? "" : "|") + pattern(each);
    arguments += "    " + pattern(each) + ") " + bash_words(each.what) + "; return ;;\n";
  }
  std::string names;
  std::string options;
  std::string operands;
  for (const auto& each : commands()) {
    names += (names.empty() ? "" : " ") + each.name;
    if (!each.options.empty()) {
      options += "      " + each.name + ") options+=' " + dashed(options_of(each)) + "' ;;\n";
    }
    operands += "      " + each.name + ") " + bash_words(each.what) + " ;;\n";
  }
  return "# bash completion for fleetctl: source <(fleetctl completion bash)\n"
         "# The words come from the line: bash itself splits a URL at its colons.\n"
         "_fleetctl() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} command='' before='' i\n"
         "  local -a words where=()\n"
         "  local typed=${COMP_LINE:0:COMP_POINT}\n"
         "  read -ra words <<<\"$typed\"\n"
         "  [[ $typed == *[[:space:]] ]] && words+=('')\n"
         "  before=${words[${#words[@]} - 2]}\n"
         "  local options='" +
         dashed(global_options()) +
         "'\n"
         "  COMPREPLY=()\n"
         "  for ((i = 1; i < ${#words[@]} - 1; ++i)); do\n"
         "    case ${words[i]} in\n"
         "      " +
         asking_apart +
         ")\n"
         "        where+=(\"${words[i]}\" \"${words[i + 1]/#\\~/$HOME}\") ;;&\n"
         "      " +
         asking_whole +
         ")\n"
         "        where+=(\"${words[i]}\") ;;\n"
         "      " +
         takes +
         ") i=$((i + 1)) ;;\n"
         "      -*) ;;\n"
         "      *) [[ $command ]] || command=${words[i]} ;;\n"
         "    esac\n"
         "  done\n"
         "  case $before in\n" +
         arguments +
         "  esac\n"
         "  if [[ $word == -* ]]; then\n"
         "    case $command in\n" +
         options +
         "    esac\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
         "  elif [[ -z $command ]]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         names +
         "' -- \"$word\"))\n"
         "  else\n"
         "    case $command in\n" +
         operands +
         "    esac\n"
         "  fi\n"
         "}\n"
         "complete -F _fleetctl fleetctl\n";
}

// -- zsh ----------------------------------------------------------------------------------------

std::string zsh_action(names_a what) {
  if (what == names_a::file) {
    return "_files";
  }
  const auto source = source_of(what, " \"${where[@]}\"");
  return source.empty() ? std::string(" ") : "compadd - $(" + source + ")";
}

std::string zsh_option(const option& each) {
  auto meaning = each.meaning;
  std::replace(meaning.begin(), meaning.end(), '[', '(');
  std::replace(meaning.begin(), meaning.end(), ']', ')');
  std::replace(meaning.begin(), meaning.end(), ':', ',');
  const auto argument =
      each.argument.empty() ? std::string() : ":" + each.argument + ":" + zsh_action(each.what);
  std::string out =
      quoted("--" + each.name + (argument.empty() ? "[" : "=[") + meaning + "]" + argument);
  if (each.letter != 0) {
    out += " " + quoted(std::string("-") + each.letter + "[" + meaning + "]" + argument);
  }
  return out;
}

/// What the script asks of the line typed so far: which router it names, and its command.
std::string zsh_function() {
  std::string takes;
  for (const auto& each : with_argument()) {
    takes += (takes.empty() ? "" : "|") + pattern(each);
  }
  return "# Of the line: the options that say which router to ask, and the command.\n"
         "_fleetctl_line() {\n"
         "  local i\n"
         "  for ((i = 2; i < CURRENT; ++i)); do\n"
         "    case $words[i] in\n"
         "      " +
         asking_apart +
         ")\n"
         "        ((++i < CURRENT)) && "
         "where+=(\"$words[i - 1]\" \"${${(Q)words[i]}/#\\~/$HOME}\") ;;\n"
         "      " +
         asking_whole +
         ")\n"
         "        where+=(\"${(Q)words[i]}\") ;;\n"
         "      " +
         takes +
         ") ((++i)) ;;\n"
         "      -*) ;;\n"
         "      *) [[ -n $command ]] || command=$words[i] ;;\n"
         "    esac\n"
         "  done\n"
         "}\n";
}

std::string zsh() {
  std::string described;
  std::string cases;
  for (const auto& each : commands()) {
    described += "    " + quoted(each.name + ":" + each.summary) + "\n";
    cases += "  " + each.name + ") _arguments $globals '1:command: '";
    for (const auto& one : options_of(each)) {
      cases += " " + zsh_option(one);
    }
    cases += " " + quoted("*:argument:" + zsh_action(each.what)) + " ;;\n";
  }
  std::string globals;
  for (const auto& each : global_options()) {
    globals += "    " + zsh_option(each) + "\n";
  }
  return "#compdef fleetctl\n"
         "# zsh completion for fleetctl: put this into a file _fleetctl in your fpath.\n" +
         zsh_function() +
         "_fleetctl() {\n"
         "  local context state line command=''\n"
         "  local -a where=()\n"
         "  local -a commands=(\n" +
         described +
         "  )\n"
         "  local -a globals=(\n" +
         globals +
         "  )\n"
         "  _fleetctl_line\n"
         "  case $command in\n"
         "  '') _arguments $globals '1:command:->command' && return\n"
         "    [[ $state == command ]] && _describe command commands ;;\n" +
         cases +
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _fleetctl ]]; then _fleetctl \"$@\"; else compdef _fleetctl "
         "fleetctl; fi\n";
}

// -- fish ---------------------------------------------------------------------------------------

std::string fish_source(names_a what) {
  const auto source = source_of(what, " (__fleetctl_where)");
  return source.empty() ? source : quoted("(" + source + " | string split \" \")");
}

std::string fish_option(const option& each, const std::string& condition) {
  std::string out = "complete -c fleetctl" + condition + " -l " + each.name;
  out += each.letter != 0 ? std::string(" -s ") + each.letter : "";
  if (each.what == names_a::file) {
    out += " -r -F";
  } else if (!each.argument.empty()) {
    const auto source = fish_source(each.what);
    out += " -x" + (source.empty() ? "" : " -a " + source);
  }
  return out + " -d " + quoted(each.meaning) + "\n";
}

/// What the script asks of the line typed so far: which router it names, and its command.
std::string fish_functions() {
  std::string takes;
  for (const auto& each : with_argument()) {
    takes += " --" + each.name + (each.letter != 0 ? std::string(" -") + each.letter : "");
  }
  return "# The options of the line that say which router to ask, a word on each line.\n"
         "function __fleetctl_where\n"
         "  set -l words (commandline -opc)\n"
         "  while set -q words[2]\n"
         "    set -e words[1]\n"
         "    switch $words[1]\n"
         "      case --router --token --token-file --ca-file\n"
         "        set -q words[2]; or return\n"
         "        printf '%s\\n' $words[1] (string replace -r '^~' $HOME -- $words[2])\n"
         "        set -e words[1]\n"
         "      case '--router=*' '--token=*' '--token-file=*' '--ca-file=*' "
         "--insecure-skip-verify\n"
         "        printf '%s\\n' $words[1]\n"
         "    end\n"
         "  end\n"
         "end\n"
         "# Its command; fails where there is none yet.\n"
         "function __fleetctl_command\n"
         "  set -l words (commandline -opc)\n"
         "  while set -q words[2]\n"
         "    set -e words[1]\n"
         "    switch $words[1]\n"
         "      case" +
         takes +
         "\n"
         "        set -e words[1]\n"
         "      case '-*'\n"
         "      case '*'\n"
         "        echo $words[1]\n"
         "        return\n"
         "    end\n"
         "  end\n"
         "  return 1\n"
         "end\n";
}

std::string fish() {
  std::string out = "# fish completion for fleetctl: fleetctl completion fish | source\n" +
                    fish_functions() + "complete -c fleetctl -f\n";
  for (const auto& each : global_options()) {
    out += fish_option(each, "");
  }
  for (const auto& each : commands()) {
    out += "complete -c fleetctl -n 'not __fleetctl_command >/dev/null' -a " + each.name + " -d " +
           quoted(each.summary) + "\n";
    const auto condition = " -n '__fleetctl_command | string match -q -- " + each.name + "'";
    for (const auto& one : options_of(each)) {
      out += fish_option(one, condition);
    }
    const auto source = fish_source(each.what);
    if (each.what == names_a::file) {
      out += "complete -c fleetctl" + condition + " -F\n";
    } else if (!source.empty()) {
      out += "complete -c fleetctl" + condition + " -a " + source + "\n";
    }
  }
  return out;
}

}  // namespace

std::string completion_script(std::string_view shell) {
  return shell == "bash" ? bash() : shell == "zsh" ? zsh() : shell == "fish" ? fish() : "";
}

}  // namespace fleet::ctl
