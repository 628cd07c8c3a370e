#include "core/discovery.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <new>
#include <system_error>

#include "core/concat.h"
#include "core/config.h"
#include "core/cpu_features.h"
#include "core/file_error.h"
#include "core/trust.h"

namespace tenon {
namespace {

namespace fs = std::filesystem;

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

// Not by std::filesystem::directory_iterator, which ends the process where it finds no memory.
Problem manifests_in(const std::string& folder, std::vector<std::string>* files) {
  const std::unique_ptr<DIR, CloseFolder> open(opendir(folder.c_str()));
  errno = open ? 0 : errno;
  while (const dirent* entry = open ? readdir(open.get()) : nullptr) {
    if (!manifest_stem(entry->d_name).empty()) files->push_back(folder + "/" + entry->d_name);
    errno = 0;
  }
  // A folder that is not there, or not readable, holds no plugins for this process.
  if (error_passes(errno))
    return system_problem(errno, folder + ": cannot be searched for plugins now");
  std::sort(files->begin(), files->end());
  return {};
}

Problem read_plugin(const std::string& path, const Problem& folder_problem,
                    std::unique_ptr<Plugin>* out) {
  auto plugin = std::make_unique<Plugin>();
  Problem problem = folder_problem ? folder_problem : check_trust(path);
  // Of a file that others may write not even the contents are looked at; only the name is kept, to
  // report it.
  plugin->manifest.path = path;
  plugin->manifest.directory = fs::path(path).parent_path().string();
  plugin->manifest.name = manifest_stem(fs::path(path).filename().string());
  if (!problem) problem = manifest_read(path, &plugin->manifest);
  if (problem.passes()) return problem;
  if (problem) {
    plugin->manifest_broken = true;
    plugin->quarantine(std::move(problem));
  }
  *out = std::move(plugin);
  return {};
}

}  // namespace

std::vector<std::string> discovery_folders() {
  std::vector<std::string> folders = config().strings("plugins.path");
  if (const std::string own = own_path(); !own.empty()) {
    folders.push_back((fs::path(own).parent_path() / "tenon" / "plugins").string());
  }
  return folders;
}

Problem discover(Plugins* out) {
  Plugins plugins;
  std::map<std::string, std::string> first;  // path of the first manifest of each name
  std::vector<fs::path> seen;
  for (const std::string& folder : discovery_folders()) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    throw_if_out_of_memory(error);
    if (error || std::find(seen.begin(), seen.end(), real) != seen.end()) continue;
    seen.push_back(real);
    const Problem folder_problem = check_trust(real.string());
    std::vector<std::string> manifests;
    if (Problem problem = manifests_in(real.string(), &manifests)) return problem;
    for (const std::string& path : manifests) {
      std::unique_ptr<Plugin> plugin;
      if (Problem problem = read_plugin(path, folder_problem, &plugin)) return problem;
      const auto [other, is_first] = first.emplace(plugin->name(), path);
      if (!is_first) {
        plugin->manifest_broken = true;
        plugin->skip({TN_ALREADY_EXISTS, concat({"a plugin of this name was found earlier, in ",
                                                 other->second, "; remove one of the two"})});
      }
      plugins.push_back(std::move(plugin));
    }
  }
  *out = std::move(plugins);
  return {};
}

void discovery_choose_library(Plugin* plugin) {
  std::string lacking;
  for (const Manifest::Library& library : plugin->manifest.libraries) {
    const std::string lacks = cpu_lacks(library.cpu);
    if (lacks.empty()) {
      plugin->library = concat({plugin->manifest.directory, "/", library.file});
      return;
    }
    if (!lacking.empty()) lacking += "; ";
    append(&lacking, {library.file, " needs ", lacks});
  }
  plugin->skip({TN_INCOMPATIBLE, "no library of it fits this processor: " + lacking});
}

}  // namespace tenon
