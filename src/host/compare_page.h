// The comparison as one self-contained HTML page: figures, charts and the recommendation. Knows how it looks; all it
// says is in the JSON that compare_command makes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace wick::host {

std::string compare_page(const nlohmann::ordered_json& figures);

}  // namespace wick::host
