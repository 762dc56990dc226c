# What `cmake --install` puts in place: the library, its public headers, the program, and what
# find_package(vargp) needs. tests/consumer builds against it.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS vargp EXPORT vargpTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS vargp_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# Public is vargp/vargp.h with the headers it includes, directly or not, and no other.
set(found vargp/vargp.h)
while(found)
  list(POP_FRONT found header)
  list(APPEND public_headers ${header})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(STRINGS ${header} includes REGEX "^#include \"vargp/")
  list(TRANSFORM includes REPLACE "^#include \"([^\"]+)\".*" "\\1")
  list(APPEND found ${includes})
  list(REMOVE_ITEM found ${public_headers})
endwhile()
foreach(header ${public_headers})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/vargp)
configure_package_config_file(cmake/vargpConfig.cmake.in vargpConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(vargpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT vargpTargets NAMESPACE vargp:: DESTINATION ${package_folder})
install(FILES ${PROJECT_BINARY_DIR}/vargpConfig.cmake ${PROJECT_BINARY_DIR}/vargpConfigVersion.cmake
        DESTINATION ${package_folder})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY experiments DESTINATION ${CMAKE_INSTALL_DATADIR}/vargp)  # for vargp reproduce
