#include "host/report_pages.h"

#include <string_view>

extern "C" const char wick_chart_js[], wick_chart_js_end[], wick_compare_page[], wick_compare_page_end[],
    wick_compile_page[], wick_compile_page_end[];

namespace wick::host {

namespace {

std::string_view between(const char* begin, const char* end) { return {begin, static_cast<size_t>(end - begin)}; }

void put(std::string& page, std::string_view mark, std::string_view content) {
  page.replace(page.find(mark), mark.size(), content);
}

std::string filled(std::string_view blank, const nlohmann::ordered_json& figures) {
  std::string json = figures.dump();
  // Nothing inside may end the script that holds it.
  for (size_t at = 0; (at = json.find("</", at)) != std::string::npos; at += 3) json.replace(at, 2, "<\\/");
  std::string page(blank);
  put(page, "/*FIGURES*/", json);
  put(page, "/*CHART_JS*/", between(wick_chart_js, wick_chart_js_end));
  return page;
}

}  // namespace

std::string compare_page(const nlohmann::ordered_json& figures) {
  return filled(between(wick_compare_page, wick_compare_page_end), figures);
}

std::string compile_page(const nlohmann::ordered_json& figures) {
  return filled(between(wick_compile_page, wick_compile_page_end), figures);
}

}  // namespace wick::host
