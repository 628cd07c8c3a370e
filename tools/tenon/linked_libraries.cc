#include "linked_libraries.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "child_process.h"

namespace command {
namespace {

namespace fs = std::filesystem;

// The dynamic loader that this program was started by.
std::string dynamic_loader() {
  std::string path;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_INTERP) continue;
          *static_cast<std::string*>(data) =
              reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
        }
        return 1;  // the first entry is the program itself
      },
      &path);
  return path;
}

bool is_version(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

// "6.0.30" of "libstdc++.so.6.0.30"; "" of "libdnnl.so.3", which says no more than the name.
std::string version_in_file_name(const fs::path& path, const std::string& name) {
  const std::string file = path.filename();
  const std::size_t at = file.find(".so.");
  if (file == name || at == std::string::npos) return "";
  const std::string version = file.substr(at + 4);
  return is_version(version) ? version : "";
}

// Libraries whose files are not named after their full version, but that have a function for it.
struct VersionFunction {
  std::string_view file;  // how the file's name starts
  std::string (*ask)(void* library);
};

std::string ask_onednn(void* library) {
  struct Version {
    int major, minor, patch;
  };
  const auto version = reinterpret_cast<const Version* (*)()>(dlsym(library, "dnnl_version"));
  if (!version) return "";
  const Version& v = *version();
  return std::to_string(v.major) + "." + std::to_string(v.minor) + "." + std::to_string(v.patch);
}

constexpr VersionFunction kVersionFunctions[] = {{"libdnnl.so", ask_onednn}};

std::string version_by_function(const std::string& name, const std::string& path) {
  for (const VersionFunction& row : kVersionFunctions) {
    if (!name.starts_with(row.file)) continue;
    return output_of_child([&] {
      void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      return library ? row.ask(library) : std::string();
    });
  }
  return "";
}

// One line of the loader's list: "libm.so.6 => /lib/libm.so.6 (0x7f...)", "libx.so => not found",
// or an absolute path alone for the loader itself. Empty name: no library of its own (the vDSO).
LinkedLibrary parse(std::string_view line) {
  LinkedLibrary library;
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::size_t arrow = line.find(" => ");
  if (arrow == std::string_view::npos) return library;
  std::string_view target = line.substr(arrow + 4);
  library.name = line.substr(0, arrow);
  target = target.substr(0, target.rfind(" (0x"));
  if (!target.starts_with('/')) return library;
  std::error_code error;
  const fs::path real = fs::canonical(target, error);
  library.path = error ? std::string(target) : real.string();
  library.version = version_in_file_name(library.path, library.name);
  if (library.version.empty()) library.version = version_by_function(library.name, library.path);
  return library;
}

}  // namespace

std::vector<LinkedLibrary> linked_libraries(const std::string& path) {
  const std::string loader = dynamic_loader();
  if (loader.empty()) return {};
  std::vector<LinkedLibrary> libraries;
  // As ldd asks. The option --list would end at the first library that is missing.
  std::istringstream lines(output_of_program({loader, path}, "LD_TRACE_LOADED_OBJECTS"));
  for (std::string line; std::getline(lines, line);) {
    if (LinkedLibrary library = parse(line); !library.name.empty()) {
      libraries.push_back(std::move(library));
    }
  }
  return libraries;
}

}  // namespace command
