// commands.h - the subcommands. Each returns what is to be printed and throws tn::Error; none reads
// the command line.
//
// A new one is a function here, a file of its own, and a few lines in main.cc that name its
// options.
#pragma once
#include <string>

namespace command {

// How the answer is wanted.
enum class Format {
  text,
  json
};

// What the runtime found, chose and skipped, and why.
std::string doctor(Format format);

// The plugins, their state, what they provide, and the reason where one cannot be used. Loads none.
std::string plugins(Format format);

// The operators of one name ("add", "add.Tensor", "add_"), or all for an empty name, with schema
// and documentation. Loads the plugins that this needs.
std::string ops(Format format, const std::string& name);

}  // namespace command
