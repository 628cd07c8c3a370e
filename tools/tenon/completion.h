// completion.h - scripts with which shells complete the command's words, made from its definitions.
#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace command {

// What may stand after the commands typed so far.
struct Choices {
  struct Word {
    std::string text;   // "show", "--origin"
    std::string about;  // one line
  };
  std::string path;  // "config/show"; empty before any command
  std::vector<Word> commands;
  std::vector<Word> options;  // with their dashes
  bool files = false;         // a file's name, too
};

// One for the command alone and one for each below it.
std::vector<Choices> choices_of(const CLI::App& app);

// "doctor plugins ... config config/show": the paths of all commands, separated by spaces.
std::string paths_of(const std::vector<Choices>& all);

std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace command
