# slosh_folder(name DEPS folders... LIBS targets...): src/slosh/<name>/*.cpp becomes the library
# slosh_<name>, tests/<name>/*_test.cpp becomes the program test_<name>.
# -Wno-restrict: g++ 12 warns of std::string + char* without cause (its bug 105651).
set(SLOSH_FLAGS -Wall -Wextra -Wshadow -Wno-restrict -fno-math-errno -fno-trapping-math)
# Public, so that inline code from our headers gives the same bits wherever it is compiled.
set(SLOSH_SIMD -mavx2 -mfma -ffp-contract=fast)
if(SLOSH_WERROR)
  list(APPEND SLOSH_FLAGS -Werror)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3")
if(SLOSH_SANITIZE)
  add_compile_options(-fsanitize=${SLOSH_SANITIZE} -fno-sanitize-recover=undefined
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SLOSH_SANITIZE})
  # OpenVDB's templates, instrumented: minutes and gigabytes a file, half of it at a lower level.
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/slosh/shape/mesh_voxels.cpp
    ${CMAKE_SOURCE_DIR}/src/slosh/cache/vdb.cpp PROPERTIES COMPILE_OPTIONS "-O1;-g1")
endif()
if(SLOSH_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

enable_testing()
if(SLOSH_TESTS)
  add_library(slosh_doctest_main STATIC ${CMAKE_SOURCE_DIR}/tests/doctest_main.cpp)
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
    target_link_libraries(slosh_${name} PUBLIC ${F_DEPS} PRIVATE ${F_LIBS})
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
  target_compile_options(test_${name} PRIVATE ${SLOSH_FLAGS})
  target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(test_${name} PRIVATE ${T_LIBS} slosh_doctest_main fmt::fmt)
  add_test(NAME ${name} COMMAND test_${name})
endfunction()

# The command line program: src/slosh/cli/*.cpp. Its cpu_check.cpp must run on any x86-64, to say
# what is missing where the rest would die of an illegal instruction.
function(slosh_cli)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/slosh/cli/*.cpp)
  add_executable(slosh ${sources})
  target_compile_options(slosh PRIVATE ${SLOSH_FLAGS})
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/slosh/cli/cpu_check.cpp PROPERTIES
    COMPILE_OPTIONS "-mno-avx")
  target_compile_definitions(slosh PRIVATE SLOSH_VERSION="${PROJECT_VERSION}")
  target_link_libraries(slosh PRIVATE slosh_view slosh_render slosh_cache slosh_scene CLI11::CLI11
    nlohmann_json::nlohmann_json fmt::fmt)
endfunction()
