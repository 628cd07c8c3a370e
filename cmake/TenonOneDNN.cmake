# Defines the target onednn::dnnl from the oneDNN that tools/setup put into .venv, and places
# libdnnl.so beside the plugins in the build and install trees, where their $ORIGIN finds it.
# Where TENON_ONEDNN is off or oneDNN is absent there is no target, and a message says why.
#
# The build must use GNU OpenMP alone: with a second OpenMP runtime in the process, two pools of
# threads spin against each other on the same cores.

include_guard(GLOBAL)
include(TenonBundle)

if(NOT TENON_ONEDNN)
  message(STATUS "oneDNN: switched off (TENON_ONEDNN)")
  return()
endif()

find_path(ONEDNN_INCLUDE_DIR oneapi/dnnl/dnnl.hpp
          PATHS "${PROJECT_SOURCE_DIR}/.venv/include" NO_DEFAULT_PATH)
find_library(ONEDNN_LIBRARY NAMES libdnnl.so.3
             PATHS "${PROJECT_SOURCE_DIR}/.venv/lib" NO_DEFAULT_PATH)
if(NOT ONEDNN_INCLUDE_DIR OR NOT ONEDNN_LIBRARY)
  message(STATUS "oneDNN: not found in .venv, its users are skipped; run tools/setup to install it")
  return()
endif()

execute_process(COMMAND "${CMAKE_READELF}" -d "${ONEDNN_LIBRARY}"
                OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
if(NOT dynamic MATCHES "libgomp" OR dynamic MATCHES "libiomp|libomp|libtbb|libsycl")
  message(FATAL_ERROR "${ONEDNN_LIBRARY} does not run on GNU OpenMP alone. "
                      "Run tools/setup, or configure with -DTENON_ONEDNN=OFF.")
endif()

file(STRINGS "${ONEDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h" numbers
     REGEX "define DNNL_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]" "" numbers "${numbers}")
string(REPLACE ";" "." ONEDNN_VERSION "${numbers}")
message(STATUS "oneDNN: ${ONEDNN_VERSION} with GNU OpenMP (${ONEDNN_LIBRARY})")

add_library(onednn::dnnl SHARED IMPORTED GLOBAL)
set_target_properties(onednn::dnnl PROPERTIES
  IMPORTED_LOCATION "${ONEDNN_LIBRARY}"
  IMPORTED_SONAME libdnnl.so.3
  INTERFACE_INCLUDE_DIRECTORIES "${ONEDNN_INCLUDE_DIR}")

set(folder "${CMAKE_BINARY_DIR}/lib/tenon/plugins")
file(MAKE_DIRECTORY "${folder}")
file(CREATE_LINK "${ONEDNN_LIBRARY}" "${folder}/libdnnl.so.3" COPY_ON_ERROR)
tenon_install_beside_plugins("${ONEDNN_LIBRARY}")

file(GLOB licenses "${PROJECT_SOURCE_DIR}/.venv/share/doc/onednn/LICENSE"
                   "${PROJECT_SOURCE_DIR}/.venv/share/doc/onednn/THIRD-PARTY-PROGRAMS")
install(FILES ${licenses} DESTINATION "${TENON_INSTALL_DOCDIR}/onednn" COMPONENT plugins)
