#include "core/config_sources.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "core/file_error.h"
#include "core/split.h"

namespace tenon {
namespace {

namespace fs = std::filesystem;

// Empty in a privileged process, whose environment belongs to somebody with fewer rights.
std::string variable(const char* name) {
  const char* value = secure_getenv(name);
  return value == nullptr ? "" : value;
}

bool is_privileged() {
  return getauxval(AT_SECURE) != 0;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  const bool exists = fs::exists(path, error);
  throw_if_out_of_memory(error);
  return exists;
}

void add_if_there(const fs::path& path, bool project, std::vector<ConfigFile>* files) {
  if (!is_there(path)) return;
  const auto same = [&](const ConfigFile& file) {
    std::error_code error;
    const bool equivalent = fs::equivalent(file.path, path, error);
    throw_if_out_of_memory(error);
    return equivalent;
  };
  // A program run from ~/.config/tenon would find the user's file once more as the project's.
  if (std::any_of(files->begin(), files->end(), same)) return;
  files->push_back({path.string(), project});
}

fs::path user_folder() {
  if (const std::string folder = variable("XDG_CONFIG_HOME"); !folder.empty()) return folder;
  if (const std::string home = variable("HOME"); !home.empty()) return fs::path(home) / ".config";
  return {};
}

fs::path project_file() {
  std::error_code error;
  fs::path folder = fs::current_path(error);
  throw_if_out_of_memory(error);
  while (!error && !folder.empty()) {
    if (is_there(folder / "tenon.toml")) return folder / "tenon.toml";
    if (folder == folder.root_path()) break;
    folder = folder.parent_path();
  }
  return {};
}

}  // namespace

std::vector<ConfigFile> config_files() {
  std::vector<ConfigFile> files;
  if (const std::string named = variable("TENON_CONFIG"); !named.empty()) {
    files.push_back({named, false});
    return files;
  }
  // The XDG base directory specification puts the most important folder first; here the last wins.
  std::vector<std::string> folders = split_list(variable("XDG_CONFIG_DIRS"), ':');
  if (folders.empty()) folders = {"/etc/xdg"};
  std::reverse(folders.begin(), folders.end());
  for (const std::string& folder : folders) {
    add_if_there(fs::path(folder) / "tenon" / "tenon.toml", false, &files);
  }
  if (is_privileged()) return files;
  if (const fs::path folder = user_folder(); !folder.empty()) {
    add_if_there(folder / "tenon" / "tenon.toml", false, &files);
  }
  if (const fs::path file = project_file(); !file.empty()) add_if_there(file, true, &files);
  return files;
}

std::vector<std::pair<std::string, std::string>> config_variables() {
  std::vector<std::pair<std::string, std::string>> variables;
  if (is_privileged() || environ == nullptr) return variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || !text.starts_with("TENON_")) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  std::sort(variables.begin(), variables.end());
  return variables;
}

std::string config_variable(std::string_view key) {
  std::string name = "TENON_";
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    name += std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return name;
}

std::string config_documented_variable(std::string_view key) {
  if (key == "plugins.path") return std::string(kPathVariable);
  std::string name = config_variable(key);
  if (key.ends_with('*')) name.back() = '*';
  return name;
}

}  // namespace tenon
