# Runs first of an installation: remembers what an earlier one listed, and which shared folders are not Tenon's.

cmake_policy(VERSION 3.25)  # an installation sets none

set(tenon_prefix "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
set(tenon_list "${tenon_prefix}/${tenon_uninstall_folder}/installed.txt")

set(tenon_installed "")
if(EXISTS "${tenon_list}")
  file(STRINGS "${tenon_list}" tenon_installed)
endif()

set(tenon_foreign_folders "")
foreach(folder IN LISTS tenon_shared_folders)
  if(IS_DIRECTORY "${tenon_prefix}/${folder}" AND NOT "${folder}/" IN_LIST tenon_installed)
    list(APPEND tenon_foreign_folders "${folder}/")
  endif()
endforeach()
