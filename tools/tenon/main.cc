// The `tenon` command: reads the command line and runs one subcommand.
#include <cstdio>
#include <exception>

#include "command_line.h"

namespace {

bool print(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

int run(int argc, char** argv) {
  command::Options options;
  const auto app = command::command_line(options);
  try {
    app->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and the version arrive here too, as errors of status 0.
    return app->exit(error) == 0 ? 0 : 2;
  }
  const command::Answer answer = command::chosen(*app).run(options);
  if (print(answer.text)) return answer.status;
  std::perror("tenon: cannot write the answer");
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tenon: %s\n", error.what());
    return 1;
  }
}
