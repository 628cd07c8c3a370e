# Points Python_EXECUTABLE at an interpreter with the sanitizer's runtime (interpreter.cc), in a virtual environment of its
# own that shares the packages of the ordinary one.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Embed)

execute_process(COMMAND "${Python_EXECUTABLE}" -c "import sys; print(sys._base_executable)"
                OUTPUT_VARIABLE base OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
cmake_path(GET base PARENT_PATH home)

set(folder "${CMAKE_BINARY_DIR}/interpreter")
set(library "${folder}/lib/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}")
file(WRITE "${folder}/pyvenv.cfg" "home = ${home}\ninclude-system-site-packages = false\n")
file(MAKE_DIRECTORY "${library}")
file(CREATE_LINK "${Python_SITELIB}" "${library}/site-packages" SYMBOLIC)

add_executable(tenon_test_interpreter "${CMAKE_CURRENT_LIST_DIR}/interpreter.cc")
target_link_libraries(tenon_test_interpreter PRIVATE Python::Python)
target_link_options(tenon_test_interpreter PRIVATE "-Wl,-rpath,${Python_RUNTIME_LIBRARY_DIRS}")
set_target_properties(tenon_test_interpreter PROPERTIES
  OUTPUT_NAME python
  RUNTIME_OUTPUT_DIRECTORY "${folder}/bin")
set(Python_EXECUTABLE "${folder}/bin/python")
