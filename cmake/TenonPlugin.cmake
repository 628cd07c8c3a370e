# tenon_add_plugin(NAME [VARIANT suffix] SOURCES file... [LIBRARIES target...] [OPTIONS flag...])
#
# Builds a plugin: a module that exports `tn_plugin_entry` and nothing else, and that needs no Tenon
# library, since all it calls comes from the host table. Used by Tenon's own plugins and, through
# find_package(Tenon), by everyone else's.
#
#   NAME       of the plugin. The folder holds NAME.plugin.toml, or NAME.plugin.toml.in where the
#              manifest depends on what is built: that one goes through configure_file(@ONLY).
#   VARIANT    a suffix, for a plugin that is built several times, say once per CPU level. Each call
#              makes one library; the manifest, which lists them all, is shared.
#   SOURCES    C or C++ files, the latter in C++17 at least.
#   LIBRARIES  linked privately. Static ones are not exported.
#   OPTIONS    compiler flags for this library alone, as -march=x86-64-v4.
#
# Result: target tenon_NAME (tenon_NAME_VARIANT, and tenon_NAME that builds all variants), file
# lib/tenon/plugins/libNAME[_VARIANT].so with its manifest beside it in the build tree, and install
# rules for both. A library placed in the same folder is found at run time.

include_guard(GLOBAL)
include(GNUInstallDirs)

function(tenon_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "VARIANT" "SOURCES;LIBRARIES;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_plugin(${name}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}. "
                        "Known are VARIANT, SOURCES, LIBRARIES and OPTIONS.")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "tenon_add_plugin(${name}): SOURCES is empty; name at least one file.")
  endif()

  set(file "${name}")
  if(arg_VARIANT)
    string(APPEND file "_${arg_VARIANT}")
    if(NOT TARGET tenon_${name})
      add_custom_target(tenon_${name})
    endif()
  endif()
  set(target tenon_${file})
  set(folder "${CMAKE_BINARY_DIR}/lib/tenon/plugins")
  set(destination "${CMAKE_INSTALL_LIBDIR}/tenon/plugins")
  set(exports "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/tenon_plugin.map")

  add_library(${target} MODULE ${arg_SOURCES})
  if(arg_VARIANT)
    add_dependencies(tenon_${name} ${target})
  endif()
  target_link_libraries(${target} PRIVATE Tenon::sdk ${arg_LIBRARIES})
  target_compile_options(${target} PRIVATE ${arg_OPTIONS})
  set_target_properties(${target} PROPERTIES
    PREFIX lib
    OUTPUT_NAME "${file}"
    LIBRARY_OUTPUT_DIRECTORY "${folder}"
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH "$ORIGIN"
    LINK_DEPENDS "${exports}")
  target_link_options(${target} PRIVATE
    "-Wl,--version-script=${exports}" "-Wl,--exclude-libs,ALL" -Wl,--as-needed)
  # A sanitizer's runtime lives in the program, so there its symbols have to stay open.
  if(NOT TENON_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()

  set(manifest "${name}.plugin.toml")
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${manifest}.in")
    configure_file("${manifest}.in" "${folder}/${manifest}" @ONLY)
  elseif(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${manifest}")
    configure_file("${manifest}" "${folder}/${manifest}" COPYONLY)
  else()
    message(FATAL_ERROR "tenon_add_plugin(${name}): no manifest. "
                        "Write ${CMAKE_CURRENT_SOURCE_DIR}/${manifest}.")
  endif()

  install(TARGETS ${target} LIBRARY DESTINATION "${destination}" COMPONENT plugins)
  install(FILES "${folder}/${manifest}" DESTINATION "${destination}" COMPONENT plugins)
endfunction()
