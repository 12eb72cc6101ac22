# Compiler flags, once. `wick_device_flags` is what device code is built with everywhere, host included, so that what
# would not build for a board does not build at all.
add_library(wick_warnings INTERFACE)
target_compile_options(wick_warnings INTERFACE -Wall -Wextra -Werror)

add_library(wick_device_flags INTERFACE)
target_link_libraries(wick_device_flags INTERFACE wick_warnings)
target_compile_options(wick_device_flags INTERFACE
  -ffunction-sections -fdata-sections
  $<$<COMPILE_LANGUAGE:CXX>:-Wconversion -Wno-sign-conversion -fno-exceptions -fno-rtti -fno-threadsafe-statics>)

if(WICK_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  # With sanitizers GCC loses track of which member of a variant lives.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(wick_warnings INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
if(WICK_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
