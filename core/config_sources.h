// Where configuration comes from outside the program: files and environment variables.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon {

struct ConfigFile {
  std::string path;
  bool project =
      false;  // found from the working directory, so it may name plugins but no paths of code
};

// The files to read, in order; the last wins. $TENON_CONFIG replaces the search and is listed even
// when there is no such file. A privileged process (set-user-id and the like) reads the system's
// files alone.
std::vector<ConfigFile> config_files();

// All TENON_* variables with their values, sorted; none in a privileged process.
std::vector<std::pair<std::string, std::string>> config_variables();

// The variable that sets `key`: "providers.cpu" -> "TENON_PROVIDERS_CPU".
std::string config_variable(std::string_view key);

// Folders separated by colons, as in PATH, for the key plugins.path.
inline constexpr std::string_view kPathVariable = "TENON_PLUGIN_PATH";

// The variable to tell people about; of a pattern "providers.*" it is "TENON_PROVIDERS_*".
std::string config_documented_variable(std::string_view key);

}  // namespace tenon
