#include <doctest.h>

#include <cstring>

#include "compiler/evaluate.h"
#include "compiler/import_onnx.h"
#include "compiler/onnx_builder.h"
#include "files/failure.h"

namespace wick::compiler {
namespace {

using files::Array;

Array floats(const std::vector<int32_t>& sizes, const std::vector<float>& values) {
  Array array = files::filled(DType::kFloat32, sizes, 0);
  for (size_t i = 0; i < values.size(); ++i) files::set_element(array, i, double{values[i]});
  return array;
}

std::vector<double> values_of(const Array& array) {
  std::vector<double> values;
  for (uint64_t i = 0; i < files::element_count(array); ++i) values.push_back(files::element(array, i));
  return values;
}

std::vector<double> run(const Graph& graph, const std::vector<Array>& inputs) {
  return values_of(evaluate(graph, inputs).at(0));
}

// x: [batch, 2, 3] to [batch, 6], by way of Shape, Gather, Unsqueeze and Concat, as exporters write it.
OnnxBuilder flattening() {
  OnnxBuilder b;
  b.input("x", {-1, 2, 3});
  b.output("y");
  b.int64s("zero", {}, {0});
  b.int64s("axis", {1}, {0});
  b.int64s("rest", {1}, {-1});
  b.node("Shape", {"x"}, {"shape"});
  b.node("Gather", {"shape", "zero"}, {"count"});
  b.node("Unsqueeze", {"count", "axis"}, {"counts"});
  b.node("Concat", {"counts", "rest"}, {"sizes"});
  OnnxBuilder::attribute(*b.model().mutable_graph()->mutable_node(3), "axis", int64_t{0});
  b.node("Reshape", {"x", "sizes"}, {"y"});
  return b;
}

TEST_CASE("ONNX importer works out shape computations and leaves one view") {
  const auto path = flattening().save("flattening.onnx");
  ImportOptions options;
  options.input_shapes["x"] = {4, 2, 3};
  const Graph graph = import_onnx(path, options);
  CHECK(graph.str() ==
        "input %x: float32 [4, 2, 3]\n"
        "%y_node: float32 [4, 6] = aten::view_copy(%x, [4, 6])\n"
        "output %y_node\n");
}

TEST_CASE("ONNX importer asks for open sizes by name, and refuses sizes that do not fit") {
  const auto path = flattening().save("open.onnx");
  CHECK_THROWS_WITH_AS(import_onnx(path),
                       (path.string() + ": input 'x': has the open sizes [batch, 2, 3]; give them with --input-shape "
                                        "x=...")
                           .c_str(),
                       files::Failure);
  ImportOptions options;
  options.input_shapes["x"] = {4, 2, 5};
  CHECK_THROWS_WITH_AS(import_onnx(path, options), doctest::Contains("does not fit the model's [batch, 2, 3]"),
                       files::Failure);
  options.input_shapes = {{"z", {1}}};
  CHECK_THROWS_WITH_AS(import_onnx(path, options), doctest::Contains("no input of the model"), files::Failure);
}

TEST_CASE("ONNX importer names all nodes at fault at once, with shapes and what to do") {
  OnnxBuilder b;
  b.input("x", {1, 4});
  b.output("y");
  b.node("Loop", {"x"}, {"a"});
  b.node("Relu", {"a"}, {"b"});
  b.node("DynamicQuantizeLinear", {"x"}, {"c", "d", "e"});
  b.node("Det", {"x"}, {"y"});
  const auto path = b.save("faults.onnx");
  std::string said;
  try {
    import_onnx(path);
  } catch (const files::Failure& failure) {
    said = failure.what();
  }
  CHECK(said ==
        path.string() +
            ": 3 problems:\n"
            "  node a_node (Loop) on float32 [1, 4]: this operator is not supported; control flow is not supported: "
            "export the model with fixed conditions and trip counts\n"
            "  node c_node (DynamicQuantizeLinear) on float32 [1, 4]: dynamic quantization is not supported: ranges "
            "must be known; use static quantization (quantize_static, QDQ), or compile the float model with --int8 "
            "DATA\n"
            "  node y_node (Det) on float32 [1, 4]: this operator is not supported; replace it in the model by "
            "supported operators");
}

TEST_CASE("ONNX importer writes local functions out in place, with attributes of the call") {
  OnnxBuilder b;
  b.input("x", {4});
  b.output("y");
  auto& call = b.node("LeakyTwice", {"x"}, {"y"});
  call.set_domain("local");
  auto* alpha = call.add_attribute();
  alpha->set_name("slope");
  alpha->set_type(onnx::AttributeProto::FLOAT);
  alpha->set_f(0.5f);
  auto* import = b.model().add_opset_import();
  import->set_domain("local");
  import->set_version(1);
  auto* function = b.model().add_functions();
  function->set_name("LeakyTwice");
  function->set_domain("local");
  function->add_input("in");
  function->add_output("out");
  function->add_attribute("slope");
  auto* set = function->add_opset_import();
  set->set_domain("");
  set->set_version(17);
  for (const auto& [from, to] : {std::pair("in", "middle"), {"middle", "out"}}) {
    auto& node = OnnxBuilder::fill(*function->add_node(), "LeakyRelu", {from}, {to});
    auto* reference = node.add_attribute();
    reference->set_name("alpha");
    reference->set_type(onnx::AttributeProto::FLOAT);
    reference->set_ref_attr_name("slope");
  }
  const Graph graph = import_onnx(b.save("function.onnx"));
  CHECK(run(graph, {floats({4}, {-4, -1, 0, 3})}) == std::vector<double>{-1, -0.25, 0, 3});
}

TEST_CASE("ONNX importer refuses a function that calls itself") {
  OnnxBuilder b;
  b.input("x", {4});
  b.output("y");
  b.node("Again", {"x"}, {"y"}).set_domain("local");
  auto* function = b.model().add_functions();
  function->set_name("Again");
  function->set_domain("local");
  function->add_input("in");
  function->add_output("out");
  OnnxBuilder::fill(*function->add_node(), "Again", {"in"}, {"out"}).set_domain("local");
  CHECK_THROWS_WITH_AS(import_onnx(b.save("again.onnx")), doctest::Contains("calls itself"), files::Failure);
}

TEST_CASE("ONNX importer reads constants from other files, and only from below the model's folder") {
  OnnxBuilder b;
  b.input("x", {2});
  b.output("y");
  b.floats("w", {2}, {});
  b.node("Mul", {"x", "w"}, {"y"});
  auto* tensor = b.model().mutable_graph()->mutable_initializer(0);
  tensor->set_data_location(onnx::TensorProto::EXTERNAL);
  const auto place = [tensor](const std::string& key, const std::string& value) {
    auto* entry = tensor->add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  };
  place("location", "weights.bin");
  place("offset", "4");
  place("length", "8");
  const auto path = b.save("external.onnx");
  const float weights[] = {0, 2, -3};
  std::ofstream(path.parent_path() / "weights.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(weights), sizeof(weights));
  CHECK(run(import_onnx(path), {floats({2}, {5, 7})}) == std::vector<double>{10, -21});

  tensor->mutable_external_data(1)->set_value("8");
  CHECK_THROWS_WITH_AS(import_onnx(b.save("beyond.onnx")), doctest::Contains("lies beyond the end"), files::Failure);
  tensor->mutable_external_data(0)->set_value("../weights.bin");
  CHECK_THROWS_WITH_AS(import_onnx(b.save("outside.onnx")), doctest::Contains("not below the model's folder"),
                       files::Failure);
}

TEST_CASE("ONNX importer pads unevenly in front of convolutions and averages what is there only") {
  OnnxBuilder b;
  b.input("x", {1, 1, 1, 4});
  b.output("y");
  b.floats("w", {1, 1, 1, 2}, {1, 10});
  auto& conv = b.node("Conv", {"x", "w"}, {"y"});
  OnnxBuilder::attribute(conv, "auto_pad", "SAME_LOWER");
  // One column in front: 0 1 | 1 2 | 2 3 | 3 4.
  CHECK(run(import_onnx(b.save("same_lower.onnx")), {floats({1, 1, 1, 4}, {1, 2, 3, 4})}) ==
        std::vector<double>{10, 21, 32, 43});

  OnnxBuilder pool;
  pool.input("x", {1, 1, 3});
  pool.output("y");
  auto& average = pool.node("AveragePool", {"x"}, {"y"});
  OnnxBuilder::attribute(average, "kernel_shape", Ints{2});
  OnnxBuilder::attribute(average, "pads", Ints{0, 1});
  CHECK(run(import_onnx(pool.save("average.onnx")), {floats({1, 1, 3}, {2, 4, 8})}) == std::vector<double>{3, 6, 8});
}

TEST_CASE("ONNX importer takes softmax of opset 11 over everything from its axis on") {
  for (const auto& [opset, expected] : {std::pair(int64_t{11}, 0.25), {int64_t{13}, 0.5}}) {
    OnnxBuilder b(opset);
    b.input("x", {1, 2, 2});
    b.output("y");
    OnnxBuilder::attribute(b.node("Softmax", {"x"}, {"y"}), "axis", int64_t{1});
    const std::vector<double> y = run(import_onnx(b.save("softmax.onnx")), {floats({1, 2, 2}, {1, 1, 1, 1})});
    CHECK(y == std::vector<double>(4, expected));
  }
}

TEST_CASE("ONNX importer refuses opsets before 11") {
  OnnxBuilder b(9);
  b.input("x", {1});
  b.output("y");
  b.node("Relu", {"x"}, {"y"});
  CHECK_THROWS_WITH_AS(import_onnx(b.save("old.onnx")), doctest::Contains("opset 9: is older than 11"), files::Failure);
}

// x * w + b in uint8, as onnxruntime writes it: everything moved by 128.
TEST_CASE("ONNX importer takes QLinearConv apart into int8 quantize and dequantize nodes around a convolution") {
  OnnxBuilder b;
  b.input("x", {1, 1, 1, 2});
  b.output("y");
  for (const char* name : {"x_scale", "w_scale", "y_scale"}) b.floats(name, {}, {name[0] == 'w' ? 0.5f : 1.0f});
  b.int32s("x_zero", onnx::TensorProto::UINT8, {}, {128});
  b.int32s("w_zero", onnx::TensorProto::INT8, {}, {0});
  b.int32s("y_zero", onnx::TensorProto::UINT8, {}, {130});
  b.int32s("w", onnx::TensorProto::INT8, {1, 1, 1, 1}, {4});
  b.int32s("bias", onnx::TensorProto::INT32, {1}, {6});
  b.node("QuantizeLinear", {"x", "x_scale", "x_zero"}, {"xq"});
  b.node("QLinearConv", {"xq", "x_scale", "x_zero", "w", "w_scale", "w_zero", "y_scale", "y_zero", "bias"}, {"yq"});
  b.node("DequantizeLinear", {"yq", "y_scale", "y_zero"}, {"y"});
  const Graph graph = import_onnx(b.save("qlinear.onnx"));
  CHECK(run(graph, {floats({1, 1, 1, 2}, {3, -100})}) == std::vector<double>{9, -130});
  for (const auto& node : graph.nodes()) {
    for (const Value* value : node->outputs()) CHECK(value->type.dtype != DType::kUInt8);
  }
  CHECK(graph.str().find("quantize_per_tensor(%x, 1.0, 0, -128, 127, 1)") != std::string::npos);
}

TEST_CASE("ONNX importer keeps weights of a MatMul quantized by column behind a transposed dequantize") {
  OnnxBuilder b;
  b.input("x", {1, 2});
  b.output("y");
  b.floats("scale", {3}, {1, 2, 4});
  b.int32s("zero", onnx::TensorProto::INT8, {3}, {0, 0, 0});
  b.int32s("w", onnx::TensorProto::INT8, {2, 3}, {1, 2, 3, 4, 5, 6});
  auto& weights = b.node("DequantizeLinear", {"w", "scale", "zero"}, {"wd"});
  OnnxBuilder::attribute(weights, "axis", int64_t{1});
  b.node("MatMul", {"x", "wd"}, {"y"});
  const Graph graph = import_onnx(b.save("columns.onnx"));
  CHECK(run(graph, {floats({1, 2}, {1, 10})}) == std::vector<double>{41, 104, 252});
  const Node& linear = *graph.nodes().back();
  CHECK(linear.op == "aten::linear");
  const Node* dequantize = linear.arg(1).tensor()->producer();
  REQUIRE(dequantize != nullptr);
  CHECK(dequantize->op == "quantized_decomposed::dequantize_per_channel");
  CHECK(dequantize->arg(3) == Argument(0));
  CHECK(dequantize->arg(0).tensor()->type.sizes == Shape{3, 2});
}

TEST_CASE("ONNX importer says what is wrong with a file that is none") {
  const auto path = OnnxBuilder().save("none.onnx");
  std::ofstream(path, std::ios::binary) << "not a model";
  CHECK_THROWS_WITH_AS(import_onnx(path), doctest::Contains("is not an ONNX model, or was cut off"), files::Failure);
}

}  // namespace
}  // namespace wick::compiler
