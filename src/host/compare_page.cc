#include "host/compare_page.h"

#include <string_view>

extern "C" const char wick_chart_js[], wick_chart_js_end[], wick_compare_page[], wick_compare_page_end[];

namespace wick::host {

namespace {

void put(std::string& page, std::string_view mark, std::string_view content) {
  page.replace(page.find(mark), mark.size(), content);
}

}  // namespace

std::string compare_page(const nlohmann::ordered_json& figures) {
  std::string json = figures.dump();
  // Nothing inside may end the script that holds it.
  for (size_t at = 0; (at = json.find("</", at)) != std::string::npos; at += 3) json.replace(at, 2, "<\\/");
  std::string page(wick_compare_page, wick_compare_page_end);
  put(page, "/*FIGURES*/", json);
  put(page, "/*CHART_JS*/", std::string_view(wick_chart_js, static_cast<size_t>(wick_chart_js_end - wick_chart_js)));
  return page;
}

}  // namespace wick::host
