#include "child_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace command {
namespace {

// Runs `body` in a child with stdout going to us and stderr to nowhere; the child ends when it
// returns.
template <class Body>
std::string collect(Body&& body) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0) {
      dup2(nowhere, STDERR_FILENO);
    }
    try {
      body();
    } catch (...) {  // nothing may unwind into the parent's half of the program
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char block[4096];
  for (ssize_t n = 1; child > 0 && n != 0;) {
    n = read(ends[0], block, sizeof block);
    if (n > 0) text.append(block, static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) break;
  }
  close(ends[0]);
  for (pid_t gone = -1; child > 0 && gone < 0;) {
    gone = waitpid(child, nullptr, 0);
    if (gone < 0 && errno != EINTR) break;
  }
  return text;
}

}  // namespace

std::string output_of_program(const std::vector<std::string>& command_line, const char* variable) {
  std::vector<char*> arguments;
  for (const std::string& part : command_line) arguments.push_back(const_cast<char*>(part.c_str()));
  arguments.push_back(nullptr);
  return collect([&] {
    setenv(variable, "1", 1);
    execv(arguments[0], arguments.data());
  });
}

std::string output_of_child(const std::function<std::string()>& work) {
  return collect([&] {
    const std::string text = work();
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t n = write(STDOUT_FILENO, text.data() + at, text.size() - at);
      if (n < 0) return;
      at += static_cast<std::size_t>(n);
    }
  });
}

}  // namespace command
