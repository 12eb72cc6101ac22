# wick_embed_model(TARGET FILE.pte [NAME name]): puts a program into an executable.
#
# The program becomes constant data, 16-byte aligned, and the header NAME.h says where (`NAME_program`, `NAME_bytes`);
# NAME is the file's name without its extension unless given. With the tool `wick` at hand the executable also gets a
# table of just the operators that its programs call in place of all; call the function once with all of them then:
#   wick_embed_model(app a.pte)            or
#   wick_embed_model(app "a.pte;b.pte")
set(wick_embed_model_folder ${CMAKE_CURRENT_LIST_DIR})

function(wick_embed_model target files)
  cmake_parse_arguments(arg "" "NAME" "" ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_models)
  set(paths)
  foreach(file ${files})
    get_filename_component(path ${file} ABSOLUTE)
    if(NOT EXISTS ${path})
      message(FATAL_ERROR "wick_embed_model: ${path} does not exist")
    endif()
    list(APPEND paths ${path})
    set(name ${arg_NAME})
    if(NOT name)
      get_filename_component(name ${file} NAME_WE)
    endif()
    string(MAKE_C_IDENTIFIER ${name} name)
    file(CONFIGURE OUTPUT ${folder}/${name}.S @ONLY CONTENT [=[
  .section .rodata.@name@, "a"
  .balign 16
  .global @name@_program, @name@_bytes
@name@_program:
  .incbin "@path@"
@name@_end:
  .balign 4
@name@_bytes:
  .word @name@_end - @name@_program
]=])
    file(CONFIGURE OUTPUT ${folder}/${name}.h @ONLY CONTENT [=[
// Made by wick_embed_model from @file@.
#pragma once

#include <stdint.h>

extern "C" {
extern const uint8_t @name@_program[];
extern const uint32_t @name@_bytes;
}
]=])
    set_source_files_properties(${folder}/${name}.S PROPERTIES OBJECT_DEPENDS ${path})
    target_sources(${target} PRIVATE ${folder}/${name}.S)
  endforeach()
  target_include_directories(${target} PRIVATE ${folder})

  find_program(WICK_TOOL wick HINTS ${wick_embed_model_folder}/../../../../../../bin NO_CMAKE_FIND_ROOT_PATH)
  if(NOT WICK_TOOL)
    message(STATUS "wick_embed_model: no tool `wick` (set WICK_TOOL): ${target} gets every operator")
    return()
  endif()
  add_custom_command(OUTPUT ${folder}/operators.cc
    COMMAND ${WICK_TOOL} operators ${paths} -o ${folder}/operators.cc DEPENDS ${paths} VERBATIM)
  target_sources(${target} PRIVATE ${folder}/operators.cc)
endfunction()
