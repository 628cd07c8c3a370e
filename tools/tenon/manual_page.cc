#include "manual_page.h"

#include <tenon/config.h>

#include "command_line.h"

namespace command {
namespace {

constexpr const char* kFiles[][2] = {
    {"/etc/xdg/tenon/tenon.toml",
     "The system's configuration; $XDG_CONFIG_DIRS names other places."},
    {"~/.config/tenon/tenon.toml", "The user's; $XDG_CONFIG_HOME names another place."},
    {"tenon.toml", "The project's: the nearest one, from the working directory upwards."},
};

constexpr const char* kVariables[][2] = {
    {"TENON_CONFIG", "A file that is read instead of all these."},
    {"TENON_PLUGIN_PATH", "Folders with plugins, separated by colons, searched first."},
    {"TENON_KEY",
     "Sets KEY, in capitals and with _ for a dot: TENON_PROVIDERS_CPU=onednn,cpu. tenon config "
     "keys "
     "lists them all."},
};

// Text as man(7) shows it unchanged.
std::string escape(std::string_view text) {
  std::string out;
  bool starts_line = true;
  for (const char c : text) {
    if (starts_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    starts_line = c == '\n';
  }
  return out;
}

std::string tagged(const std::string& tag, const std::string& text) {
  return ".TP\n\\fB" + escape(tag) + "\\fR\n" + escape(text) + '\n';
}

// The details of a command, which the application holds wrapped for the terminal.
std::string paragraphs(std::string_view details) {
  std::string out;
  while (!details.empty()) {
    const std::size_t end = std::min(details.find('\n'), details.size());
    out += ".PP\n" + escape(details.substr(0, end)) + '\n';
    details.remove_prefix(std::min(end + 1, details.size()));
  }
  return out;
}

bool is_help(const CLI::Option& option) {
  return option.check_lname("help");
}

// "--device DEVICE", "NAME"
std::string spelled(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  const std::string name = option.get_name(false, true);
  return option.get_items_expected() == 0 ? name : name + ' ' + option.get_type_name();
}

const CLI::App* find(const CLI::App& app, std::string_view name) {
  const std::size_t space = name.find(' ');
  const CLI::App* sub = app.get_subcommand(std::string(name.substr(0, space)));
  return space == name.npos ? sub : find(*sub, name.substr(space + 1));
}

}  // namespace

std::string synopsis(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : app.get_options()) {
    if (is_help(*option)) continue;
    const std::string text = spelled(*option);
    out += (out.empty() ? "" : " ") + (option->get_required() ? text : '[' + text + ']');
  }
  return out;
}

std::string manual_page(const CLI::App& app) {
  std::string out =
      ".TH TENON 1 \"\" \"Tenon " + std::string(tn_version()) + "\" \"User Commands\"\n";
  out += ".SH NAME\ntenon \\- looks into a Tenon installation\n.SH SYNOPSIS\n";
  for (const Command& command : commands()) {
    out += ".B " + escape("tenon " + std::string(command.name)) + '\n' +
           escape(synopsis(*find(app, command.name))) + "\n.br\n";
  }
  out += ".SH DESCRIPTION\n" + escape(app.get_description()) + '\n';
  out += ".SH COMMANDS\n";
  for (const Command& command : commands()) {
    out += ".SS \"tenon " + std::string(command.name) + "\"\n" + escape(command.about) + ".\n";
    out += paragraphs(command.details);
    for (const CLI::Option* option : find(app, command.name)->get_options()) {
      if (!is_help(*option)) out += tagged(spelled(*option), option->get_description() + '.');
    }
  }
  out += ".SH OPTIONS\n";
  for (const CLI::Option* option : app.get_options()) {
    out += tagged(option->get_name(false, true), option->get_description() + '.');
  }
  out += ".SH EXIT STATUS\n" + paragraphs(kExitStatus);
  out += ".SH FILES\n";
  for (const auto& [file, text] : kFiles) out += tagged(file, text);
  out += ".SH ENVIRONMENT\n";
  for (const auto& [variable, text] : kVariables) out += tagged(variable, text);
  return out;
}

}  // namespace command
