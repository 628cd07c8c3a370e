// command_line.h - the subcommands as the command line knows them: names, options, help.
//
// Help texts, the manual page and the shells' completion are all made from this.
#pragma once
#include <CLI/CLI.hpp>

#include <memory>
#include <span>

#include "commands.h"

namespace command {

struct Command {
  const char* name;     // "doctor"; "config show" is the command show of the group config
  const char* about;    // one line
  const char* details;  // paragraphs, separated by line breaks
  void (*define)(CLI::App& app, Options& options);
  Answer (*run)(const Options& options);
};

std::span<const Command> commands();

// What the exit status means, the same for all of them.
extern const char* const kExitStatus;

// A parser that writes into `options`, which must live as long.
std::unique_ptr<CLI::App> command_line(Options& options);

// The command that was named, after parsing.
const Command& chosen(const CLI::App& app);

}  // namespace command
