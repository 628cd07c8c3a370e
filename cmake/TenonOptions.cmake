# What a person may choose when configuring. The presets set these; so may -D on the command line.

set(TENON_SANITIZE "" CACHE STRING
    "Sanitizers for the whole tree, as for -fsanitize: 'address,undefined' or 'thread'")

option(TENON_VALGRIND "Add tests that run C programs under Valgrind" OFF)

set(TENON_CPU_LEVELS "v3;v4" CACHE STRING
    "x86-64 levels to build the cpu plugin for; the loader picks the best that the machine has")

option(TENON_FUZZ "Build libFuzzer's targets, which clang alone can" OFF)

option(TENON_ONEDNN "Build the onednn plugin when oneDNN is found" ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
