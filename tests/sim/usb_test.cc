// A CDC-ACM device on the simulated cable: enumeration, data both ways, unplugging, and mistakes that a host notices.
#include "sim/image.h"
#include "sim/usb_descriptors.h"

namespace wick::sim {
namespace {

struct Board {
  std::string uart, usb;
  std::unique_ptr<Machine> machine;
  explicit Board(int fault = 0, bool plugged = true) {
    MachineOptions options;
    options.plugged = plugged;
    options.on_uart = [this](uint8_t byte) { uart += static_cast<char>(byte); };
    options.on_usb = [this](uint8_t byte) { usb += static_cast<char>(byte); };
    machine = std::make_unique<Machine>(test::uf2_of(test::code_of("usb_echo_" + std::to_string(fault))), options);
  }
  StopKind run_ms(uint64_t ms) { return machine->run(ms * 1'000'000'000); }
  void type(const std::string& text) { machine->type_usb({text.begin(), text.end()}); }
};

TEST_CASE("Usb enumerates a board, opens its port and moves bytes both ways") {
  if (!test::images_are_built()) return;
  Board board;
  board.run_ms(300);
  INFO(board.machine->stop_reason());
  const UsbHost& host = board.machine->usb_host();
  CHECK(board.uart == "rrO");
  CHECK(host.enumerated());
  CHECK(host.is_open());
  CHECK(host.vendor() == 0x2E8A);
  CHECK(host.product() == 9);
  CHECK(host.strings().product == "echo");
  board.type("HAL");
  board.run_ms(10);
  CHECK(board.usb == "IBM");
  // Whole packets, which the driver keeps back until a short one ends the transfer.
  const std::string line(64, 'a'), long_line(150, 'c');
  board.usb.clear();
  board.type(line);
  board.run_ms(10);
  CHECK(board.usb == std::string(64, 'b'));
  board.usb.clear();
  board.type(long_line);
  board.run_ms(10);
  CHECK(board.usb == std::string(150, 'd'));
  CHECK(board.machine->run() == StopKind::kIdle);
  CHECK(board.machine->warnings().empty());
}

TEST_CASE("Usb sees the cable come and go, and the port close") {
  if (!test::images_are_built()) return;
  Board board(0, false);
  board.run_ms(200);
  CHECK(board.uart == "s");
  board.machine->plug(true);
  board.run_ms(300);
  CHECK(board.uart == "srrO");
  board.machine->usb_host().open(false);
  board.run_ms(10);
  CHECK(board.uart == "srrOc");
  board.machine->plug(false);
  board.run_ms(100);
  CHECK(board.uart == "srrOcs");
  board.machine->usb_host().open(true);
  board.machine->plug(true);
  board.run_ms(300);
  CHECK(board.uart == "srrOcsrrO");
  board.type("1");
  board.run_ms(10);
  CHECK(board.usb == "2");
}

TEST_CASE("Usb leaves a packet where it is while no program reads") {
  if (!test::images_are_built()) return;
  Board board;
  board.run_ms(300);
  board.machine->usb_host().set_reading(false);
  board.type("1");
  board.run_ms(50);
  CHECK(board.usb.empty());
  board.machine->usb_host().set_reading(true);
  board.run_ms(10);
  CHECK(board.usb == "2");
}

TEST_CASE("Usb stops with the reason when the board makes a mistake that a host would not take") {
  if (!test::images_are_built()) return;
  Board length(1);
  CHECK(length.run_ms(400) == StopKind::kProtocol);
  CHECK(length.machine->stop_reason().find("configuration: ") != std::string::npos);
  Board toggle(2);
  toggle.run_ms(300);
  toggle.type("1");
  toggle.run_ms(10);
  toggle.type("2");
  CHECK(toggle.run_ms(10) == StopKind::kProtocol);
  CHECK(toggle.machine->stop_reason().find("endpoint 2 IN sent DATA0 where the other is due") != std::string::npos);
  Board early(3);
  CHECK(early.run_ms(400) == StopKind::kProtocol);
  CHECK(early.machine->stop_reason().find("listens at address 5 (ADDR_ENDP) where 0 is due") != std::string::npos);
}

TEST_CASE("Usb keeps a transfer back that no short packet ends") {
  if (!test::images_are_built()) return;
  Board board(4);
  board.run_ms(300);
  board.type(std::string(64, 'a'));
  board.run_ms(100);
  CHECK(board.usb.empty());
}

TEST_CASE("Usb warns when a buffer is armed in one write") {
  if (!test::images_are_built()) return;
  Board board(5);
  board.run_ms(300);
  REQUIRE(!board.machine->warnings().empty());
  CHECK(board.machine->warnings()[0].find("AVAILABLE is set together with other bits") != std::string::npos);
}

TEST_CASE("Usb is not seen by a host when its clock does not run at 48 MHz") {
  if (!test::images_are_built()) return;
  Board board(6);
  board.run_ms(500);
  CHECK(!board.machine->usb_host().enumerated());
  REQUIRE(!board.machine->warnings().empty());
  CHECK(board.machine->warnings()[0].find("clk_usb at 0 Hz instead of 48 MHz") != std::string::npos);
}

TEST_CASE("Usb descriptors are judged") {
  const std::vector<uint8_t> device = {18, 1, 0, 2, 0xEF, 2, 1, 64, 0x8A, 0x2E, 9, 0, 0, 1, 1, 2, 3, 1};
  CHECK(judge_device_descriptor(device).empty());
  std::vector<uint8_t> bad = device;
  bad[3] = 1;
  CHECK(judge_device_descriptor(bad) == "bcdUSB 0x100 instead of 0x200");
  bad = device;
  bad[4] = 2;
  CHECK(!judge_device_descriptor(bad).empty());
  CHECK(!judge_device_descriptor({}).empty());
  CHECK(!read_cdc_configuration({}).error.empty());
}

}  // namespace
}  // namespace wick::sim
