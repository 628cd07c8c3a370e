// Writes what is installed beside the command: `tenon_generate_manual FOLDER` puts tenon.1 there,
// and tenon.bash, tenon.zsh and tenon.fish.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include "command_line.h"
#include "completion.h"
#include "manual_page.h"

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!(file << text).flush()) throw std::runtime_error(path.string() + " cannot be written");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: tenon_generate_manual FOLDER\n");
    return 2;
  }
  command::Options options;
  const auto app = command::command_line(options);
  const std::filesystem::path folder = argv[1];
  write(folder / "tenon.1", command::manual_page(*app));
  write(folder / "tenon.bash", command::bash_completion(*app));
  write(folder / "tenon.zsh", command::zsh_completion(*app));
  write(folder / "tenon.fish", command::fish_completion(*app));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "tenon_generate_manual: %s\n", error.what());
  return 1;
}
