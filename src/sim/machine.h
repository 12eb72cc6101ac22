// A Pico 2: memories, both cores, peripherals, and time. Knows how they hang together and in which order things happen;
// refuses to know files and what the image is about.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sim/bus.h"
#include "sim/clocks.h"
#include "sim/core.h"
#include "sim/gpio.h"
#include "sim/resets.h"
#include "sim/sio.h"
#include "sim/time_base.h"
#include "sim/timer.h"
#include "sim/uart.h"
#include "sim/usb.h"
#include "sim/usb_host.h"

namespace wick::sim {

struct MachineOptions {
  bool break_on_fault = false;                             // stop before a fault is taken
  uint64_t time_limit_ps = 60 * kPicosecondsPerSecond;     // of simulated time
  uint64_t idle_limit_ps = kPicosecondsPerSecond;          // without anything to be seen while the cores only wait
  std::function<void(const std::string& line)> on_trace;   // accesses to peripherals, exceptions
  std::function<void(const std::string& line)> on_remark;  // warnings and faults, as they happen
  std::function<void(uint8_t byte)> on_uart;
  std::function<void(uint8_t byte)> on_usb;  // read from the serial port over USB
  bool plugged = true;                       // into a computer that opens and reads the serial port
  std::function<void(unsigned pin, bool level, uint64_t time_ps)> on_pin;
};

// What core 0 had executed when it read its cycle counter: what an image notes as cycles can be told as instructions.
struct CycleRead {
  uint32_t value;
  uint64_t instructions;
  uint64_t cycles;  // estimated
};

class Machine final : private Chip, private CoreHost {
 public:
  // Throws Refusal when the boot ROM would not start the file.
  Machine(const std::vector<uint8_t>& uf2, MachineOptions options);
  ~Machine();

  // Runs on until something ends it, or `pause_ps` of simulated time has passed (then kRunning).
  StopKind run(uint64_t pause_ps = kNever);
  void type_uart(const std::vector<uint8_t>& bytes);
  void type_usb(const std::vector<uint8_t>& bytes);
  UsbHost& usb_host() { return usb_host_; }
  void plug(bool plugged);

  // Nothing will happen but by time or from outside.
  bool waiting() const;
  StopKind stop_kind() const { return stop_kind_; }
  const std::string& stop_reason() const { return stop_reason_; }
  uint64_t time_ps() const override;
  uint64_t sys_hz() const { return clocks_.sys_hz(); }
  const CoreCounts& counts(int core) const { return cores_[core]->counts(); }
  // All reads, in order.
  const std::vector<CycleRead>& cycle_reads() const { return cycle_reads_; }
  const XipCache& cache() const { return cache_; }
  uint32_t sram_written_bytes() const { return memory_.written_bytes(); }
  bool core1_ran() const { return core1_ran_; }
  unsigned faults() const { return faults_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  std::string registers(int core) const { return cores_[core]->registers_text(); }

 private:
  // Chip
  void set_interrupt(unsigned line, bool raised) override;
  void stop(StopKind kind, const std::string& why) override;
  void warn(const std::string& what) override;
  void reschedule() override;
  // CoreHost
  uint32_t bus_read(int core, const Window& window, uint32_t offset, uint32_t bytes) override;
  void bus_write(int core, const Window& window, uint32_t offset, uint32_t bytes, uint32_t value) override;
  bool fault_taken(int core, const std::string& what) override;
  void stop_core(int core, StopKind kind, const std::string& why) override;
  void event_sent(int core) override;
  void trace_exception(int core, const std::string& what) override;

  void connect();
  CoreView view_of(int core);
  void add_windows();
  void clocks_changed();
  void step(uint64_t limit_ps);
  void run_core(int index, uint64_t cycle);
  void advance_blocks();
  uint64_t next_event_ps() const;
  void launch_core1(const Entry& entry);
  void skip_waiting(int core, const Window& window, uint32_t offset);
  void note_activity() { last_activity_ps_ = time_ps(); }
  void check_idle();

  MachineOptions options_;
  Memory memory_;
  TimeBase time_;
  Bus bus_{*this};
  Resets resets_{bus_};
  Xosc xosc_{*this};
  Pll pll_sys_{"PLL_SYS", *this, xosc_}, pll_usb_{"PLL_USB", *this, xosc_};
  Clocks clocks_{*this, xosc_, pll_sys_, pll_usb_};
  Ticks ticks_{*this, clocks_};
  Timer timer0_{"TIMER0", *this, clocks_, ticks_, Ticks::kTimer0, 0};
  Gpio gpio_{*this};
  Uart uart_{*this, clocks_, gpio_};
  Sio sio_{*this, gpio_};
  Usb usb_{*this, clocks_};
  UsbHost usb_host_{*this, usb_};
  Psm psm_;
  Watchdog watchdog_{*this};
  SysInfo sysinfo_;
  std::unique_ptr<Storage> qmi_, xip_control_;
  XipCache cache_;
  std::unique_ptr<Core> cores_[2];

  // Reads of the time in a row, by one core: who does nothing else waits.
  struct {
    uint64_t reads = 0;
    uint64_t instructions = 0;  // at the last one
  } waiting_[2];

  int executing_ = -1;  // the core that is
  uint64_t now_cycle_ = 0;
  StopKind stop_kind_ = StopKind::kRunning;
  std::string stop_reason_;
  std::set<std::string> said_;
  std::vector<std::string> warnings_;
  std::vector<CycleRead> cycle_reads_;
  unsigned faults_ = 0;
  bool core1_ran_ = false;
  uint64_t last_activity_ps_ = 0;
};

}  // namespace wick::sim
