# What the host needs to run programs on emulated cores, side by side in lib/wick: the plugin that counts instructions,
# and a runner image for each target. The images are built where the target's own preset builds (build/cortex-m33), so
# that both share their objects; here are links to them.
set(emulation_dir ${CMAKE_BINARY_DIR}/lib/wick)
set(misbehaving_dir ${CMAKE_BINARY_DIR}/lib/wick-test) # for tests: an image that misbehaves in place of the runner
file(MAKE_DIRECTORY ${emulation_dir} ${misbehaving_dir})

add_library(wick_counter MODULE qemu_counter/plugin.c)
target_link_libraries(wick_counter PRIVATE wick_warnings)
set_target_properties(wick_counter PROPERTIES
  PREFIX "" C_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY ${emulation_dir})
if(WICK_SANITIZE) # QEMU, which loads it, is not built with sanitizers
  target_compile_options(wick_counter PRIVATE -fno-sanitize=all)
  target_link_options(wick_counter PRIVATE -fno-sanitize=all)
endif()
file(CREATE_LINK ${emulation_dir}/wick_counter.so ${misbehaving_dir}/wick_counter.so SYMBOLIC)
install(TARGETS wick_counter LIBRARY DESTINATION lib/wick)

set(targets cortex-m0plus cortex-m4 cortex-m33 cortex-m55 pico2)
foreach(target ${targets})
  set(build_dir ${PROJECT_SOURCE_DIR}/build/${target})
  file(CREATE_LINK ${build_dir}/boards/wick_runner.elf ${emulation_dir}/${target}.elf SYMBOLIC)
  if(target STREQUAL "pico2") # simulated, and built for flash: it has no tests of its own
    continue()
  endif()
  file(CREATE_LINK ${build_dir}/tests/wick_misbehave.elf ${misbehaving_dir}/${target}.elf SYMBOLIC)
endforeach()

# What `wick firmware` links images from: it builds them itself, when it is asked for one.
file(MAKE_DIRECTORY ${emulation_dir}/kits)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/build/pico2/kit ${emulation_dir}/kits/pico2 SYMBOLIC)
foreach(core m0plus m4 m33 m55)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/build/cortex-${core}/kit ${emulation_dir}/kits/qemu-${core} SYMBOLIC)
endforeach()

if(NOT WICK_IMAGES)
  return()
endif()
find_program(ARM_GCC arm-none-eabi-gcc HINTS $ENV{ARM_TOOLCHAIN_PATH} $ENV{ARM_TOOLCHAIN_PATH}/bin)
if(NOT ARM_GCC)
  message(STATUS "arm-none-eabi-gcc not found: `wick run --target cortex-...` will not work "
    "(apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib, then build again)")
  return()
endif()

# One at a time: each of them keeps all processors busy.
set_property(GLOBAL APPEND PROPERTY JOB_POOLS wick_images=1)
foreach(target ${targets})
  set(build_dir ${PROJECT_SOURCE_DIR}/build/${target})
  set(images wick_runner wick_kit wick_misbehave)
  if(target STREQUAL "pico2")
    set(images wick_runner wick_kit)
  endif()
  # Configured once; from then on its own build files notice what has changed.
  add_custom_command(OUTPUT ${build_dir}/build.ninja
    COMMAND ${CMAKE_COMMAND} --preset ${target} --log-level=WARNING
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} JOB_POOL wick_images COMMENT "Configuring ${target}" VERBATIM)
  add_custom_target(wick_image_${target} ALL
    COMMAND ${CMAKE_COMMAND} --build ${build_dir} --target ${images} -- --quiet
    DEPENDS ${build_dir}/build.ninja
    JOB_POOL wick_images COMMENT "Building the runner image of ${target}" VERBATIM)
  install(FILES ${build_dir}/boards/wick_runner.elf DESTINATION lib/wick RENAME ${target}.elf)
  if(target STREQUAL "pico2")
    install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" --install \"${build_dir}\" --component kit
      --prefix \"\${CMAKE_INSTALL_PREFIX}/lib/wick/kits/pico2\" COMMAND_ERROR_IS_FATAL ANY)")
  endif()
endforeach()
