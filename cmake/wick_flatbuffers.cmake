# The packaged FlatBuffers headers, seen alone: an embedded build must not see the rest of the host's include folder.
find_program(FLATC flatc)
find_path(FLATBUFFERS_INCLUDE flatbuffers/flatbuffers.h PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH)
if(NOT FLATC OR NOT FLATBUFFERS_INCLUDE)
  message(FATAL_ERROR "FlatBuffers not found: apt-get install flatbuffers-compiler libflatbuffers-dev (scripts/setup.sh does it)")
endif()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include)
file(CREATE_LINK ${FLATBUFFERS_INCLUDE}/flatbuffers ${CMAKE_BINARY_DIR}/include/flatbuffers SYMBOLIC)

# wick_schema(TARGET file.fbs): generates file_generated.h and lets TARGET see it and the FlatBuffers headers.
function(wick_schema target schema)
  get_filename_component(name ${schema} NAME_WE)
  set(out ${CMAKE_BINARY_DIR}/include/format/${name}_generated.h)
  add_custom_command(OUTPUT ${out}
    COMMAND ${FLATC} --cpp --scoped-enums -o ${CMAKE_BINARY_DIR}/include/format ${CMAKE_CURRENT_SOURCE_DIR}/${schema}
    DEPENDS ${schema} VERBATIM)
  target_sources(${target} PRIVATE ${out})
  target_include_directories(${target} SYSTEM PUBLIC ${CMAKE_BINARY_DIR}/include)
endfunction()
