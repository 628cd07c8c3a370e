# The build tree and the install tree have one layout, and every path in a binary is relative to the
# binary itself. So either tree runs in place and may be moved.
#
#   bin/                 programs
#   lib/                 libtenon.so
#   lib/tenon/plugins/   NAME.plugin.toml beside its libNAME.so

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

# GNUInstallDirs would choose lib64 or a multiarch folder; distributions that want one pass it.
set(CMAKE_INSTALL_LIBDIR lib CACHE PATH "Libraries, relative to the prefix")
include(GNUInstallDirs)
set(TENON_INSTALL_DOCDIR "${CMAKE_INSTALL_DATAROOTDIR}/doc/tenon")

set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib" "$ORIGIN")
file(RELATIVE_PATH bin_to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
list(PREPEND CMAKE_INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
list(REMOVE_DUPLICATES CMAKE_INSTALL_RPATH)
