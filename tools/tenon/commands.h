// commands.h - what each subcommand answers. None reads the command line; all throw tn::Error when
// there is no answer.
//
// A new one is a function here, a file of its own, and a row in command_line.cc.
#pragma once
#include <string>
#include <vector>

namespace command {

// What the command line says, for all subcommands together.
struct Options {
  bool json = false;
  // ops
  std::string name;
  std::string device;
  bool missing = false;
  bool coverage = false;
  // config
  bool origin = false;
  std::string file;
  // explain
  std::string op;
  std::string args;
  bool grad = false;
  bool autocast = false;
  // bench
  std::vector<std::string> rest;
};

// Exit status of an answer.
inline constexpr int kWell = 0;
inline constexpr int kFault = 1;  // what was looked at needs mending

struct Answer {
  std::string text;  // for stdout
  int status = kWell;
};

// What the runtime found, chose and skipped, and why; the libraries that plugins load; what to
// mend. Runs no plugin code. kFault when something is to be mended.
Answer doctor(const Options& options);

// The plugins, their state, what they provide, and the reason where one cannot be used. Loads none.
Answer plugins(const Options& options);

// The operators of one name ("add", "add.Tensor", "add_"), or all, with schema and documentation;
// or how a device serves them. Loads the plugins that this needs.
Answer ops(const Options& options);

// Every key with a value, and where that came from.
Answer config_show(const Options& options);

// Every key that there is, with type, default and help.
Answer config_keys(const Options& options);

// Whether a file, or all that is in force, is a valid configuration. kFault when it is none.
Answer config_check(const Options& options);

// How a call would travel. kFault when it would fail.
Answer explain(const Options& options);

// Becomes tools/bench; returns only by throwing.
Answer bench(const Options& options);

}  // namespace command
