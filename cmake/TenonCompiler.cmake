# Language levels, warnings and flags of everything in this tree.

set(CMAKE_C_STANDARD 99)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# TN_INIT names a struct's first member and leaves the rest zero, on purpose.
add_compile_options(-Wall -Wextra -Werror -Wno-missing-field-initializers)

# Line tables cost little and make profiles and backtraces readable.
foreach(language IN ITEMS C CXX)
  set(CMAKE_${language}_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
  set(CMAKE_${language}_FLAGS_DEBUG "-O0 -g")
  set(CMAKE_${language}_FLAGS_SANITIZER "-O1 -g1 -fno-omit-frame-pointer")
endforeach()

# Messages and debug information name files from the root of the tree, wherever the tree lies.
file(RELATIVE_PATH source_from_build "${CMAKE_BINARY_DIR}" "${PROJECT_SOURCE_DIR}")
add_compile_options("-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=" "-ffile-prefix-map=${source_from_build}=")

# With a base directory, and without hashing the working directory, a fresh clone finds what another
# clone compiled.
find_program(TENON_CCACHE ccache)
if(TENON_CCACHE)
  foreach(language IN ITEMS C CXX)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER
          "${CMAKE_COMMAND};-E;env;CCACHE_BASEDIR=${PROJECT_SOURCE_DIR};CCACHE_NOHASHDIR=1;${TENON_CCACHE}")
    endif()
  endforeach()
endif()
