// The way from a UF2 to letters on UART0.
#include "sim/image.h"

namespace wick::sim {
namespace {

TEST_CASE("Machine boots an image and prints what it sends when its clocks are set up") {
  if (!test::images_are_built()) return;
  const test::Run run = test::run_image("hello");
  INFO(run.reason);
  CHECK(run.text == "hello\n");
  CHECK(run.kind == StopKind::kIdle);
  CHECK(run.remarks.empty());
  CHECK(run.machine->sys_hz() == 150'000'000);
  CHECK(run.machine->counts(0).instructions > 100);
}

}  // namespace
}  // namespace wick::sim
