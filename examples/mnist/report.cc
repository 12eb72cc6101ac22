#include "mnist/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "files/failure.h"
#include "files/text_table.h"

namespace wick::demo {

namespace {

using Json = nlohmann::ordered_json;
using host::grouped;
using host::text;
using host::TextTable;

std::string fixed(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.*f", digits, value);
  return buffer;
}

std::string percent(size_t part, size_t whole) {
  return whole == 0 ? "-" : fixed(100.0 * static_cast<double>(part) / static_cast<double>(whole), 2) + " %";
}

std::string bytes_or_dash(std::optional<uint64_t> bytes) { return bytes ? grouped(*bytes) : "-"; }

struct Latency {
  uint64_t least = 0, most = 0;
  double mean = 0;
};

Latency latency(const ProgramFigures& p) {
  Latency l;
  l.least = UINT64_MAX;
  for (const uint64_t ticks : p.cost.latency_ticks) {
    l.least = std::min(l.least, ticks);
    l.most = std::max(l.most, ticks);
    l.mean += static_cast<double>(ticks) / static_cast<double>(p.cost.latency_ticks.size());
  }
  return l;
}

// How far the INT8 program's scores are from the FP32 program's, over all test digits.
struct Distance {
  double largest = 0, mean = 0, scale = 0;
  size_t disagree = 0;
};

Distance distance(const ModelFigures& m) {
  Distance d;
  size_t count = 0;
  for (size_t i = 0; i < m.fp32.test.size(); ++i) {
    const DigitResult &a = m.fp32.test[i], &b = m.int8.test[i];
    d.disagree += a.says != b.says ? 1 : 0;
    for (size_t k = 0; k < a.scores.size(); ++k, ++count) {
      const double error = std::abs(static_cast<double>(a.scores[k]) - static_cast<double>(b.scores[k]));
      d.largest = std::max(d.largest, error);
      d.mean += error;
      d.scale = std::max(d.scale, std::abs(static_cast<double>(a.scores[k])));
    }
  }
  if (count > 0) d.mean /= static_cast<double>(count);
  return d;
}

std::string digits_table(const ProgramFigures& p, const std::vector<Picture>& glyphs) {
  TextTable table;
  // The ten scores under the digits that they speak for.
  std::vector<std::string> head = {"glyph", "pixels"};
  for (int i = 0; i < 10; ++i) head.push_back(std::to_string(i));
  head.insert(head.end(), {"says", "expected", "", p.cost.tick_unit});
  table.row(head);
  for (size_t i = 0; i < glyphs.size(); ++i) {
    const DigitResult& d = p.digits[i];
    std::vector<std::string> row = {glyphs[i].set, std::to_string(glyphs[i].ink())};
    for (const float score : d.scores) row.push_back(host::decimal(static_cast<double>(score), 4));
    row.insert(row.end(), {std::to_string(d.says), std::to_string(glyphs[i].digit),
                           d.says == glyphs[i].digit ? "right" : "wrong", grouped(p.cost.latency_ticks[i])});
    table.row(row);
  }
  return table.str();
}

std::string program_section(const ProgramFigures& p, const char* kind, const std::string& target,
                            const std::vector<Picture>& glyphs) {
  const Latency l = latency(p);
  std::string out = text(kind, " on ", target, " (", p.path.string(), ")\n", digits_table(p, glyphs));
  out += text("  digits right  ", p.right_glyphs(glyphs), " of ", glyphs.size(), "\n");
  out +=
      text("  latency       least ", grouped(l.least), ", mean ", grouped(static_cast<uint64_t>(std::llround(l.mean))),
           ", most ", grouped(l.most), " ", p.cost.tick_unit, " per digit\n");
  out += text("  load          ", grouped(p.cost.load_ticks.value_or(0) + p.cost.prepare_ticks.value_or(0)), " ",
              p.cost.tick_unit, " to load the program and prepare its method\n");
  out += text("  memory        program ", grouped(p.cost.program_bytes), " bytes; arena ", grouped(p.cost.arena_bytes),
              " bytes needed, the same given and used: persistent ", grouped(p.cost.persistent_bytes),
              ", planned buffers ", grouped(p.cost.planned_bytes), ", scratch ", grouped(p.cost.scratch_bytes),
              "; stack ", bytes_or_dash(p.cost.stack_bytes), " bytes at most\n\n");
  return out;
}

std::string operators_table(const ModelFigures& m) {
  TextTable table;
  table.row({"program", "index", "operator", m.fp32.cost.tick_unit, "share", "MACs", "per MAC"});
  for (const ProgramFigures* p : {&m.fp32, &m.int8}) {
    uint64_t total = 0;
    for (const host::OperatorFigures& o : p->cost.operators) total += o.ticks;
    for (const host::OperatorFigures& o : p->cost.operators) {
      const bool per_mac = o.macs && *o.macs > 0;
      table.row({p == &m.fp32 ? "FP32" : "INT8", std::to_string(o.index), o.name, grouped(o.ticks),
                 percent(static_cast<size_t>(o.ticks), static_cast<size_t>(total)), o.macs ? grouped(*o.macs) : "",
                 per_mac ? fixed(static_cast<double>(o.ticks) / static_cast<double>(*o.macs), 2) : ""});
    }
  }
  return table.str();
}

std::string comparison_table(const ModelFigures& m, const std::vector<Picture>& glyphs,
                             const std::vector<Picture>& test, std::optional<uint64_t> image_bytes) {
  const Distance d = distance(m);
  TextTable table;
  table.row({"", "FP32", "INT8"});
  const auto row = [&](const std::string& label, const auto& cell) { table.row({label, cell(m.fp32), cell(m.int8)}); };
  row("glyphs right", [&](const ProgramFigures& p) { return text(p.right_glyphs(glyphs), " of ", glyphs.size()); });
  row("predictions", [](const ProgramFigures& p) {
    std::string says;
    for (const DigitResult& digit : p.digits) says += (says.empty() ? "" : ", ") + std::to_string(digit.says);
    return says;
  });
  row(text("accuracy on ", grouped(test.size()), " MNIST test digits (host)"), [&](const ProgramFigures& p) {
    return text(percent(p.right_tests(test), test.size()), " (", grouped(p.right_tests(test)), ")");
  });
  row(text(m.fp32.cost.tick_unit, " per inference"),
      [](const ProgramFigures& p) { return grouped(static_cast<uint64_t>(std::llround(latency(p).mean))); });
  row(text(m.fp32.cost.tick_unit, " to load and prepare"), [](const ProgramFigures& p) {
    return grouped(p.cost.load_ticks.value_or(0) + p.cost.prepare_ticks.value_or(0));
  });
  row("program bytes", [](const ProgramFigures& p) { return grouped(p.cost.program_bytes); });
  row("flash bytes (program + runner with all operators)", [&](const ProgramFigures& p) {
    return image_bytes ? grouped(p.cost.program_bytes + *image_bytes) : std::string("-");
  });
  row("arena bytes", [](const ProgramFigures& p) { return grouped(p.cost.arena_bytes); });
  row("stack bytes at most", [](const ProgramFigures& p) { return bytes_or_dash(p.cost.stack_bytes); });
  table.row(
      {"largest output error against FP32", "", text(host::decimal(d.largest, 4), " of ", host::decimal(d.scale, 4))});
  table.row({"mean output error against FP32", "", host::decimal(d.mean, 4)});
  table.row({"test digits that INT8 sees differently", "", grouped(d.disagree)});
  return table.str();
}

Json program_json(const ProgramFigures& p, const std::vector<Picture>& glyphs, const std::vector<Picture>& test,
                  std::optional<uint64_t> image_bytes) {
  const auto optional = [](const std::optional<uint64_t>& v) { return v ? Json(*v) : Json(); };
  const Latency l = latency(p);
  Json j = {{"program", p.path.string()},
            {"program_bytes", p.cost.program_bytes},
            {"arena_bytes", p.cost.arena_bytes},
            {"persistent_bytes", p.cost.persistent_bytes},
            {"planned_bytes", p.cost.planned_bytes},
            {"scratch_bytes", p.cost.scratch_bytes},
            {"stack_bytes", optional(p.cost.stack_bytes)},
            {"flash_bytes", image_bytes ? Json(*image_bytes + p.cost.program_bytes) : Json()},
            {"unit", p.cost.tick_unit},
            {"load", optional(p.cost.load_ticks)},
            {"prepare", optional(p.cost.prepare_ticks)},
            {"latency", {{"min", l.least}, {"mean", l.mean}, {"max", l.most}}},
            {"glyphs_right", p.right_glyphs(glyphs)},
            {"test_digits", test.size()},
            {"test_digits_right", p.right_tests(test)},
            {"digits", Json::array()},
            {"operators", Json::array()}};
  for (size_t i = 0; i < glyphs.size(); ++i) {
    j["digits"].push_back({{"set", glyphs[i].set},
                           {"pixels", glyphs[i].ink()},
                           {"scores", p.digits[i].scores},
                           {"says", p.digits[i].says},
                           {"expected", glyphs[i].digit},
                           {"latency", p.cost.latency_ticks[i]}});
  }
  for (const host::OperatorFigures& o : p.cost.operators) {
    j["operators"].push_back({{"index", o.index}, {"name", o.name}, {"latency", o.ticks}, {"macs", optional(o.macs)}});
  }
  return j;
}

}  // namespace

std::string drawings(const std::vector<Picture>& glyphs) {
  std::string out;
  for (size_t i = 0; i < glyphs.size(); i += 2) {
    const bool pair = i + 1 < glyphs.size();
    const auto caption = [](const Picture& p) {
      return text("digit ", p.digit, " (", p.set, "), ", p.ink(), " pixels set");
    };
    std::string left = caption(glyphs[i]);
    left.resize(std::max<size_t>(left.size() + 2, 42), ' ');
    out += "  " + left + (pair ? caption(glyphs[i + 1]) : "") + "\n";
    const std::vector<std::string> a = glyphs[i].lines(),
                                   b = pair ? glyphs[i + 1].lines() : std::vector<std::string>(a.size());
    for (size_t y = 0; y < a.size(); ++y) out += text("  ", a[y], std::string(14, ' '), b[y], "\n");
    out += "\n";
  }
  return out;
}

std::string model_report(const ModelFigures& m, const std::string& target, const std::vector<Picture>& glyphs,
                         const std::vector<Picture>& test, std::optional<uint64_t> image_bytes) {
  std::string out = text("== ", m.title, " ==\n");
  if (!m.remark.empty()) out += m.remark + "\n";
  out += "\n" + program_section(m.fp32, "FP32", target, glyphs) + program_section(m.int8, "INT8", target, glyphs);
  out += comparison_table(m, glyphs, test, image_bytes) + "\n" + operators_table(m) + "\n";
  return out;
}

Json model_json(const ModelFigures& m, const std::vector<Picture>& glyphs, const std::vector<Picture>& test,
                std::optional<uint64_t> image_bytes) {
  const Distance d = distance(m);
  return {{"model", m.title},
          {"remark", m.remark},
          {"fp32", program_json(m.fp32, glyphs, test, image_bytes)},
          {"int8", program_json(m.int8, glyphs, test, image_bytes)},
          {"int8_output_error", {{"largest", d.largest}, {"mean", d.mean}}},
          {"int8_test_digits_seen_differently", d.disagree}};
}

}  // namespace wick::demo
