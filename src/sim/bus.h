// The peripherals' side of the address map. Knows which block answers at an address, the aliases that set, clear and
// flip bits, how narrow writes arrive, and what may not be touched while held in reset; refuses to know what any
// register means.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/chip.h"

namespace wick::sim {

struct RegisterName {
  uint32_t offset;
  const char* name;
};

struct Access {
  int core = 0;
  uint32_t bytes = 4;
};

struct Write {
  uint32_t value;  // what the register shall hold, an alias worked in
  uint32_t raw;    // the word on the bus: what counts for bits that are cleared by writing 1
};

class Block {
 public:
  explicit Block(const char* name) : name_(name) {}
  virtual ~Block() = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  const char* name() const { return name_; }
  // All registers that the chip has there, modelled or not, for messages.
  virtual std::span<const RegisterName> registers() const = 0;
  // `offset` is a multiple of 4. False: not modelled.
  virtual bool read(const Access& access, uint32_t offset, uint32_t& value) = 0;
  virtual bool write(const Access& access, uint32_t offset, const Write& write) = 0;
  // Back to the state after reset.
  virtual void reset() {}
  // When something happens in the block by itself, and letting it happen.
  virtual uint64_t next_event_ps() const { return kNever; }
  virtual void advance(uint64_t /*time_ps*/) {}

 private:
  const char* name_;
};

enum class Kind {
  kRegisters,  // with aliases; narrow writes arrive in all bytes
  kPlain,      // no aliases, words only
  kPrivate,    // no aliases, narrow writes reach the block as they are
  kBytes,      // no aliases, true narrow access (done by the block: offset as it is, Access::bytes)
};

struct Window {
  uint32_t base;
  uint32_t bytes;
  Block* block;
  Kind kind = Kind::kRegisters;
  int reset_bit = -1;  // in RESETS; -1: cannot be held
};

class Bus {
 public:
  explicit Bus(Chip& chip) : chip_(chip) {}

  void add(const Window& window) { windows_.push_back(window); }
  const std::vector<Window>& windows() const { return windows_; }
  // Which blocks RESETS holds.
  void set_held(uint32_t bits);
  uint32_t held() const { return held_; }

  uint32_t read(const Access& access, const Window& window, uint32_t offset);
  void write(const Access& access, const Window& window, uint32_t offset, uint32_t value);

  // "UART0.FR (0x40070018)", as far as known; for addresses outside all windows, what the chip has there, or "".
  std::string describe(uint32_t address) const;

 private:
  bool usable(const Window& window, uint32_t offset, const char* what);
  Chip& chip_;
  std::vector<Window> windows_;
  uint32_t held_ = 0;
};

// What the chip has at an address that the simulator does not model; null where it has nothing.
const char* unmodelled_block(uint32_t address);

}  // namespace wick::sim
