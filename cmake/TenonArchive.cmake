# `cpack --preset release` packs the install tree into build/release/tenon-VERSION-SYSTEM-PROCESSOR.tar.gz, which holds one
# folder of that name. It is used where it is unpacked.

string(TOLOWER "${CMAKE_SYSTEM_NAME}" system)
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME tenon)
set(CPACK_PACKAGE_VENDOR Tenon)
set(CPACK_PACKAGE_FILE_NAME "tenon-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
