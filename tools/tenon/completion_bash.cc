#include "completion.h"

namespace command {

std::string bash_completion(const CLI::App& app) {
  const std::vector<Choices> all = choices_of(app);
  std::string rows;
  for (const Choices& choices : all) {
    std::string words;
    for (const auto* list : {&choices.commands, &choices.options})
      for (const Choices::Word& word : *list) words += (words.empty() ? "" : " ") + word.text;
    rows += "    \"" + choices.path + "\") words=\"" + words + "\"";
    rows += std::string(choices.files ? "; files=yes" : "") + " ;;\n";
  }
  return R"(# Completion of `tenon` in bash. Generated from the command's own definitions.

_tenon() {
  local current=${COMP_WORDS[COMP_CWORD]} path= words= files= word
  local commands=")" +
         paths_of(all) + R"("
  COMPREPLY=()
  # The commands typed so far, as "config/show": up to the first option or argument.
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
