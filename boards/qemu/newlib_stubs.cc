// What newlib and libstdc++ want from a system that newlib's semihosting layer does not give. Only for test programs.
#include <cerrno>
#include <cstddef>

extern "C" {

// Names the program to destructors of static objects, which never run here.
void* __dso_handle = nullptr;

int _getentropy(void*, size_t) {
  errno = ENOSYS;
  return -1;
}
}
