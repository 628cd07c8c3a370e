# Builds in which sanitizers or Valgrind watch every test. What they are told stands here alone, and reaches every test:
# ctest reads it before it looks for tests.

if(TENON_SANITIZE OR TENON_VALGRIND)
  set(TENON_SYSTEM_BLOCKS ON)  # see core/memory.h
endif()

if(NOT TENON_SANITIZE)
  return()
endif()

# vptr and function compare type information by address, which differs between libraries that are
# loaded with RTLD_LOCAL and hide their symbols, as every plugin is and does.
add_compile_options("-fsanitize=${TENON_SANITIZE}" -fno-sanitize=vptr,function -fno-sanitize-recover=all)
add_link_options("-fsanitize=${TENON_SANITIZE}")

# The thread sanitizer passes over accesses of more than 16 bytes, so kernels are built with vectors of that size.
if(TENON_SANITIZE MATCHES "thread")
  set(TENON_KERNEL_OPTIONS -DTENON_NARROW_VECTORS -mprefer-vector-width=128)
endif()

# Per variable, its options, where they are no matter of taste:
#   allocator_may_return_null, max_allocation_size_mb: a tensor too large for the machine is an error, as it is without a
#   sanitizer. Of memory that is written the thread sanitizer keeps four times as much for itself.
#   intercept_tls_get_addr: clang 14 looks for thread-local memory of loaded libraries where glibc no longer has it, and its
#   leak checker crashes on what it finds. Without this it takes that memory for reachable.
#   atexit_sleep_ms: of a process that ends with other threads, in wait for races; it is a second where nothing is said, and
#   OpenMP's threads are there after most tests.
#   ignore_noninstrumented_modules: what CPython, NumPy and libomp do among themselves is theirs.
set(suppressions "${PROJECT_SOURCE_DIR}/tests/sanitizers")
set(ASAN_OPTIONS
  detect_stack_use_after_return=1 check_initialization_order=1 strict_string_checks=1 detect_leaks=1
  allocator_may_return_null=1 max_allocation_size_mb=4096 intercept_tls_get_addr=0)
set(LSAN_OPTIONS "suppressions=${suppressions}/leaks.supp" print_suppressions=0)
set(UBSAN_OPTIONS print_stacktrace=1 halt_on_error=1)
set(TSAN_OPTIONS
  halt_on_error=1 second_deadlock_stack=1 ignore_noninstrumented_modules=1 atexit_sleep_ms=50
  allocator_may_return_null=1 max_allocation_size_mb=1024)
set(PYTHONMALLOC malloc)  # the interpreter's own pools would hide its objects
set(TEST_SANITIZER "${TENON_SANITIZE}")  # for tests that must know, as they limit time or memory
set(PYTEST_ADDOPTS --capture=sys)  # what pytest had captured is lost when a report ends the process

# libomp looks for archer beside the program, not beside itself.
if(TENON_SANITIZE MATCHES "thread")
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-resource-dir
                  OUTPUT_VARIABLE resources OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  find_library(TENON_ARCHER archer HINTS "${resources}/../.." REQUIRED)
  set(OMP_TOOL_LIBRARIES "${TENON_ARCHER}")
endif()

set(environment "${CMAKE_BINARY_DIR}/environment.cmake")
file(WRITE "${environment}" "")
foreach(variable IN ITEMS
    ASAN_OPTIONS LSAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS OMP_TOOL_LIBRARIES PYTHONMALLOC TEST_SANITIZER PYTEST_ADDOPTS)
  list(JOIN ${variable} ":" value)
  file(APPEND "${environment}" "set(ENV{${variable}} \"${value}\")\n")
endforeach()
set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY TEST_INCLUDE_FILES "${environment}")
