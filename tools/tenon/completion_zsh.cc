#include "completion.h"

namespace command {
namespace {

// 'it'\''s'
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string described(const std::vector<Choices::Word>& words) {
  std::string out;
  for (const Choices::Word& word : words) out += " " + quoted(word.text + ":" + word.about);
  return out;
}

}  // namespace

std::string zsh_completion(const CLI::App& app) {
  const std::vector<Choices> all = choices_of(app);
  std::string rows;
  for (const Choices& choices : all) {
    rows += "    " + quoted(choices.path) + ")\n";
    if (!choices.commands.empty())
      rows += "      commands=(" + described(choices.commands).substr(1) + ")\n";
    if (!choices.options.empty())
      rows += "      options=(" + described(choices.options).substr(1) + ")\n";
    rows += std::string(choices.files ? "      files=yes\n" : "") + "      ;;\n";
  }
  return R"(#compdef tenon
# Completion of `tenon` in zsh. Generated from the command's own definitions.

_tenon() {
  local typed= word files=
  local -a commands options
  # The commands typed so far, as "config/show": up to the first option or argument.
  for word in "${(@)words[2,CURRENT-1]}"; do
    case ")" +
         std::string(" ") + paths_of(all) + R"( " in
      *" ${typed:+$typed/}$word "*) typed+="${typed:+/}$word" ;;
      *)
        [[ -n $typed || $word == -* ]] || return 1 # after what is no command, nothing fits
        break
        ;;
    esac
  done
  case $typed in
)" + rows +
         R"(  esac
  (( ! $#commands )) || _describe command commands
  (( ! $#options )) || _describe -o option options
  [[ -z $files ]] || _files
}

_tenon "$@"
)";
}

}  // namespace command
