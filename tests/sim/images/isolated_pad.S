// The same flashes on a pad that nobody has let out of its isolation.
#define LEAVE_ISOLATED
#include "led.S"
