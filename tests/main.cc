// The test programs' main: everything that the linked files register, with doctest's own command line.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest.h>
