# tenon_install_beside_plugins(library): installs a shared library that plugins link where their $ORIGIN finds it, so that
# an installation works on machines that lack it.

include_guard(GLOBAL)

function(tenon_install_beside_plugins library)
  file(REAL_PATH "${library}" file)
  execute_process(COMMAND "${CMAKE_READELF}" -d "${file}" OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  if(NOT dynamic MATCHES "Library soname: \\[([^]]+)\\]")
    message(FATAL_ERROR "${file} has no SONAME, so plugins cannot ask for it by name.")
  endif()
  install(FILES "${file}" RENAME "${CMAKE_MATCH_1}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/tenon/plugins"
          COMPONENT plugins)
endfunction()
