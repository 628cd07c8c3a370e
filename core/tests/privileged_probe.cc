// Prints whether the process is privileged, how many TENON_* variables the core sees, and the
// configuration files it would read. It links no library, since a set-user-id program finds none
// beside itself.
#include <sys/auxv.h>

#include <iostream>

#include "core/config_sources.h"

// The leak checker asks this. It looks at a process from another one, which the kernel forbids for
// a set-user-id one.
extern "C" int __lsan_is_turned_off() {
  return static_cast<int>(getauxval(AT_SECURE));
}

int main() {
  std::cout << "ok " << getauxval(AT_SECURE) << " " << tenon::config_variables().size();
  for (const tenon::ConfigFile& file : tenon::config_files()) std::cout << " " << file.path;
  std::cout << std::endl;
  return 0;
}
