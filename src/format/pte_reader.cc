// (in work)
#include "format/program_generated.h"
