# vargp_assets(TARGET FILES...): puts the files into the target, and writes vargp_assets.inc: for
# each the line VARGP_ASSET(number, "name", "path", "SHA-256 in hex"). vargp/report/assets.cc makes
# bytes of it. A changed file runs cmake again, for its checksum.
function(vargp_assets target)
  set(text "")
  set(number 0)
  foreach(file ${ARGN})
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    cmake_path(GET file FILENAME name)
    file(SHA256 ${file} sum)
    string(APPEND text "VARGP_ASSET(${number}, \"${name}\", \"${file}\", \"${sum}\")\n")
    math(EXPR number "${number} + 1")
    list(APPEND files ${file})
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/vargp_assets.inc CONTENT "${text}" @ONLY)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()
