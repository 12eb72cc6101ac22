// A method's inputs and outputs between the user's side (logical order, files, literals) and the machine's (memory
// order of the program's dim_order). Checks what the user gives against what the method takes.
#pragma once

#include <string>
#include <vector>

#include "host/job.h"
#include "host/program_info.h"

namespace wick::host {

// "input 0 of method forward: float32 [1, 28, 28]", dynamic sizes as "float32 [8, 5] at most".
std::string describe(const ValueInfo& value);

// Checks a value and brings it to the program's memory order. `source` is for messages. Says in `notes` what it did.
HostValue to_machine(const MethodInfo& method, size_t input, HostValue value, const std::string& source,
                     std::vector<std::string>* notes);
// Reads an input from a file, or for a scalar from the text itself ("5", "0.5", "true").
HostValue read_input(const MethodInfo& method, size_t input, const std::string& source,
                     std::vector<std::string>* notes);
// An output as the user sees it: logical order, scalars as arrays of rank 0.
Array from_machine(const MethodInfo& method, size_t output, const HostValue& value, std::vector<std::string>* notes);

// A scalar as an array of rank 0; a string as its bytes.
Array as_array(const HostValue& value);
// An expectation for an output of type `like`: for scalars any one-element array will do and is converted.
Array expectation_like(const MethodInfo& method, size_t output, const Array& expected, const Array& like);

}  // namespace wick::host
