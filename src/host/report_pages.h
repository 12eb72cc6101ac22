// Reports as self-contained HTML pages: figures and charts. Knows how they look; all that they say is in the JSON that
// the commands make.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace wick::host {

// Of compare_command: two programs side by side.
std::string compare_page(const nlohmann::ordered_json& figures);
// Of compile_command: what the program is, and for INT8 every tensor's range, scale and error.
std::string compile_page(const nlohmann::ordered_json& figures);

}  // namespace wick::host
