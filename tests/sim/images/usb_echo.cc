// The smallest CDC-ACM device that a host takes: sends back what it gets, one letter on, and says on UART0 what
// happens. One endpoint event at a time, by polling. USB_FAULT picks a mistake to make.
#include <cstdint>

#ifndef USB_FAULT
#define USB_FAULT 0
#endif

extern "C" void putc(int letter);

namespace {

constexpr int kWrongLength = 1, kWrongToggle = 2, kEarlyAddress = 3, kNoZeroPacket = 4, kArmAtOnce = 5, kNoClock = 6;

volatile uint32_t& at(uint32_t address) { return *reinterpret_cast<volatile uint32_t*>(address); }
constexpr uint32_t kRegisters = 0x50110000, kMemory = 0x50100000, kResets = 0x40020000;
constexpr uint32_t kFull = 0x8000, kData1 = 0x2000, kAvailable = 0x400, kStall = 0x800;

constexpr uint8_t kDevice[] = {18, 1, 0, 2, 0xEF, 2, 1, 64, 0x8A, 0x2E, 9, 0, 0, 1, 1, 2, 3, 1};
// clang-format off
constexpr uint8_t kConfiguration[] = {
    9, 2, USB_FAULT == kWrongLength ? 74 : 75, 0, 2, 1, 0, 0x80, 50,
    8, 11, 0, 2, 2, 2, 0, 0,
    9, 4, 0, 0, 1, 2, 2, 0, 0,
    5, 0x24, 0, 0x20, 1,
    5, 0x24, 1, 0, 1,
    4, 0x24, 2, 2,
    5, 0x24, 6, 0, 1,
    7, 5, 0x81, 3, 8, 0, 16,
    9, 4, 1, 0, 2, 10, 0, 0, 0,
    7, 5, 2, 2, 64, 0, 0,
    7, 5, 0x82, 2, 64, 0, 0};
// clang-format on
constexpr uint8_t kLanguages[] = {4, 3, 9, 4};
constexpr uint8_t kWord[] = {10, 3, 'e', 0, 'c', 0, 'h', 0, 'o', 0};

const uint8_t* data = nullptr;
uint32_t left = 0, ep0_data1 = 0;
uint8_t new_address = 0, coding[8];
bool expects_coding = false;
uint32_t in_data1 = 0, out_data1 = 0;
bool zero_packet = false;

void arm(uint32_t control, uint32_t value) {
  if (USB_FAULT == kArmAtOnce) {
    at(control) = value | kAvailable;
    return;
  }
  at(control) = value;
  for (int i = 0; i < 12; ++i) __asm volatile("nop");
  at(control) = value | kAvailable;
}

void copy_in(uint32_t to, const uint8_t* from, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) *reinterpret_cast<volatile uint8_t*>(to + i) = from[i];
}

void send_ep0() {
  const uint32_t count = left > 64 ? 64 : left;
  copy_in(kMemory + 0x100, data, count);
  data += count;
  left -= count;
  arm(kMemory + 0x80, kFull | (ep0_data1 ? kData1 : 0) | count);
  ep0_data1 ^= 1;
}

void answer(const uint8_t* bytes, uint32_t count, uint32_t asked) {
  data = bytes;
  left = count < asked ? count : asked;
  send_ep0();
}

void status_in() { arm(kMemory + 0x80, kFull | kData1); }

void refuse() {
  at(kRegisters + 0x68) = 3;
  at(kMemory + 0x80) = kStall;
  at(kMemory + 0x84) = kStall;
}

void receive() {
  arm(kMemory + 0x94, (out_data1 ? kData1 : 0) | 64);
  out_data1 ^= 1;
}

void on_setup() {
  const uint32_t low = at(kMemory), high = at(kMemory + 4);
  const uint32_t type = low & 0xFF, request = low >> 8 & 0xFF, value = low >> 16, asked = high >> 16;
  ep0_data1 = 1;
  data = nullptr;
  left = 0;
  if (type == 0x80 && request == 6) {
    switch (value >> 8) {
      case 1:
        return answer(kDevice, sizeof(kDevice), asked);
      case 2:
        return answer(kConfiguration, sizeof(kConfiguration), asked);
      case 3:
        return value & 0xFF ? answer(kWord, sizeof(kWord), asked) : answer(kLanguages, sizeof(kLanguages), asked);
      default:
        return refuse();
    }
  }
  if (type == 0x00 && request == 5) {
    new_address = static_cast<uint8_t>(value);
    if (USB_FAULT == kEarlyAddress) at(kRegisters) = value;
    return status_in();
  }
  if (type == 0x00 && request == 9) {
    at(kMemory + 8) = 0xAC000000 | 0x180;
    at(kMemory + 16) = 0xA8000000 | 0x1C0;
    at(kMemory + 20) = 0xA8000000 | 0x200;
    in_data1 = out_data1 = 0;
    receive();
    return status_in();
  }
  if (type == 0x21 && request == 0x20) {
    expects_coding = true;
    return arm(kMemory + 0x84, kData1 | 64);
  }
  if (type == 0xA1 && request == 0x21) return answer(coding, 7, asked);
  if (type == 0x21 && request == 0x22) {
    putc(value & 1 ? 'O' : 'c');
    return status_in();
  }
  refuse();
}

void on_bulk_out() {
  uint32_t count = at(kMemory + 0x94) & 0x3FF;
  for (uint32_t i = 0; i < count; ++i) {
    const uint8_t byte = *reinterpret_cast<volatile uint8_t*>(kMemory + 0x200 + i);
    *reinterpret_cast<volatile uint8_t*>(kMemory + 0x1C0 + i) = static_cast<uint8_t>(byte + 1);
  }
  zero_packet = count == 64 && USB_FAULT != kNoZeroPacket;
  arm(kMemory + 0x90, kFull | (in_data1 ? kData1 : 0) | count);
  if (USB_FAULT != kWrongToggle) in_data1 ^= 1;
}

void on_buffers() {
  const uint32_t status = at(kRegisters + 0x58);
  at(kRegisters + 0x58) = status;
  if (status & 1) {
    if (new_address != 0) {
      at(kRegisters) = new_address;
      new_address = 0;
    } else if (left != 0) {
      send_ep0();
    } else if (data != nullptr) {
      data = nullptr;
      arm(kMemory + 0x84, kData1);
    }
  }
  if ((status & 2) && expects_coding) {
    expects_coding = false;
    for (int i = 0; i < 7; ++i) coding[i] = *reinterpret_cast<volatile uint8_t*>(kMemory + 0x100 + i);
    status_in();
  }
  if (status & 16) {
    if (zero_packet) {
      zero_packet = false;
      arm(kMemory + 0x90, kFull | (in_data1 ? kData1 : 0));
      in_data1 ^= 1;
    } else {
      receive();
    }
  }
  if (status & 32) on_bulk_out();
}

volatile bool served = false;

}  // namespace

extern "C" void usb_irq() {
  const uint32_t raised = at(kRegisters + 0x98);
  if (raised & 0x1000) {
    at(kRegisters + 0x50) = 1 << 19;
    at(kRegisters) = 0;
    putc('r');
  }
  if (raised & 0x10000) {
    at(kRegisters + 0x50) = 1 << 17;
    on_setup();
  }
  if (raised & 0x10) on_buffers();
  if (raised & 0x4000) {
    at(kRegisters + 0x50) = 1 << 4;
    putc('s');
  }
}

extern "C" void main() {
  if (USB_FAULT == kNoClock) at(0x40010060) = 0;
  at(kResets + 0x2000) = 1u << 28;
  at(kResets + 0x3000) = 1u << 28;
  while (!(at(kResets + 8) >> 28 & 1)) {
  }
  for (uint32_t i = 0; i < 4096; i += 4) at(kMemory + i) = 0;
  at(kRegisters + 0x74) = 9;
  at(kRegisters + 0x78) = 12;
  at(kRegisters + 0x40) = 1;
  at(kRegisters + 0x4C) = 0x20000000;
  at(kRegisters + 0x90) = 0x15010;
  at(0xE000E100) = 1u << 14;
  at(kRegisters + 0x2000 + 0x4C) = 1u << 16;
}
