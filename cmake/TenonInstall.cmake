# Install rules: headers, libtenon, the `tenon` command, the CMake package and pkg-config's file.
# Plugins install themselves (TenonPlugin). All of it is relocatable.

include(CMakePackageConfigHelpers)

foreach(part IN ITEMS abi sdk)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${part}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
          COMPONENT development FILES_MATCHING PATTERN "*.h")
endforeach()
install(DIRECTORY "${TENON_GENERATED_DIR}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        COMPONENT development FILES_MATCHING PATTERN "*.h")

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${TENON_INSTALL_DOCDIR}" COMPONENT runtime)

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/Tenon")
set_target_properties(tenon_abi PROPERTIES EXPORT_NAME abi)
set_target_properties(tenon_sdk PROPERTIES EXPORT_NAME sdk)
set(libraries tenon_abi tenon_sdk_headers tenon_sdk)
if(TARGET tenon)
  list(APPEND libraries tenon)
endif()
install(TARGETS ${libraries} EXPORT TenonTargets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime
                NAMELINK_COMPONENT development)
if(TARGET tenon_command)
  install(TARGETS tenon_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT runtime)
endif()

install(EXPORT TenonTargets NAMESPACE Tenon:: DESTINATION "${package}" COMPONENT development)
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/TenonConfig.cmake.in" "${CMAKE_BINARY_DIR}/package/TenonConfig.cmake"
  INSTALL_DESTINATION "${package}" PATH_VARS CMAKE_INSTALL_LIBDIR)
# Before 1.0 a minor release may break source compatibility. The ABI has its own version.
write_basic_package_version_file("${CMAKE_BINARY_DIR}/package/TenonConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/package/TenonConfig.cmake"
              "${CMAKE_BINARY_DIR}/package/TenonConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/TenonPlugin.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/tenon_plugin.map"
        DESTINATION "${package}" COMPONENT development)

# pkg-config knows where its file lies; the prefix is as many folders up as libdir/pkgconfig is deep.
file(RELATIVE_PATH pkgconfig_to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" pkgconfig_to_prefix "${pkgconfig_to_prefix}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/tenon.pc.in" "${CMAKE_BINARY_DIR}/package/tenon.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/package/tenon.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
