# How every target of the project is made: one function for libraries, one for programs, one for
# tests.
# Warnings are errors on our own code; generated code is built as its own library with warnings off.
find_package(Threads REQUIRED)

set(CATALOGD_WARNINGS
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual -Wimplicit-fallthrough -Werror)
string(TOUPPER "${CMAKE_BUILD_TYPE}" CATALOGD_BUILD_TYPE)
if("${CMAKE_CXX_FLAGS_${CATALOGD_BUILD_TYPE}}" MATCHES "-O3")
  # GCC 12 sees overlaps inside std::string there.
  list(APPEND CATALOGD_WARNINGS -Wno-restrict)
endif()

find_program(CATALOGD_CCACHE ccache)
if(CATALOGD_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CATALOGD_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CATALOGD_CCACHE})
endif()
find_program(CATALOGD_LLD ld.lld)
if(CATALOGD_LLD)
  add_link_options(-fuse-ld=lld)
endif()

set(CATALOGD_SANITIZE "" CACHE STRING "Value for -fsanitize, e.g. address,undefined or thread")
if(CATALOGD_SANITIZE)
  add_compile_options(-fsanitize=${CATALOGD_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CATALOGD_SANITIZE})
  # GCC takes its own instrumentation for uses of what is not set (std::regex).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND CATALOGD_WARNINGS -Wno-maybe-uninitialized)
  endif()
endif()

# catalogd_library(NAME [PUBLIC libs...] [PRIVATE libs...]): every .cc of the current folder.
function(catalogd_library name)
  cmake_parse_arguments(ARG "" "" "PUBLIC;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  list(FILTER sources EXCLUDE REGEX "main\\.cc$")
  if(sources)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
    target_compile_options(${name} PRIVATE ${CATALOGD_WARNINGS})
    target_link_libraries(${name} PUBLIC ${ARG_PUBLIC} Threads::Threads PRIVATE ${ARG_PRIVATE})
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${name} INTERFACE ${ARG_PUBLIC} ${ARG_PRIVATE} Threads::Threads)
  endif()
endfunction()

# Events are made by one thread and freed by another, where the C library's allocator costs a good
# part of following a log (events/README.md). Sanitizers bring their own.
if(NOT CATALOGD_SANITIZE)
  find_library(CATALOGD_ALLOCATOR tcmalloc_minimal REQUIRED)
endif()

# catalogd_program(NAME SOURCES... LIBS libs...): goes to bin/.
function(catalogd_program name)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${CATALOGD_WARNINGS})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS})
  if(CATALOGD_ALLOCATOR)
    # Nothing names it: it takes the place of malloc.
    target_link_libraries(${name} PRIVATE -Wl,--push-state,--no-as-needed ${CATALOGD_ALLOCATOR}
                                          -Wl,--pop-state)
  endif()
endfunction()

# catalogd_test(NAME LABEL label LIBS libs...): every *_test.cc of the current folder in one
# GoogleTest program.
function(catalogd_test name)
  cmake_parse_arguments(ARG "" "LABEL" "LIBS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${CATALOGD_WARNINGS})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT 600)
endfunction()
