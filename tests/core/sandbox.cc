#include "sandbox.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tenon_test {
namespace {

namespace fs = std::filesystem;

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

Sandbox::Sandbox() {
  std::string pattern = (fs::temp_directory_path() / "tenon-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = fs::canonical(pattern).string();
  working_folder_ = folder_;
  fs::create_directories(path("plugins"));
  config("");
  variable("TENON_CONFIG", path("tenon.toml"));
  variable("TENON_PLUGIN_PATH", path("plugins"));
  variable("HOME", path("home"));
}

Sandbox::~Sandbox() {
  std::error_code error;
  fs::remove_all(folder_, error);
}

std::string Sandbox::path(const std::string& name) const {
  return folder_ + "/" + name;
}

std::string Sandbox::write(const std::string& name, const std::string& text) const {
  const fs::path file = path(name);
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return file.string();
}

void Sandbox::manifest(const std::string& name, const std::string& library,
                       const std::string& more) const {
  write("plugins/" + name + ".plugin.toml", "[plugin]\nname = \"" + name +
                                                "\"\nversion = \"1.0\"\nabi = \"0.3\"\n"
                                                "[[library]]\nfile = \"lib" +
                                                library + ".so\"\n" + more);
}

void Sandbox::library(const std::string& name) const {
  const std::string file = "lib" + name + ".so";
  fs::copy_file(fs::path(TENON_TEST_PLUGIN_DIR) / file, path("plugins/" + file),
                fs::copy_options::skip_existing);
}

void Sandbox::plugin(const std::string& name, const std::string& from,
                     const std::string& more) const {
  library(from);
  manifest(name, from, more);
}

void Sandbox::config(const std::string& text) const {
  write("tenon.toml", text);
}

void Sandbox::variable(const std::string& name, const std::string& value) {
  std::erase_if(variables_, [&](const auto& entry) { return entry.first == name; });
  variables_.emplace_back(name, value);
}

void Sandbox::search_config() {
  std::erase_if(variables_, [](const auto& entry) { return entry.first == "TENON_CONFIG"; });
  variable("XDG_CONFIG_DIRS", path("etc"));
  variable("XDG_CONFIG_HOME", path("user"));
}

void Sandbox::working_folder(const std::string& name) {
  working_folder_ = path(name);
  fs::create_directories(working_folder_);
}

std::vector<std::string> Sandbox::run(const std::vector<Command>& commands) const {
  return run_program(TENON_TEST_PROBE, commands);
}

std::string Sandbox::last_of(const std::string& program) const {
  const std::vector<std::string> answers = run_program(program, {});
  return answers.empty() ? "" : answers.back();
}

std::vector<std::string> Sandbox::run_program(const std::string& program,
                                              const std::vector<Command>& commands) const {
  std::string line = "cd " + quoted(working_folder_) + " && exec env -i";
  // Sanitizers are told what to do by variables.
  for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name))
      line += std::string(" ") + name + "=" + quoted(value);
  }
  for (const auto& [name, value] : variables_) line += " " + name + "=" + quoted(value);
  line += " " + quoted(program);
  for (const Command& command : commands) {
    for (const std::string& word : command) line += " " + quoted(word);
    line += " --";
  }
  const std::string output = path("output"), errors = path("errors");
  const int status = std::system((line + " >" + quoted(output) + " 2>" + quoted(errors)).c_str());
  errors_ = read_all(errors);
  std::vector<std::string> answers;
  std::istringstream lines(read_all(output));
  for (std::string answer; std::getline(lines, answer);) {
    // Messages may have several lines; answers start with one of two words.
    const bool starts = answer.starts_with("ok") || answer.starts_with("error ") || answers.empty();
    if (starts) {
      answers.push_back(answer);
    } else {
      answers.back() += "\n" + answer;
    }
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    answers.push_back("died: status " + std::to_string(status) + "\n" + errors_);
  }
  return answers;
}

std::string Sandbox::last(const std::vector<Command>& commands) const {
  const std::vector<std::string> answers = run(commands);
  return answers.empty() ? "" : answers.back();
}

}  // namespace tenon_test
