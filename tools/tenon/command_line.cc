#include "command_line.h"

#include <tenon/config.h>

#include <string_view>

#include "layout.h"

namespace command {
namespace {

void add_json(CLI::App& app, Options& options) {
  app.add_flag("--json", options.json, "Print JSON instead of text");
}

void define_ops(CLI::App& app, Options& options) {
  app.add_option("NAME", options.name, "One operator or all of a name: add.Tensor, add, add_");
  CLI::Option* device =
      app.add_option("--device", options.device, "Who serves each operator on this device")
          ->type_name("DEVICE");
  CLI::Option* missing =
      app.add_flag("--missing", options.missing,
                   "Only operators that the device has neither kernel nor decomposition for")
          ->needs(device);
  app.add_flag("--coverage", options.coverage,
               "How many operators each provider serves, on the device or on all")
      ->excludes(missing);
  add_json(app, options);
}

void define_show(CLI::App& app, Options& options) {
  app.add_flag("--origin", options.origin, "Say where each value comes from");
  add_json(app, options);
}

void define_check(CLI::App& app, Options& options) {
  app.add_option("FILE", options.file, "A file to check on its own, instead of all in force");
  add_json(app, options);
}

void define_explain(CLI::App& app, Options& options) {
  app.add_option("OP", options.op, "The operator: add, add.Tensor, add_")->required();
  app.add_option("--args", options.args, "Its arguments, in the language described below")
      ->type_name("ARGUMENTS");
  app.add_flag("--grad", options.grad, "Float tensors require gradients");
  app.add_flag("--autocast", options.autocast, "As if inside an autocast region");
  add_json(app, options);
}

void define_bench(CLI::App& app, Options& options) {
  app.prefix_command();
  app.callback([&] { options.rest = app.remaining(); });
}

constexpr Command kCommands[] = {
    {"doctor", "Say what was found, chosen and skipped, why, and what to mend",
     "Reports the processor's features, configuration files and values with their origins, "
     "devices, providers, and every plugin with the libraries that it loads and their versions. "
     "Runs no plugin's code. Ends with a list of what to mend; the exit status is 1 when there is "
     "something on it.",
     add_json, doctor},
    {"plugins", "List plugins, their state and what they provide",
     "States are discovered (not needed so far), loaded, skipped (switched off, or not for this "
     "machine), quarantined (broken) and unloaded. Loads none.",
     add_json, plugins},
    {"ops", "List operators, and who serves them on a device",
     "Without a device, operators are listed with schema and documentation. With one, each with "
     "its providers, the preferred one first, or with what takes their place: its decomposition "
     "into other operators, or on a device without data inference alone.",
     define_ops, ops},
    {"config show", "Print every key with its value",
     "Later layers win: the system's file, the user's, the project's, or instead of these the file "
     "that $TENON_CONFIG names; then TENON_* variables.",
     define_show, config_show},
    {"config keys", "Print every key that there is, with type, default and help",
     "The keys of the core, then those that plugins' manifests declare.", add_json, config_keys},
    {"config check", "Say whether the configuration is well formed",
     "Every fault is shown with file and line, and an unknown key with the one that was "
     "probably meant; the exit status is then 1. Of a file that is no TOML only the place where "
     "that shows is known. With FILE only that file counts, and no variable.",
     define_check, config_check},
    {"explain", "Say how a call would travel: layers, providers, kernel, outputs",
     "Nothing runs and no memory is needed, so tensors may be of any size. The exit status is 1 "
     "when the call would fail.\n"
     "Arguments are separated by spaces or commas. A tensor is f32[2,3]@cpu: dtype, sizes, device, "
     "which may be left off. Besides there are numbers, true, false, none, \"text\", lists as "
     "[1,2], dtypes, devices and memory formats by name, and arguments by name as alpha=2.\n"
     "tenon explain add --args 'f32[2,3]@cpu f32[3]@cpu alpha=2'\n"
     "tenon explain sum.dim_IntList --args 'bf16[8,128], [1], keepdim=true' --grad",
     define_explain, explain},
    {"bench", "Run the benchmarks of the source tree",
     "tenon bench ARGUMENTS hands its arguments over to tools/bench, where this program was built "
     "in "
     "the source tree.",
     define_bench, bench},
};

constexpr std::pair<const char*, const char*> kGroups[] = {
    {"config", "Look into the configuration"},
};

// The application that holds a command: the whole one, or a group's.
CLI::App& group_of(CLI::App& app, std::string_view group) {
  if (group.empty()) return app;
  for (CLI::App* found : app.get_subcommands({})) {
    if (found->get_name() == group) return *found;
  }
  for (const auto& [name, about] : kGroups) {
    if (name == group) return *app.add_subcommand(name, about)->require_subcommand(1);
  }
  throw std::logic_error("no such group of commands");
}

}  // namespace

const char* const kExitStatus =
    "Exit status: 0 well; 1 what was looked at needs mending, or there is no answer, for the "
    "reason on stderr; 2 wrong usage.";

std::span<const Command> commands() {
  return kCommands;
}

std::unique_ptr<CLI::App> command_line(Options& options) {
  auto app = std::make_unique<CLI::App>("Looks into a Tenon installation.", "tenon");
  app->set_version_flag("--version", [] { return std::string("tenon ") + tn_version(); });
  app->set_help_flag("-h,--help", "Print this help");
  app->require_subcommand(1);
  app->footer(wrap(kExitStatus, 0, 0));
  for (const Command& command : kCommands) {
    const std::string_view name = command.name;
    const std::size_t space = name.rfind(' ');
    CLI::App& group = group_of(*app, space == name.npos ? "" : name.substr(0, space));
    CLI::App* sub = group.add_subcommand(std::string(name.substr(space + 1)), command.about);
    sub->footer(wrap(command.details, 0, 0));
    command.define(*sub, options);
  }
  return app;
}

const Command& chosen(const CLI::App& app) {
  std::string name;
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    name += (name.empty() ? "" : " ") + at->get_name();
  }
  for (const Command& command : kCommands) {
    if (name == command.name) return command;
  }
  throw std::logic_error("no such command");
}

}  // namespace command
