# slosh_folder(name DEPS folders... LIBS targets...): src/slosh/<name>/*.cpp becomes the library
# slosh_<name>, tests/<name>/*_test.cpp becomes the program test_<name>.
# The -Wno-...: g++ 12 warns of std::string + char* without cause (its bug 105651); what these find
# in earnest, the asan preset finds too.
set(SLOSH_FLAGS -Wall -Wextra -Wshadow -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds
  -fno-math-errno -fno-trapping-math)
# Public, so that inline code from our headers gives the same bits wherever it is compiled.
set(SLOSH_SIMD -mavx2 -mfma -ffp-contract=fast)
if(SLOSH_WERROR)
  list(APPEND SLOSH_FLAGS -Werror)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3")
if(SLOSH_SANITIZE)
  # With their checks -O2 -g takes g++ two to three times as long.
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1 -DNDEBUG")
  add_compile_options(-fsanitize=${SLOSH_SANITIZE} -fno-sanitize-recover=undefined
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SLOSH_SANITIZE})
endif()
if(SLOSH_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Files that read, write and look up, through templates that take long to compile: at a lower level
# half as long. The one that computes, mesh_voxels, has OpenVDB's library do most of it; its tests
# take as long as at -O3.
set(SLOSH_LIGHT_FILES shape/mesh_voxels cache/vdb cache/manifest cache/bodies view/server
  scene/tables scene/body_tables scene/shape_tables scene/tall_tables scene/schema cli/main)
list(TRANSFORM SLOSH_LIGHT_FILES PREPEND ${CMAKE_SOURCE_DIR}/src/slosh/)
list(TRANSFORM SLOSH_LIGHT_FILES APPEND .cpp)
set_source_files_properties(${SLOSH_LIGHT_FILES} PROPERTIES
  COMPILE_OPTIONS "$<$<NOT:$<CONFIG:Debug>>:-O1>;$<$<CONFIG:RelWithDebInfo>:-g1>" SKIP_PRECOMPILE_HEADERS ON)
# Classes of OpenVDB whose code its library holds need not be compiled again: a third of the time.
# Only what is optimised finds all it needs there; the rest was inlined away.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/slosh/shape/mesh_voxels.cpp
    ${CMAKE_SOURCE_DIR}/src/slosh/cache/vdb.cpp
    PROPERTIES COMPILE_DEFINITIONS SLOSH_USE_OPENVDB_CODE)
endif()

# Tests, and the commands, which leave all computing to the folders, at a lower level too: a third
# less time. Functions of our headers that both they and a folder emit are then linked in their
# version; those are constructors, destructors, Field::fill and step_topology (nm tells).
set(SLOSH_LIGHT $<$<CONFIG:Release>:-O1>)

# slosh_precompile(target group headers...): the first target of a group compiles the
# headers, the others use its result, so all of a group must be compiled alike.
function(slosh_precompile target group)
  if(NOT SLOSH_PRECOMPILE)
    return()
  endif()
  get_property(first GLOBAL PROPERTY SLOSH_PRECOMPILED_${group})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY SLOSH_PRECOMPILED_${group} ${target})
  endif()
endfunction()

enable_testing()
if(SLOSH_TESTS)
  add_library(slosh_doctest_main STATIC ${CMAKE_SOURCE_DIR}/tests/doctest_main.cpp)
  target_compile_options(slosh_doctest_main PRIVATE ${SLOSH_LIGHT})
  target_link_libraries(slosh_doctest_main PUBLIC doctest::doctest)
endif()

function(slosh_folder name)
  cmake_parse_arguments(F "" "" "DEPS;LIBS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/slosh/${name}/*.cpp)
  if(name STREQUAL "base")
    if(SLOSH_PAR STREQUAL "tbb")
      list(FILTER sources EXCLUDE REGEX "parallel_std.cpp$")
    else()
      list(FILTER sources EXCLUDE REGEX "parallel_tbb.cpp$")
    endif()
  endif()
  list(TRANSFORM F_DEPS PREPEND slosh_)
  if(sources)
    add_library(slosh_${name} STATIC ${sources})
    target_compile_options(slosh_${name} PRIVATE ${SLOSH_FLAGS} PUBLIC ${SLOSH_SIMD})
    target_link_libraries(slosh_${name} PUBLIC ${F_DEPS} PRIVATE ${F_LIBS} fmt::fmt)
    slosh_precompile(slosh_${name} folders ${CMAKE_SOURCE_DIR}/cmake/standard.h)
    target_include_directories(slosh_${name} PUBLIC
      $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
  else()
    add_library(slosh_${name} INTERFACE)
    target_link_libraries(slosh_${name} INTERFACE ${F_DEPS})
  endif()
  set_property(GLOBAL APPEND PROPERTY SLOSH_LIBRARIES slosh_${name})

  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${name}/*_test.cpp)
  if(SLOSH_TESTS AND tests)
    slosh_test(${name} SOURCES ${tests} LIBS slosh_${name})
  endif()
endfunction()

# slosh_test(name SOURCES files... LIBS targets...): a doctest program registered with ctest.
function(slosh_test name)
  cmake_parse_arguments(T "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(test_${name} ${T_SOURCES})
  target_compile_options(test_${name} PRIVATE ${SLOSH_FLAGS} ${SLOSH_LIGHT})
  target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(test_${name} PRIVATE ${T_LIBS} slosh_doctest_main fmt::fmt)
  slosh_precompile(test_${name} tests ${CMAKE_SOURCE_DIR}/cmake/standard.h <doctest/doctest.h>)
  add_test(NAME ${name} COMMAND test_${name})
endfunction()

# The command line program: src/slosh/cli/*.cpp. Its cpu_check.cpp must run on any x86-64, to say
# what is missing where the rest would die of an illegal instruction.
function(slosh_cli)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/slosh/cli/*.cpp)
  add_executable(slosh ${sources})
  target_compile_options(slosh PRIVATE ${SLOSH_FLAGS} ${SLOSH_LIGHT})
  # What measures the machine must run as fast as it can.
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/slosh/cli/probe.cpp PROPERTIES
    COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>" SKIP_PRECOMPILE_HEADERS ON)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/slosh/cli/cpu_check.cpp PROPERTIES
    COMPILE_OPTIONS "-mno-avx" SKIP_PRECOMPILE_HEADERS ON)
  target_compile_definitions(slosh PRIVATE SLOSH_VERSION="${PROJECT_VERSION}")
  target_link_libraries(slosh PRIVATE slosh_view slosh_render slosh_cache slosh_scene CLI11::CLI11
    nlohmann_json::nlohmann_json fmt::fmt)
  slosh_precompile(slosh cli ${CMAKE_SOURCE_DIR}/cmake/standard.h)
endfunction()
