// The `tenon` command: reads the command line and runs one subcommand.
//
// Exit status: 0 success; 1 the subcommand failed, with the reason on stderr; 2 wrong usage.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <string>

#include <tenon/sdk/error.h>

#include "commands.h"

namespace {

using command::Format;

// "--json" on a subcommand; the flag lives as long as `json`.
CLI::App* add(CLI::App& app, const char* name, const char* about, bool& json) {
  CLI::App* sub = app.add_subcommand(name, about);
  sub->add_flag("--json", json, "Print JSON instead of text");
  return sub;
}

bool print(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

int run(int argc, char** argv) {
  CLI::App app("Looks into a Tenon installation.", "tenon");
  app.set_version_flag("--version", [] { return std::string("tenon ") + tn_version(); });
  app.require_subcommand(1);

  bool json = false;
  std::string name;
  std::string answer;
  const auto format = [&] { return json ? Format::json : Format::text; };

  add(app, "doctor", "Say what was found, chosen and skipped, and why", json)->callback([&] {
    answer = command::doctor(format());
  });
  add(app, "plugins", "List plugins, their state and what they provide", json)->callback([&] {
    answer = command::plugins(format());
  });
  CLI::App* ops = add(app, "ops", "List operators with schema and documentation", json);
  ops->add_option("NAME", name, "One operator: add, add.Tensor, add_");
  ops->callback([&] { answer = command::ops(format(), name); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and the version arrive here too, as errors of status 0.
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (print(answer)) return 0;
  std::perror("tenon: cannot write the answer");
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tenon: %s\n", error.what());
    return 1;
  }
}
