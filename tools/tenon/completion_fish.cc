#include "completion.h"

namespace command {
namespace {

// Inside single quotes fish gives a backslash and a quote a meaning.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
  return out + "'";
}

}  // namespace

std::string fish_completion(const CLI::App& app) {
  const std::vector<Choices> all = choices_of(app);
  std::string rows;
  for (const Choices& choices : all) {
    const std::string start =
        "complete -c tenon -n " + quoted("__tenon_typed '" + choices.path + "'");
    for (const Choices::Word& word : choices.commands)
      rows += start + " -a " + word.text + " -d " + quoted(word.about) + "\n";
    for (const Choices::Word& word : choices.options)
      rows += start + " -l " + word.text.substr(2) + " -d " + quoted(word.about) + "\n";
    if (choices.files) rows += start + " -F\n";
  }
  return R"(# Completion of `tenon` in fish. Generated from the command's own definitions.

# Whether the commands typed so far are these, as "config/show": up to the first option or argument.
function __tenon_typed
    set -l typed ''
    set -l words (commandline -opc)
    for word in $words[2..]
        set -l next (string trim -l -c / -- $typed/$word)
        if contains -- $next )" +
         paths_of(all) + R"(
            set typed $next
        else
            # After what is no command, nothing fits.
            test -n "$typed"; or string match -q -- '-*' $word; or return 1
            break
        end
    end
    test "$typed" = "$argv[1]"
end

complete -c tenon -f
)" + rows;
}

}  // namespace command
