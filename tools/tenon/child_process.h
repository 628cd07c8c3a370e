// child_process.h - work that shall not touch this process: another program, or code that is not
// trusted to end well.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace command {

// What a program writes to stdout; "" when it cannot be started. Its stderr is dropped. `variable`
// is set to 1 in its environment.
std::string output_of_program(const std::vector<std::string>& command_line, const char* variable);

// What `work` returns when it is run in a child process; "" when that dies.
std::string output_of_child(const std::function<std::string()>& work);

}  // namespace command
