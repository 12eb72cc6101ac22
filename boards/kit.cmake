# The kit: everything that `wick firmware` needs to make an image for this board, in one folder that can be installed:
# lib/ (archives), include/ (for the generated tables), ld/ (linker scripts), compile.txt and link.txt (options, one a
# line; @KIT@ stands for the folder).
set(kit ${CMAKE_BINARY_DIR}/kit)
set(ld_folders ${memory_folder})
if(NOT WICK_BOARD)
  list(APPEND ld_folders qemu)
endif()
file(MAKE_DIRECTORY ${kit}/include ${kit}/ld)
foreach(room core format kernels runtime)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${room} ${kit}/include/${room} SYMBOLIC)
endforeach()
file(CREATE_LINK ${FLATBUFFERS_INCLUDE}/flatbuffers ${kit}/include/flatbuffers SYMBOLIC)
foreach(header embedded.h console.h)
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/${header} ${kit}/include/${header} SYMBOLIC)
endforeach()
foreach(folder ${ld_folders})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/${folder} ${kit}/ld/${folder} SYMBOLIC)
endforeach()

file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/cmsis_nn ${kit}/cmsis_nn SYMBOLIC)

separate_arguments(core_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
separate_arguments(optimisation UNIX_COMMAND "${CMAKE_CXX_FLAGS_RELEASE}")
list(JOIN core_flags "\n" core_lines)
list(JOIN optimisation "\n" optimisation_lines)
file(CONFIGURE OUTPUT ${kit}/compile.txt CONTENT
  "${core_lines}\n${optimisation_lines}\n-std=c++20\n-ffunction-sections\n-fdata-sections\n-fno-exceptions\n-fno-rtti\n-Wall\n-Wextra\n" @ONLY)

list(GET ld_folders -1 script_folder)
set(link_lines -nostartfiles -Wl,--gc-sections)
foreach(folder ${ld_folders})
  list(APPEND link_lines -L@KIT@/ld/${folder})
endforeach()
list(APPEND link_lines -T@KIT@/ld/${script_folder}/sections.ld)
list(JOIN link_lines "\n" link_text)
string(REPLACE "@KIT@" "\@KIT\@" link_text "${link_text}")
file(WRITE ${kit}/link.txt.new "${link_text}\n")
file(COPY_FILE ${kit}/link.txt.new ${kit}/link.txt ONLY_IF_DIFFERENT)
string(REPLACE "@KIT@/ld" "${CMAKE_CURRENT_SOURCE_DIR}" wick_kit_link_options "${link_lines}")
if(WICK_BOARD)
  # With the kernels' code in flash unless somebody says otherwise.
  list(APPEND wick_kit_link_options -L${CMAKE_CURRENT_SOURCE_DIR}/${WICK_BOARD}/kernels_in_flash)
endif()

add_custom_target(wick_kit DEPENDS
  wick_core wick_format wick_kernels wick_runtime wick_board_code wick_app_run wick_app_mnist wick_app_bench ${extra_kit_libraries})
install(TARGETS wick_core wick_format wick_kernels wick_runtime wick_board_code wick_app_run wick_app_mnist
  wick_app_bench ${extra_kit_libraries} ARCHIVE DESTINATION lib COMPONENT kit)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/core ${PROJECT_SOURCE_DIR}/src/format ${PROJECT_SOURCE_DIR}/src/kernels
  ${PROJECT_SOURCE_DIR}/src/runtime DESTINATION include COMPONENT kit
  FILES_MATCHING PATTERN "*.h" PATTERN "*.inc")
install(DIRECTORY ${FLATBUFFERS_INCLUDE}/flatbuffers DESTINATION include COMPONENT kit)
install(FILES embedded.h console.h DESTINATION include COMPONENT kit)
install(DIRECTORY cmsis_nn DESTINATION . COMPONENT kit)
foreach(folder ${ld_folders})
  install(DIRECTORY ${folder} DESTINATION ld COMPONENT kit FILES_MATCHING PATTERN "*.ld")
endforeach()
install(FILES ${kit}/compile.txt ${kit}/link.txt DESTINATION . COMPONENT kit)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/wickConfig.cmake ${PROJECT_SOURCE_DIR}/cmake/wick_embed_model.cmake
  ${PROJECT_SOURCE_DIR}/cmake/toolchain-arm.cmake DESTINATION lib/cmake/wick COMPONENT kit)
