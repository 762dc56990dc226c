# One folder below vargp/ is one module: its .cc files an object library, its *_test.cc files one
# test program. A module that includes a header of another it does not name in DEPENDS fails to
# configure, so the dependencies between the folders can only point downward.

add_library(vargp_flags INTERFACE)
# No contraction: a product and a sum round the same in the vector and in the scalar part of a loop,
# so that a row's prediction has the same bits wherever it stands. (Products of matrices use fused
# operations explicitly.)
target_compile_options(vargp_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wno-sign-conversion -Werror -fno-math-errno -ffp-contract=off)
if(VARGP_NATIVE)
  # AVX-512 registers are used in full: Eigen's products are one and a half times as fast.
  # (GCC 12 warns of its own AVX-512 headers: bug 105593.)
  target_compile_options(vargp_flags INTERFACE -march=native -mprefer-vector-width=512
                         -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
target_include_directories(vargp_flags INTERFACE ${PROJECT_SOURCE_DIR})
# The alignment of Eigen's memory must be the same in the library and in whatever links to it,
# whichever instructions either is compiled for.
target_compile_definitions(vargp_flags INTERFACE EIGEN_MAX_ALIGN_BYTES=64 EIGEN_DONT_PARALLELIZE)
target_link_libraries(vargp_flags INTERFACE Eigen3::Eigen TBB::tbb fmt::fmt
                      nlohmann_json::nlohmann_json ZLIB::ZLIB)

set(VARGP_MODULES "" CACHE INTERNAL "")

# Lets the target include vargp_stamp.h: version and commit, looked up anew by every build.
function(vargp_stamp target)
  set(folder ${PROJECT_BINARY_DIR}/generated)
  add_custom_target(vargp_stamp BYPRODUCTS ${folder}/vargp_stamp.h
                    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}
                            -DVERSION=${PROJECT_VERSION} -DFILE=${folder}/vargp_stamp.h
                            -P ${PROJECT_SOURCE_DIR}/cmake/stamp.cmake)
  add_dependencies(${target} vargp_stamp)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()

function(vargp_module name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS vargp/${name}/*.cc)
  file(GLOB headers CONFIGURE_DEPENDS vargp/${name}/*.h)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  foreach(file ${sources} ${headers})
    file(STRINGS ${file} includes REGEX "^#include \"vargp/[a-z]+/")
    foreach(line ${includes})
      string(REGEX REPLACE "^#include \"vargp/([a-z]+)/.*" "\\1" used "${line}")
      if(NOT used STREQUAL name AND NOT used IN_LIST ARG_DEPENDS)
        message(FATAL_ERROR "${file} includes vargp/${used}, which module '${name}' does not depend on")
      endif()
    endforeach()
  endforeach()
  if(sources)
    add_library(vargp_${name} OBJECT ${sources})
    target_link_libraries(vargp_${name} PRIVATE vargp_flags)
    set(VARGP_MODULES ${VARGP_MODULES} vargp_${name} CACHE INTERNAL "")
    if(name STREQUAL "io")
      vargp_stamp(vargp_io)
    endif()
  endif()
  if(VARGP_TESTS AND tests)
    add_executable(${name}_test ${tests})
    set_property(GLOBAL APPEND PROPERTY VARGP_TEST_TARGETS ${name}_test)
  endif()
endfunction()

# The one library that people link to, and the tests that link to it.
function(vargp_library)
  add_library(vargp STATIC)
  foreach(module ${VARGP_MODULES})
    target_sources(vargp PRIVATE $<TARGET_OBJECTS:${module}>)
  endforeach()
  add_library(vargp::vargp ALIAS vargp)
  set_target_properties(vargp PROPERTIES LINKER_LANGUAGE CXX)
  target_compile_features(vargp PUBLIC cxx_std_20)
  target_compile_definitions(vargp PUBLIC EIGEN_MAX_ALIGN_BYTES=64)
  target_include_directories(vargp PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                             $<INSTALL_INTERFACE:include>)
  target_link_libraries(vargp PUBLIC Eigen3::Eigen PRIVATE TBB::tbb fmt::fmt ZLIB::ZLIB zip)

  get_property(tests GLOBAL PROPERTY VARGP_TEST_TARGETS)
  foreach(test ${tests})
    target_link_libraries(${test} PRIVATE vargp vargp_flags GTest::gmock GTest::gtest_main)
    # What is tested is compiled for speed; the tests themselves need not be.
    target_compile_options(${test} PRIVATE -O1)
    target_compile_definitions(${test} PRIVATE VARGP_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    gtest_discover_tests(${test} PROPERTIES TIMEOUT 600 DISCOVERY_TIMEOUT 60)
  endforeach()
endfunction()
