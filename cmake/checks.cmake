# Tests that are not doctest programs: the order of the tree, the installed package, the command.
if(NOT SLOSH_TESTS)
  return()
endif()
set(PYTHON /usr/bin/python3)  # Debian's; a python3 found by PATH may lack Debian's modules
set(checks ${CMAKE_SOURCE_DIR}/tests)

add_test(NAME layers COMMAND ${PYTHON} ${checks}/layers/check_layers.py)
add_test(NAME layers_check COMMAND ${PYTHON} ${checks}/layers/check_layers_test.py)

add_test(NAME format COMMAND ${PYTHON} ${checks}/layers/check_format.py)
set_tests_properties(format PROPERTIES SKIP_RETURN_CODE 77)

set(command_seconds 300)
if(SLOSH_SANITIZE)
  set(sanitize_flags -fsanitize=${SLOSH_SANITIZE})
  set(command_seconds 1800) # five to ten times as slow
endif()
add_test(NAME install COMMAND ${checks}/install/install_test.sh ${CMAKE_BINARY_DIR}
  ${CMAKE_SOURCE_DIR} ${CMAKE_BUILD_TYPE} ${sanitize_flags})

# tests/cli/*_test.py and tests/view/*_test.py, each given the program to test.
foreach(folder cli view)
  file(GLOB files CONFIGURE_DEPENDS ${checks}/${folder}/*_test.py)
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    string(REPLACE "_test" "" name ${name})
    add_test(NAME ${folder}_${name} COMMAND ${PYTHON} ${file})
    set_tests_properties(${folder}_${name} PROPERTIES TIMEOUT ${command_seconds}
      ENVIRONMENT "SLOSH=$<TARGET_FILE:slosh>;SLOSH_SANITIZE=${SLOSH_SANITIZE}")
  endforeach()
endforeach()
