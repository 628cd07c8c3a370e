// Writes what is generated from the operators' declarations.
//
//   tenon_generate_calls --header FILE     the C++ call header <tenon/calls.h>
//   tenon_generate_calls --reference FILE  the operator reference docs/ops.md
//   tenon_generate_calls --check FILE      fails when that reference is not up to date
//
// A file is written only when it changes, so that nothing that includes it is compiled in vain.
// Links the core for its schema parser; loads no plugin.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "call_header.h"
#include "reference.h"

namespace {

std::optional<std::string> contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

void write_if_changed(const std::filesystem::path& path, const std::string& text) {
  if (contents(path) == text) return;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!(file << text).flush()) throw std::runtime_error(path.string() + " cannot be written");
}

int run(std::string_view mode, const std::filesystem::path& path) {
  const auto chapters = generate::all_chapters();
  if (mode == "--header") {
    write_if_changed(path, generate::call_header(chapters));
  } else if (mode == "--reference") {
    write_if_changed(path, generate::reference(chapters));
  } else if (contents(path) != generate::reference(chapters)) {
    std::fprintf(stderr, "%s is not up to date; run tenon_generate_calls --reference %s\n",
                 path.c_str(), path.c_str());
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string_view mode = argc == 3 ? argv[1] : "";
  if (mode != "--header" && mode != "--reference" && mode != "--check") {
    std::fprintf(stderr,
                 "usage: tenon_generate_calls --header FILE | --reference FILE | --check FILE\n");
    return 2;
  }
  return run(mode, argv[2]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "tenon_generate_calls: %s\n", error.what());
  return 1;
}
