// A folder of its own for one test, with plugins and configuration files, and fresh processes that
// look at it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tenon_test {

class Sandbox {
 public:
  Sandbox();
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  // An absolute path inside.
  std::string path(const std::string& name) const;

  // Writes a file, with the folders above it.
  std::string write(const std::string& name, const std::string& text) const;

  // Writes plugins/NAME.plugin.toml: [plugin], a [[library]] with lib`library`.so, then `more`.
  void manifest(const std::string& name, const std::string& library,
                const std::string& more = "") const;

  // Copies a test plugin's library into plugins/.
  void library(const std::string& name) const;

  // Both: a plugin NAME made from the test plugin `library`.
  void plugin(const std::string& name, const std::string& library,
              const std::string& more = "") const;

  // tenon.toml, which $TENON_CONFIG names.
  void config(const std::string& text) const;

  // Sets a variable for the processes; they get no other TENON_* or XDG variables.
  void variable(const std::string& name, const std::string& value);
  // Leaves the search for configuration files to the core.
  void search_config();
  // The folder they run in.
  void working_folder(const std::string& name);

  using Command = std::vector<std::string>;
  // Runs the commands (probe.cc) in one new process; one answer each. A process that dies gives
  // "died: ..." last.
  std::vector<std::string> run(const std::vector<Command>& commands) const;
  // The answer to the last one.
  std::string last(const std::vector<Command>& commands) const;
  // The answer of another program than the probe.
  std::string last_of(const std::string& program) const;
  // All that the process wrote on stderr is here after `run`.
  const std::string& errors() const { return errors_; }

 private:
  std::vector<std::string> run_program(const std::string& program,
                                       const std::vector<Command>& commands) const;

  std::string folder_;
  std::string working_folder_;
  std::vector<std::pair<std::string, std::string>> variables_;
  mutable std::string errors_;
};

}  // namespace tenon_test
