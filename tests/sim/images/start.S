// The start of images whose `main` is C++.
#include "common.inc"
