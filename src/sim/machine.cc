// See machine.h. Both cores count cycles of the same clock; the one that is behind runs next, and when both are awake
// neither gets further ahead than a slice, so that what they tell each other arrives in order.
#include "sim/machine.h"

#include <algorithm>

#include "sim/refusal.h"
#include "sim/uf2.h"

namespace wick::sim {
namespace {

constexpr uint64_t kSliceCycles = 200;
constexpr unsigned kMailboxInterrupt = 25;
constexpr unsigned kVbusPin = 24;
constexpr uint32_t kQmiTiming = 0x0C, kQmiFormat = 0x10;
// A loop that reads TIMER0 so often, so quickly and without writing to a peripheral is given its time in larger steps.
constexpr uint64_t kWaitingReads = 32, kWaitingInstructions = 48, kWaitingStepPs = 20'000'000;
constexpr uint32_t kTimeReadLatched = 0x0C, kTimeRead = 0x28;

std::unique_ptr<Storage> make_qmi() {
  return std::make_unique<Storage>("QMI", std::vector<Storage::Register>{{{0x00, "DIRECT_CSR"}, 0x01800000},
                                                                         {{0x0C, "M0_TIMING"}, 0x60007203},
                                                                         {{0x10, "M0_RFMT"}, 0x000492A8},
                                                                         {{0x14, "M0_RCMD"}, 0x000000EB},
                                                                         {{0x18, "M0_WFMT"}, 0x00001000},
                                                                         {{0x1C, "M0_WCMD"}, 0x0000A002},
                                                                         {{0x34, "ATRANS0"}, 0x04000000},
                                                                         {{0x38, "ATRANS1"}, 0x04000400},
                                                                         {{0x3C, "ATRANS2"}, 0x04000800},
                                                                         {{0x40, "ATRANS3"}, 0x04000C00}});
}

std::unique_ptr<Storage> make_xip_control() {
  return std::make_unique<Storage>(
      "XIP_CTRL", std::vector<Storage::Register>{{{0x00, "CTRL"}, 0x00000083}, {{0x08, "STAT"}, 0x00000002}});
}

}  // namespace

Machine::Machine(const std::vector<uint8_t>& uf2, MachineOptions options) : options_(std::move(options)) {
  const Uf2Image image = parse_uf2(uf2);
  load_image(image, memory_);
  const Entry entry = find_entry(image, memory_);
  qmi_ = make_qmi();
  xip_control_ = make_xip_control();
  add_windows();
  time_.set_hz(0, clocks_.sys_hz());
  for (int i = 0; i < 2; ++i) {
    CoreHost& self = *this;
    cores_[i] = std::make_unique<Core>(i, self, memory_, bus_, cache_, view_of(i), bus_.windows());
    cores_[i]->map_flash(!image.in_ram);
  }
  connect();
  plug(options_.plugged);
  gpio_.set_outside(1, true);  // the terminal's idle line
  cores_[0]->start(entry, 0);
}

Machine::~Machine() = default;

void Machine::add_windows() {
  constexpr uint32_t kAliased = 0x4000;
  const auto add = [&](uint32_t base, Block& block, int reset_bit = -1) {
    bus_.add({base, kAliased, &block, Kind::kRegisters, reset_bit});
  };
  add(0x40000000, sysinfo_, 21);
  add(0x40010000, clocks_);
  add(0x40018000, psm_);
  add(0x40020000, resets_);
  add(0x40028000, gpio_.io(), 6);
  add(0x40038000, gpio_.pads(), 9);
  add(0x40048000, xosc_);
  add(0x40050000, pll_sys_, 14);
  add(0x40058000, pll_usb_, 15);
  add(0x40070000, uart_, 26);
  add(0x400B0000, timer0_, 23);
  add(0x400C8000, *xip_control_);
  add(0x400D0000, *qmi_);
  add(0x400D8000, watchdog_);
  add(0x40108000, ticks_);
  bus_.add({0x50100000, 0x1000, &usb_.memory(), Kind::kBytes, 28});
  add(0x50110000, usb_.registers(), 28);
  bus_.add({0xD0000000, 0x1000, &sio_, Kind::kPlain});
}

CoreView Machine::view_of(int core) {
  CoreView view;
  view.reset_requested = [this] { stop(StopKind::kCaller, "the image asked for a reset (AIRCR.SYSRESETREQ)"); };
  view.systick_reference_hz = [this, core] { return ticks_.hz(core == 0 ? Ticks::kProc0 : Ticks::kProc1); };
  view.sys_hz = [this] { return clocks_.sys_hz(); };
  view.cycle_count_read = [this, core](uint32_t value) {
    if (core == 0) cycle_reads_.push_back({value, cores_[0]->counts().instructions, cores_[0]->cycles()});
  };
  return view;
}

void Machine::connect() {
  clocks_.on_change = pll_sys_.on_change = pll_usb_.on_change = ticks_.on_change = [this] { clocks_changed(); };
  uart_.on_byte = [this](uint8_t byte) {
    note_activity();
    if (options_.on_uart) options_.on_uart(byte);
  };
  gpio_.on_change = [this](unsigned pin, bool, bool level) {
    note_activity();
    if (options_.on_pin) options_.on_pin(pin, level, time_ps());
  };
  usb_.on_change = [this] { usb_host_.device_changed(); };
  usb_host_.on_byte = [this](uint8_t byte) {
    note_activity();
    if (options_.on_usb) options_.on_usb(byte);
  };
  usb_host_.on_open = [this](bool) { note_activity(); };
  qmi_->on_write = [this] { cache_.set_timing(qmi_->value(kQmiTiming), qmi_->value(kQmiFormat)); };
  qmi_->on_write();
  sio_.on_launch = [this](const Entry& entry) { launch_core1(entry); };
  sio_.on_event = [this](int core) { cores_[core]->signal_event(); };
  sio_.on_mailbox_interrupt = [this](int core, bool raised) { cores_[core]->set_interrupt(kMailboxInterrupt, raised); };
  psm_.on_core1 = [this](bool held) {
    if (held) cores_[1]->hold();
    sio_.hold_core1(held);
  };
}

void Machine::launch_core1(const Entry& entry) {
  core1_ran_ = true;
  cores_[1]->start(entry, now_cycle_);
  if (executing_ >= 0) cores_[executing_]->cut_short();
}

void Machine::clocks_changed() {
  clocks_.check_alive();
  if (stop_kind_ != StopKind::kRunning) return;
  timer0_.settle();
  time_.set_hz(executing_ >= 0 ? cores_[executing_]->cycles() : now_cycle_, clocks_.sys_hz());
}

// --- time

uint64_t Machine::time_ps() const { return time_.ps(executing_ >= 0 ? cores_[executing_]->cycles() : now_cycle_); }

uint64_t Machine::next_event_ps() const {
  uint64_t next = usb_host_.next_event_ps();
  for (const Window& window : bus_.windows()) next = std::min(next, window.block->next_event_ps());
  return next;
}

void Machine::advance_blocks() {
  const uint64_t now = time_ps();
  if (usb_host_.next_event_ps() <= now) usb_host_.advance(now);
  for (const Window& window : bus_.windows()) {
    if (window.block->next_event_ps() <= now) window.block->advance(now);
  }
}

void Machine::run_core(int index, uint64_t cycle) {
  executing_ = index;
  cores_[index]->run_until(cycle);
  executing_ = -1;
}

void Machine::step(uint64_t limit_ps) {
  Core& first = *cores_[0];
  Core& second = *cores_[1];
  const bool both = second.powered();
  const uint64_t event = time_.cycle(std::min(next_event_ps(), limit_ps));
  Core& behind = both && second.cycles() < first.cycles() ? second : first;
  Core& ahead = &behind == &first ? second : first;
  uint64_t until = std::max(event, behind.cycles() + 1);
  if (both) until = std::min(until, std::max(ahead.cycles(), behind.cycles()) + kSliceCycles);
  run_core(&behind == &first ? 0 : 1, until);
  now_cycle_ = both && second.powered() ? std::min(first.cycles(), second.cycles()) : first.cycles();
  advance_blocks();
}

StopKind Machine::run(uint64_t pause_ps) {
  const uint64_t end_ps = std::min(options_.time_limit_ps, pause_ps == kNever ? kNever : time_ps() + pause_ps);
  while (stop_kind_ == StopKind::kRunning && time_ps() < end_ps) {
    step(std::min(end_ps, last_activity_ps_ + options_.idle_limit_ps));
    check_idle();
  }
  if (stop_kind_ == StopKind::kRunning && time_ps() >= options_.time_limit_ps)
    stop(StopKind::kTimeLimit, "the limit on simulated time is reached");
  return stop_kind_;
}

bool Machine::waiting() const {
  return cores_[0]->idle() && (!cores_[1]->powered() || cores_[1]->idle()) && uart_.quiet() && usb_host_.quiet();
}

void Machine::check_idle() {
  if (stop_kind_ != StopKind::kRunning) return;
  if (time_ps() < last_activity_ps_ + options_.idle_limit_ps) return;
  if (waiting()) {
    stop(StopKind::kIdle, "the image only waits");
  } else {
    note_activity();
  }
}

// --- Chip and CoreHost

void Machine::set_interrupt(unsigned line, bool raised) {
  for (auto& core : cores_) {
    if (core) core->set_interrupt(line, raised);
  }
}

void Machine::stop(StopKind kind, const std::string& why) {
  if (stop_kind_ != StopKind::kRunning) return;
  stop_kind_ = kind;
  stop_reason_ = why;
  if (executing_ >= 0) {
    stop_reason_ += ", core " + std::to_string(executing_) + " at PC " + hex(cores_[executing_]->pc());
    cores_[executing_]->cut_short();
  }
}

void Machine::warn(const std::string& what) {
  if (!said_.insert(what).second) return;
  warnings_.push_back(what);
  if (options_.on_remark) options_.on_remark("warning: " + what);
}

void Machine::reschedule() {
  if (executing_ >= 0) cores_[executing_]->cut_short();
}

void Machine::skip_waiting(int core, const Window& window, uint32_t offset) {
  if (window.block != &timer0_ || (offset != kTimeRead && offset != kTimeReadLatched)) return;
  auto& w = waiting_[core];
  const uint64_t now = cores_[core]->counts().instructions;
  w.reads = now - w.instructions <= kWaitingInstructions ? w.reads + 1 : 0;
  w.instructions = now;
  if (w.reads > kWaitingReads) cores_[core]->skip(kWaitingStepPs / (kPicosecondsPerSecond / clocks_.sys_hz()));
}

uint32_t Machine::bus_read(int core, const Window& window, uint32_t offset, uint32_t bytes) {
  skip_waiting(core, window, offset);
  const uint32_t value = bus_.read({core, bytes}, window, offset);
  // What runs with time is another value at every moment.
  const bool runs = window.block == &timer0_ || window.block == &watchdog_ || window.kind == Kind::kPrivate;
  if (runs) cores_[core]->note_change();
  cores_[core]->note_peripheral_read(window.base + offset, value);
  if (options_.on_trace)
    options_.on_trace("core " + std::to_string(core) + " " + hex(cores_[core]->pc()) + " reads " +
                      bus_.describe(window.base + offset) + ": " + hex(value));
  return value;
}

void Machine::bus_write(int core, const Window& window, uint32_t offset, uint32_t bytes, uint32_t value) {
  waiting_[core].reads = 0;
  cores_[core]->note_change();
  if (options_.on_trace)
    options_.on_trace("core " + std::to_string(core) + " " + hex(cores_[core]->pc()) + " writes " +
                      bus_.describe(window.base + offset) + ": " + hex(value));
  bus_.write({core, bytes}, window, offset, value);
}

bool Machine::fault_taken(int core, const std::string& what) {
  if (stop_kind_ != StopKind::kRunning) return true;  // the access has ended the run for a better reason
  ++faults_;
  if (options_.on_remark) options_.on_remark("core " + std::to_string(core) + " faults: " + what);
  if (!options_.break_on_fault) return false;
  stop(StopKind::kFault, what);
  return true;
}

void Machine::stop_core(int, StopKind kind, const std::string& why) { stop(kind, why); }

void Machine::event_sent(int) {
  for (auto& core : cores_) core->signal_event();
}

void Machine::trace_exception(int core, const std::string& what) {
  if (options_.on_trace) options_.on_trace("core " + std::to_string(core) + " " + what);
}

void Machine::type_usb(const std::vector<uint8_t>& bytes) {
  note_activity();
  usb_host_.write(bytes);
}

void Machine::plug(bool plugged) {
  note_activity();
  gpio_.set_outside(kVbusPin, plugged);
  usb_host_.plug(plugged);
}

void Machine::type_uart(const std::vector<uint8_t>& bytes) {
  note_activity();
  for (uint8_t byte : bytes) uart_.type(byte);
}

}  // namespace wick::sim
