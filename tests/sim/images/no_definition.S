// Everything but an image definition.
#define NO_IMAGE_DEFINITION
#define BARE_START
#include "common.inc"
.thumb_func
.global main
main:
  bx lr
