#include "compiler/lower_cortex_m/unary.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "files/array.h"

namespace wick::compiler {

namespace {

using Function = std::function<double(double)>;

double sigmoid(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1 + e);
}

// Operators without arguments of their own.
const std::map<std::string, double (*)(double), std::less<>>& plain() {
  static const std::map<std::string, double (*)(double), std::less<>> functions = {
      {"aten::abs", [](double x) { return std::abs(x); }},
      {"aten::acos", [](double x) { return std::acos(x); }},
      {"aten::asin", [](double x) { return std::asin(x); }},
      {"aten::atan", [](double x) { return std::atan(x); }},
      {"aten::ceil", [](double x) { return std::ceil(x); }},
      {"aten::cos", [](double x) { return std::cos(x); }},
      {"aten::cosh", [](double x) { return std::cosh(x); }},
      {"aten::erf", [](double x) { return std::erf(x); }},
      {"aten::exp", [](double x) { return std::exp(x); }},
      {"aten::expm1", [](double x) { return std::expm1(x); }},
      {"aten::floor", [](double x) { return std::floor(x); }},
      // The exact form whatever `approximate` says: ExecuTorch's tables are made so.
      {"aten::gelu", [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }},
      {"aten::hardsigmoid", [](double x) { return std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
      {"aten::hardswish", [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; }},
      {"aten::log", [](double x) { return std::log(x); }},
      {"aten::log1p", [](double x) { return std::log1p(x); }},
      {"aten::log_sigmoid", [](double x) { return -std::log1p(std::exp(-x)); }},
      {"aten::mish", [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
      {"aten::neg", [](double x) { return -x; }},
      {"aten::reciprocal", [](double x) { return 1 / x; }},
      {"aten::relu", [](double x) { return std::max(x, 0.0); }},
      {"aten::relu6", [](double x) { return std::clamp(x, 0.0, 6.0); }},
      {"aten::round", [](double x) { return std::nearbyint(x); }},
      {"aten::rsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"aten::selu",
       [](double x) {
         return 1.0507009873554804934193349852946 * (x > 0 ? x : 1.6732632423543772848170429916717 * std::expm1(x));
       }},
      {"aten::sigmoid", sigmoid},
      {"aten::sign", [](double x) { return x > 0   ? 1.0
                                           : x < 0 ? -1.0
                                                   : 0.0; }},
      {"aten::silu", [](double x) { return x * sigmoid(x); }},
      {"aten::sin", [](double x) { return std::sin(x); }},
      {"aten::sinh", [](double x) { return std::sinh(x); }},
      {"aten::softplus", [](double x) { return x > 20 ? x : std::log1p(std::exp(x)); }},
      {"aten::softsign", [](double x) { return x / (1 + std::abs(x)); }},
      {"aten::sqrt", [](double x) { return std::sqrt(x); }},
      {"aten::tan", [](double x) { return std::tan(x); }},
      {"aten::tanh", [](double x) { return std::tanh(x); }},
      {"aten::trunc", [](double x) { return std::trunc(x); }},
  };
  return functions;
}

// A number, or the only element of a constant tensor, perhaps behind a dequantize.
std::optional<double> scalar_of(const Argument& argument) {
  if (const auto number = argument.number()) return number;
  const Value* value = argument.tensor();
  if (value == nullptr) return std::nullopt;
  if (value->is_constant() && value->data != nullptr && value->type.numel() == 1)
    return files::element(*value->data, 0);
  const Node* node = value->producer();
  if (node == nullptr || node->op != "quantized_decomposed::dequantize_per_tensor") return std::nullopt;
  const Value* q = node->arg(0).tensor();
  if (q == nullptr || !q->is_constant() || q->type.numel() != 1) return std::nullopt;
  return (files::element(*q->data, 0) - *node->arg(2).number()) * *node->arg(1).number();
}

Function with_bounds(const Node& node) {
  const auto low = node.arg(1).number(), high = node.args().size() > 2 ? node.arg(2).number() : std::nullopt;
  return [low, high](double x) {
    if (low) x = std::max(x, *low);
    return high ? std::min(x, *high) : x;
  };
}

// Binary operators of which one side is a number.
Function binary(const Node& node) {
  const std::string family = node.op.substr(0, node.op.find('.'));
  const auto left = scalar_of(node.arg(0)), right = scalar_of(node.arg(1));
  if (left.has_value() == right.has_value()) return nullptr;
  const double c = left ? *left : *right;
  const bool c_first = left.has_value();
  const double alpha = node.args().size() > 2 ? node.arg(2).number().value_or(1) : 1;
  if (family == "aten::add") {
    return [=](double x) { return c_first ? c + alpha * x : x + alpha * c; };
  }
  if (family == "aten::sub") {
    return [=](double x) { return c_first ? c - alpha * x : x - alpha * c; };
  }
  if (family == "aten::rsub") {
    return [=](double x) { return c_first ? x - alpha * c : c - alpha * x; };
  }
  if (family == "aten::mul") return [=](double x) { return x * c; };
  if (family == "aten::div" && node.args().size() == 2) {
    return [=](double x) { return c_first ? c / x : x / c; };
  }
  if (family == "aten::maximum") return [=](double x) { return std::max(x, c); };
  if (family == "aten::minimum") return [=](double x) { return std::min(x, c); };
  if (family == "aten::pow") {
    return [=](double x) { return c_first ? std::pow(c, x) : std::pow(x, c); };
  }
  return nullptr;
}

}  // namespace

std::function<double(double)> unary_function(const Node& node) {
  if (const auto at = plain().find(node.op); at != plain().end()) return at->second;
  if (node.op == "aten::clamp" || node.op == "aten::hardtanh") return with_bounds(node);
  if (node.op == "aten::leaky_relu") {
    const auto slope = node.arg(1).number();
    if (slope) return [s = *slope](double x) { return x >= 0 ? x : x * s; };
  }
  if (node.op == "aten::elu") {
    const auto alpha = node.arg(1).number(), scale = node.arg(2).number(), input_scale = node.arg(3).number();
    if (alpha && scale && input_scale) {
      return [a = *alpha * *scale, s = *scale, i = *input_scale](double x) {
        return x <= 0 ? std::expm1(x * i) * a : x * s;
      };
    }
  }
  return node.args().size() >= 2 ? binary(node) : nullptr;
}

bool is_unary(const std::string& op) {
  return plain().contains(op) || op == "aten::clamp" || op == "aten::hardtanh" || op == "aten::leaky_relu" ||
         op == "aten::elu";
}

}  // namespace wick::compiler
