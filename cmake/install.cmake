# `cmake --install`: the command, the headers, the static libraries, scenes and documents, and a
# sloshConfig.cmake, so that find_package(slosh) and slosh::slosh work in other projects.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY SLOSH_LIBRARIES)
add_library(slosh_all INTERFACE)
set_target_properties(slosh_all PROPERTIES EXPORT_NAME slosh)
target_link_libraries(slosh_all INTERFACE ${libraries})
add_library(slosh::slosh ALIAS slosh_all)

install(TARGETS slosh RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS slosh_all ${libraries} EXPORT sloshTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/src/slosh DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "cli" EXCLUDE)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/scenes/ DESTINATION ${CMAKE_INSTALL_DATADIR}/slosh/scenes)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/slosh)
install(EXPORT sloshTargets NAMESPACE slosh:: DESTINATION ${config_dir})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/sloshConfig.cmake.in
  ${CMAKE_BINARY_DIR}/sloshConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/sloshConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/sloshConfig.cmake ${CMAKE_BINARY_DIR}/sloshConfigVersion.cmake
  DESTINATION ${config_dir})
