# find_package(wick) from an installed kit: one core or board each, as its libraries are compiled for it.
#   wick::runtime   programs, methods, operators, kernels
#   wick::board     start-up, console and memory map of the kit's board; leave it out where you have your own
# and the function wick_embed_model().
get_filename_component(wick_kit ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
include(${CMAKE_CURRENT_LIST_DIR}/wick_embed_model.cmake)
if(TARGET wick::runtime)
  return()
endif()

foreach(library core format kernels runtime board_code)
  add_library(wick::${library} STATIC IMPORTED)
  set_target_properties(wick::${library} PROPERTIES
    IMPORTED_LOCATION ${wick_kit}/lib/libwick_${library}.a
    INTERFACE_INCLUDE_DIRECTORIES ${wick_kit}/include
    INTERFACE_COMPILE_FEATURES cxx_std_20)
endforeach()
target_link_libraries(wick::format INTERFACE wick::core)
target_link_libraries(wick::kernels INTERFACE wick::core)
target_link_libraries(wick::runtime INTERFACE wick::format wick::kernels)
target_link_libraries(wick::board_code INTERFACE wick::core)

file(STRINGS ${wick_kit}/compile.txt wick_core_options REGEX "^-m")
file(STRINGS ${wick_kit}/link.txt wick_link_options)
list(TRANSFORM wick_link_options REPLACE "@KIT@" ${wick_kit})
if(EXISTS ${wick_kit}/ld/pico2)
  list(PREPEND wick_link_options -L${wick_kit}/ld/pico2/kernels_in_flash)
endif()
add_library(wick::board INTERFACE IMPORTED)
target_compile_options(wick::board INTERFACE ${wick_core_options} -ffunction-sections -fdata-sections
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti -fno-threadsafe-statics>)
target_link_options(wick::board INTERFACE ${wick_core_options} ${wick_link_options})
target_link_libraries(wick::board INTERFACE wick::board_code)
