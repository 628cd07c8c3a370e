#include <tenon/sdk/error.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "commands.h"

namespace command {
namespace {

namespace fs = std::filesystem;

// The benchmarks of the source tree that this program was built in; empty when it is installed.
fs::path bench_tool() {
  std::error_code error;
  for (fs::path folder = fs::canonical("/proc/self/exe", error); folder.has_relative_path();) {
    folder = folder.parent_path();
    if (const fs::path tool = folder / "tools" / "bench"; fs::is_regular_file(tool, error)) {
      return tool;
    }
  }
  return {};
}

}  // namespace

Answer bench(const Options& options) {
  tn::api = tn_get_host();
  const fs::path tool = bench_tool();
  if (tool.empty()) {
    tn::fail(TN_NOT_FOUND,
             "tenon bench runs tools/bench of Tenon's source tree, and this installation stands in "
             "none; build the source tree and call it there");
  }
  std::vector<char*> arguments{const_cast<char*>(tool.c_str())};
  for (const std::string& text : options.rest) arguments.push_back(const_cast<char*>(text.c_str()));
  arguments.push_back(nullptr);
  execv(tool.c_str(), arguments.data());
  tn::fail(TN_IO_ERROR, "%s cannot be run: %s", tool.c_str(), std::strerror(errno));
}

}  // namespace command
