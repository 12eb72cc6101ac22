// See simulated_board.h.
#include "host/simulated_board.h"

namespace wick::host {
namespace {

constexpr uint64_t kStepPs = 1'000'000'000;  // of simulated time between looks at the terminal
constexpr int kWaitMs = 5;                   // while the machine only waits, too

}  // namespace

sim::StopKind TerminalBridge::run(sim::Machine& machine, const std::atomic<bool>* stop) {
  for (;;) {
    const sim::StopKind kind = machine.run(kStepPs);
    terminal_.write(&outgoing_);
    if (kind != sim::StopKind::kRunning || terminal_.was_closed() || (stop != nullptr && *stop)) return kind;
    const std::vector<uint8_t> bytes = terminal_.read(machine.waiting() ? kWaitMs : 0);
    if (bytes.empty()) continue;
    if (over_usb_) {
      machine.type_usb(bytes);
    } else {
      machine.type_uart(bytes);
    }
  }
}

SimulatedBoard::SimulatedBoard(const std::vector<uint8_t>& uf2) {
  sim::MachineOptions options;
  options.time_limit_ps = options.idle_limit_ps = sim::kNever / 4;
  options.on_usb = [this](uint8_t byte) { bridge_.take(byte); };
  options.on_remark = [this](const std::string& line) { remarks_.push_back(line); };
  machine_ = std::make_unique<sim::Machine>(uf2, options);
  thread_ = std::thread([this] { bridge_.run(*machine_, &stop_); });
}

void SimulatedBoard::finish() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

std::string SimulatedBoard::trouble() const {
  std::string text;
  for (const std::string& remark : remarks_) text += remark + "; ";
  if (machine_->stop_kind() != sim::StopKind::kRunning) return text + machine_->stop_reason();
  return text.substr(0, text.empty() ? 0 : text.size() - 2);
}

}  // namespace wick::host
