#include "completion.h"

namespace command {
namespace {

// An option's help is one line; so is what CLI11 keeps of a command.
void add(const CLI::App& app, const std::string& path, std::vector<Choices>& all) {
  const auto below = app.get_subcommands([](const CLI::App*) { return true; });
  Choices here;
  here.path = path;
  for (const CLI::App* sub : below)
    here.commands.push_back({sub->get_name(), sub->get_description()});
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames())
      here.options.push_back({"--" + name, option->get_description()});
    if (option->get_positional() && option->get_name(true) == "FILE") here.files = true;
  }
  all.push_back(std::move(here));
  for (const CLI::App* sub : below)
    add(*sub, path + (path.empty() ? "" : "/") + sub->get_name(), all);
}

}  // namespace

std::vector<Choices> choices_of(const CLI::App& app) {
  std::vector<Choices> all;
  add(app, "", all);
  return all;
}

std::string paths_of(const std::vector<Choices>& all) {
  std::string out;
  for (const Choices& choices : all)
    if (!choices.path.empty()) out += (out.empty() ? "" : " ") + choices.path;
  return out;
}

}  // namespace command
