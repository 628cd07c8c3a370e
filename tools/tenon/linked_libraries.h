// linked_libraries.h - the shared libraries that loading a file would bring along.
#pragma once
#include <string>
#include <vector>

namespace command {

struct LinkedLibrary {
  std::string name;     // as the file asks for it: "libgomp.so.1"
  std::string path;     // absolute, links followed; "" when it is not found
  std::string version;  // "1.0.0"; "" when it is not known
};

// All that `path` needs, directly and indirectly, as the dynamic loader finds them. No code of any
// of them runs, except in a child process for libraries that tell their version by a function.
// Empty when the loader cannot say.
std::vector<LinkedLibrary> linked_libraries(const std::string& path);

}  // namespace command
