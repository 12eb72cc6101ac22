// See simulate_command.h.
#include "host/simulate_command.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "files/failure.h"
#include "files/files.h"
#include "files/text_table.h"
#include "host/simulated_board.h"
#include "sim/led_timeline.h"
#include "sim/machine.h"
#include "sim/refusal.h"

namespace wick::host {
namespace {

using Json = nlohmann::ordered_json;
using files::decimal;
using files::fail;
using files::grouped;
using files::read_file;
using files::write_file;
using sim::StopKind;

constexpr uint64_t kStepPs = 1'000'000'000;  // 1 ms between looks whether to type

const char* word_for(StopKind kind) {
  switch (kind) {
    case StopKind::kIdle:
      return "idle";
    case StopKind::kTimeLimit:
      return "time limit";
    case StopKind::kUnmodelled:
      return "not modelled";
    case StopKind::kFault:
      return "fault";
    case StopKind::kLockup:
      return "lockup";
    case StopKind::kProtocol:
      return "protocol";
    case StopKind::kRunning:
      return "closed";
    default:
      return "stopped";
  }
}

class Simulation {
 public:
  explicit Simulation(const SimulateOptions& options) : options_(options) {}

  int operator()() {
    try {
      machine_ = std::make_unique<sim::Machine>(read_file(options_.image), machine_options());
    } catch (const sim::Refusal& refusal) {
      fail(options_.image, ": ", refusal.what());
    }
    if (!options_.input.empty()) typed_ = read_file(options_.input);
    if (options_.pty) {
      terminal_ = std::make_unique<PseudoTerminal>();
      bridge_ = std::make_unique<TerminalBridge>(*terminal_, over_usb());
    }
    const StopKind kind = options_.pty ? run_on_terminal() : run_with_input();
    if (!line_.empty()) std::cout << "\n";
    std::cout << std::flush;
    print(kind);
    if (!options_.json.empty()) write_file(options_.json, json(kind).dump(2) + "\n");
    const bool failed = kind == StopKind::kUnmodelled || kind == StopKind::kFault || kind == StopKind::kLockup ||
                        kind == StopKind::kProtocol;
    return failed || machine_->faults() > 0 ? 1 : 0;
  }

 private:
  bool over_usb() const { return options_.console == "usb"; }
  void type(const std::vector<uint8_t>& bytes) { over_usb() ? machine_->type_usb(bytes) : machine_->type_uart(bytes); }

  StopKind run_with_input() {
    // What is typed on UART0 before the image has set it up is lost: it waits for a sign of life.
    while (!typed_.empty()) {
      const StopKind kind = machine_->run(kStepPs);
      if (kind != StopKind::kRunning) return kind;
      if (over_usb() ? !machine_->usb_host().is_open() : text_.empty()) continue;
      type(typed_);
      typed_.clear();
    }
    return machine_->run();
  }

  StopKind run_on_terminal() {
    std::cout << terminal_->name() << std::endl;
    return bridge_->run(*machine_);
  }

  void show(uint8_t byte) {
    text_ += static_cast<char>(byte);
    if (bridge_) return bridge_->take(byte);
    std::cout.put(static_cast<char>(byte));
    line_ = byte == '\n' ? "" : line_ + static_cast<char>(byte);
    if (byte == '\n') std::cout << std::flush;
  }

  sim::MachineOptions machine_options() {
    sim::MachineOptions o;
    o.break_on_fault = options_.break_on_fault;
    o.time_limit_ps = options_.pty ? sim::kNever / 4 : options_.timeout_ms * 1'000'000'000;
    o.idle_limit_ps = options_.pty ? sim::kNever / 4 : options_.idle_ms * 1'000'000'000;
    (over_usb() ? o.on_usb : o.on_uart) = [this](uint8_t byte) { show(byte); };
    o.plugged = !options_.unplugged;
    o.on_pin = [this](unsigned pin, bool level, uint64_t time_ps) { leds_.change(pin, level, time_ps); };
    o.on_remark = [](const std::string& line) { std::cerr << "simulator: " << line << "\n"; };
    if (options_.trace) o.on_trace = [](const std::string& line) { std::cerr << line << "\n"; };
    return o;
  }

  uint32_t stack_bytes(int core) const {
    return machine_->counts(core).stack_top - machine_->counts(core).lowest_stack;
  }

  void print(StopKind kind) const {
    std::cout << "--- simulated Pico 2: " << word_for(kind) << ": "
              << (kind == StopKind::kRunning ? "its terminal was closed" : machine_->stop_reason()) << "\n";
    for (int core = 0; core < cores(); ++core) {
      const sim::CoreCounts& c = machine_->counts(core);
      std::cout << "core " << core << ": " << grouped(c.instructions) << " instructions (exact), "
                << grouped(c.cycles - c.sleeping_cycles) << " cycles awake (estimated), stack at most "
                << grouped(stack_bytes(core)) << " bytes\n";
    }
    std::cout << "time: " << decimal(static_cast<double>(machine_->time_ps()) * 1e-9)
              << " ms (estimated), clk_sys at the end " << decimal(static_cast<double>(machine_->sys_hz()) * 1e-6)
              << " MHz\n";
    std::cout << "SRAM: " << grouped(machine_->sram_written_bytes()) << " of " << grouped(sim::kSramBytes)
              << " bytes written to, in pieces of 64\n";
    const sim::XipCounts& cache = machine_->cache().counts();
    std::cout << "flash: " << grouped(cache.misses + cache.sequential_misses) << " lines missed the cache (estimated "
              << machine_->cache().line_cycles() << " cycles each, " << machine_->cache().sequential_cycles()
              << " for the " << grouped(cache.sequential_misses) << " that followed another)\n";
    if (cores() == 2)
      std::cout << "flash: cores waited " << grouped(cache.waited_cycles)
                << " cycles for each other's lines (estimated)\n";
    for (unsigned pin : leds_.pins()) std::cout << leds_.describe(pin) << "\n";
    if (machine_->faults() > 0) std::cout << "faults: " << machine_->faults() << "\n";
    if (kind == StopKind::kIdle || kind == StopKind::kTimeLimit || kind == StopKind::kRunning) return;
    for (int core = 0; core < cores(); ++core)
      std::cout << "registers of core " << core << ": " << machine_->registers(core) << "\n";
  }

  Json json(StopKind kind) const {
    Json j;
    j["stop"] = word_for(kind);
    j["reason"] = machine_->stop_reason();
    j["time_us_estimated"] = static_cast<double>(machine_->time_ps()) * 1e-6;
    j["sys_hz"] = machine_->sys_hz();
    j["faults"] = machine_->faults();
    j["warnings"] = machine_->warnings();
    j["sram_written_bytes"] = machine_->sram_written_bytes();
    j["flash_lines_missed"] = machine_->cache().counts().misses + machine_->cache().counts().sequential_misses;
    j["flash_wait_cycles_estimated"] = machine_->cache().counts().waited_cycles;
    j["cores"] = Json::array();
    for (int core = 0; core < cores(); ++core) {
      const sim::CoreCounts& c = machine_->counts(core);
      j["cores"].push_back({{"instructions", c.instructions},
                            {"cycles_estimated", c.cycles - c.sleeping_cycles},
                            {"stack_bytes", stack_bytes(core)}});
    }
    j["leds"] = Json::object();
    for (unsigned pin : leds_.pins()) {
      Json& blinks = j["leds"]["GPIO" + std::to_string(pin)] = Json::array();
      for (const auto& b : leds_.blinks(pin))
        blinks.push_back({{"count", b.count}, {"on_ms", b.on_ms}, {"off_ms", b.off_ms}});
    }
    j[options_.console] = text_;
    return j;
  }

  int cores() const { return machine_->core1_ran() ? 2 : 1; }

  const SimulateOptions& options_;
  std::unique_ptr<sim::Machine> machine_;
  sim::LedTimeline leds_;
  std::string line_, text_;
  std::vector<uint8_t> typed_;
  std::unique_ptr<PseudoTerminal> terminal_;
  std::unique_ptr<TerminalBridge> bridge_;
};

}  // namespace

int simulate_command(const SimulateOptions& options) { return Simulation(options)(); }

}  // namespace wick::host
