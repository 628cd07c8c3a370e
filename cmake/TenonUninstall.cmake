# Every installation carries lib/tenon/uninstall, which removes it again, and the list that it reads. It needs neither
# CMake nor the build tree, moves with the prefix, and forgets nothing that an earlier version installed there.
#
# Included before anything else is installed: folders that are there already are others', and stay.

set(folder "${CMAKE_INSTALL_LIBDIR}/tenon")
file(RELATIVE_PATH TENON_UNINSTALL_TO_PREFIX "/${folder}" "/")
configure_file("${CMAKE_CURRENT_LIST_DIR}/uninstall/uninstall.in" "${CMAKE_BINARY_DIR}/package/uninstall" @ONLY)

install(CODE "set(tenon_uninstall_folder \"${folder}\")
set(tenon_shared_folders \"\" ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_INSTALL_LIBDIR}
    ${CMAKE_INSTALL_LIBDIR}/cmake ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_DATAROOTDIR}
    ${CMAKE_INSTALL_DATAROOTDIR}/doc)")
install(SCRIPT "${CMAKE_CURRENT_LIST_DIR}/uninstall/before.cmake")
install(PROGRAMS "${CMAKE_BINARY_DIR}/package/uninstall" DESTINATION "${folder}" COMPONENT development)

# Deferred to the end of the top folder, when everything else has been installed.
cmake_language(DEFER CALL install SCRIPT "${PROJECT_SOURCE_DIR}/cmake/uninstall/after.cmake")
