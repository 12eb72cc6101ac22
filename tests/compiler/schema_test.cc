#include "compiler/schema.h"

#include <doctest.h>

#include "files/failure.h"

using namespace wick::compiler;

TEST_CASE("Schema knows arguments, defaults and the out variant of an operator") {
  const Schema* add = find_schema("aten::add.Tensor");
  REQUIRE(add != nullptr);
  CHECK(add->out_op == "aten::add.out");
  REQUIRE(add->args.size() == 3);
  CHECK(add->args[2].name == "alpha");
  CHECK(add->args[2].keyword_only);
  CHECK(add->args[2].default_value == Argument(1));
  CHECK(find_schema("aten::no_such_thing") == nullptr);
  CHECK(find_schema_of_out("aten::add.out") == add);
}

TEST_CASE("Schema finds in-place operators by their functional one") {
  const Schema* add = find_schema("aten::add_.Tensor");
  REQUIRE(add != nullptr);
  CHECK(add->in_place);
  CHECK(add->args.size() == 3);
  CHECK(find_schema("aten::relu_")->in_place);
  CHECK_FALSE(find_schema("aten::relu")->in_place);
}

TEST_CASE("Schema tells outputs from lists of outputs") {
  CHECK(find_schema("aten::topk")->outputs == 2);
  CHECK(find_schema("aten::native_layer_norm")->outputs == 3);
  CHECK(find_schema("aten::split_copy.Tensor")->output_list);
  CHECK(find_schema("aten::_assert_tensor_metadata")->outputs == 0);
}

TEST_CASE("Schema completes arguments as PyTorch takes them") {
  Graph graph;
  Value* x = graph.add_input("x", {wick::DType::kFloat32, {1, 3, 8, 8}, {}});
  const Arguments pool = complete_args("aten::max_pool2d", {{"self", x}, {"kernel_size", Ints{2}}});
  REQUIRE(pool.size() == 6);
  CHECK(pool[1] == Argument(Ints{2, 2}));
  CHECK(pool[2] == Argument(Ints{}));
  CHECK(pool[3] == Argument(Ints{0, 0}));
  CHECK(pool[5] == Argument(false));
  const Arguments gelu = complete_args("aten::gelu", {x});
  CHECK(gelu[1] == Argument("none"));
  const Arguments norm = complete_args("aten::elu", {x, 2});
  CHECK(norm[1] == Argument(2));
  const Arguments quantize = complete_args("quantized_decomposed::quantize_per_tensor", {x, 1, 0, -128, 127, 1});
  CHECK(quantize[1] == Argument(1.0));
}

TEST_CASE("Schema refuses arguments that are unknown, missing or of another type") {
  Graph graph;
  Value* x = graph.add_input("x", {});
  CHECK_THROWS_WITH_AS(complete_args("aten::relu", NamedArguments{}), "aten::relu: argument 'self' is missing",
                       wick::files::Failure);
  CHECK_THROWS_AS(complete_args("aten::relu", {{"self", x}, {"other", x}}), wick::files::Failure);
  CHECK_THROWS_AS(complete_args("aten::softmax.int", {x, "last"}), wick::files::Failure);
  CHECK_THROWS_AS(complete_args("aten::nothing", {x}), wick::files::Failure);
}
