// The quantizer's report as text and JSON.
#include <cmath>
#include <nlohmann/json.hpp>

#include "compiler/quantize/quantize.h"
#include "files/text_table.h"

namespace wick::compiler {

using files::decimal;

std::string report_text(const QuantizeReport& report) {
  files::TextTable table;
  table.row({"tensor", "operator", "min", "max", "scale", "zero point", "clipped", "SQNR dB", "adds"});
  for (const QuantizedTensor& t : report.tensors) {
    table.row({t.name, t.op, decimal(static_cast<double>(t.min), 4), decimal(static_cast<double>(t.max), 4),
               decimal(t.qparams.scale, 5), std::to_string(t.qparams.zero_point),
               decimal(t.clipped_share * 100, 2) + "%", decimal(t.sqnr_db, 3), decimal(t.added_error * 100, 2) + "%"});
  }
  std::string text = table.str();
  text += "error of the outputs: " + decimal(report.output_error * 100, 3) + "% of their root mean square\n";
  if (report.equalized_pairs > 0) text += "pairs of layers equalized: " + std::to_string(report.equalized_pairs) + "\n";
  for (const std::string& node : report.kept_float) text += "stays float: " + node + "\n";
  return text;
}

std::string report_json(const QuantizeReport& report) {
  nlohmann::ordered_json json;
  json["output_error"] = std::isfinite(report.output_error) ? report.output_error : -1;
  json["equalized_pairs"] = report.equalized_pairs;
  json["kept_float"] = report.kept_float;
  json["tensors"] = nlohmann::ordered_json::array();
  for (const QuantizedTensor& t : report.tensors) {
    json["tensors"].push_back({{"name", t.name},
                               {"op", t.op},
                               {"min", t.min},
                               {"max", t.max},
                               {"scale", t.qparams.scale},
                               {"zero_point", t.qparams.zero_point},
                               {"clipped_share", t.clipped_share},
                               {"sqnr_db", t.sqnr_db},
                               {"added_error", t.added_error}});
  }
  return json.dump(1);
}

}  // namespace wick::compiler
