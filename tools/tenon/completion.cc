#include "manual_page.h"

namespace command {
namespace {

// What may follow a command: the next commands and its options.
std::string words_after(const CLI::App& app) {
  std::string out;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    out += ' ' + sub->get_name();
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) out += " --" + name;
  }
  return out.substr(std::min<std::size_t>(1, out.size()));
}

bool takes_file(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() && option->get_name(true) == "FILE") return true;
  }
  return false;
}

// One row of the script's table for a command and each below it, named as "config/show".
void add_rows(const CLI::App& app, const std::string& path, std::string& rows, std::string& names) {
  if (!path.empty()) names += (names.empty() ? "" : " ") + path;
  rows += "    \"" + path + "\") words=\"" + words_after(app) + "\"" +
          (takes_file(app) ? "; files=yes" : "") + " ;;\n";
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    add_rows(*sub, path + (path.empty() ? "" : "/") + sub->get_name(), rows, names);
  }
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string rows, names;
  add_rows(app, "", rows, names);
  return R"(# Completion of `tenon` in bash. Generated from the command's own definitions.

_tenon() {
  local current=${COMP_WORDS[COMP_CWORD]} path= words= files= word
  local commands=")" +
         names + R"("
  COMPREPLY=()
  # The commands typed so far, as "config show": up to the first option or argument.
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " $commands " in
      *" ${path:+$path/}$word "*) path+="${path:+/}$word" ;;
      *)
        [[ $path || $word == -* ]] || return 0 # after what is no command, nothing fits
        break
        ;;
    esac
  done
  case $path in
)" + rows +
         R"(  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [[ -z $files ]] || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current")
}

complete -F _tenon tenon
)";
}

}  // namespace command
