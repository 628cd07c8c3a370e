# Runs last of an installation: writes the list of what it put below the prefix. A folder ends in a slash and stands
# behind all that is in it; the prefix is a slash alone.

cmake_policy(VERSION 3.25)  # an installation sets none

list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${CMAKE_INSTALL_PREFIX}/${tenon_uninstall_folder}/installed.txt")

foreach(file IN LISTS CMAKE_INSTALL_MANIFEST_FILES)
  file(RELATIVE_PATH path "${CMAKE_INSTALL_PREFIX}" "${file}")
  list(APPEND tenon_installed "${path}")
  while(NOT path STREQUAL "")
    cmake_path(GET path PARENT_PATH path)
    list(APPEND tenon_installed "${path}/")
  endwhile()
endforeach()

list(REMOVE_DUPLICATES tenon_installed)
list(REMOVE_ITEM tenon_installed ${tenon_foreign_folders})
list(SORT tenon_installed ORDER DESCENDING)
list(JOIN tenon_installed "\n" tenon_lines)
file(WRITE "${tenon_list}" "${tenon_lines}\n")
