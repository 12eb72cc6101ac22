// What the port tells a host about itself. Words of the USB and CDC-ACM specifications; nothing about how they travel.
#pragma once

#include <cstdint>

namespace wick::pico2 {

inline constexpr uint32_t kControlPacket = 64, kBulkPacket = 64;
inline constexpr uint8_t kNotifyIn = 0x81, kDataOut = 0x02, kDataIn = 0x82;

// Vendor and product are those of the chip vendor's own CDC serial port on this chip.
inline constexpr uint8_t kDeviceDescriptor[] = {
    18,
    1,  // a device descriptor
    0x00,
    0x02,  // USB 2.0
    0xEF,
    0x02,
    0x01,            // a function of several interfaces (see the association below)
    kControlPacket,  //
    0x8A,
    0x2E,  // vendor
    0x09,
    0x00,  // product
    0x00,
    0x01,  // device release 1.0
    1,
    2,
    3,  // strings: manufacturer, product, serial number
    1,  // configurations
};

inline constexpr uint8_t kConfigurationDescriptor[] = {
    9, 2, 75, 0, 2, 1, 0, 0x80, 50,           // 75 bytes in all, 2 interfaces, bus-powered, 100 mA
    8, 11, 0, 2, 0x02, 0x02, 0x00, 0,         // interfaces 0 and 1 are one function: CDC, abstract control
                                              // model
    9, 4, 0, 0, 1, 0x02, 0x02, 0x00, 0,       // interface 0, one endpoint
    5, 0x24, 0x00, 0x20, 0x01,                // CDC 1.20
    5, 0x24, 0x01, 0x00, 1,                   // no call management
    4, 0x24, 0x02, 0x02,                      // line coding and control line state are understood
    5, 0x24, 0x06, 0, 1,                      // control interface 0, data interface 1
    7, 5, kNotifyIn, 0x03, 8, 0, 16,          // interrupt, 8 bytes
    9, 4, 1, 0, 2, 0x0A, 0x00, 0x00, 0,       // interface 1, two endpoints
    7, 5, kDataOut, 0x02, kBulkPacket, 0, 0,  // bulk
    7, 5, kDataIn, 0x02, kBulkPacket, 0, 0,   //
};
static_assert(sizeof(kDeviceDescriptor) == 18 && sizeof(kConfigurationDescriptor) == 75);

// Strings 1 to 3; sent as UTF-16.
inline constexpr const char* kStrings[] = {"wick", "wick on Pico 2", "1"};

}  // namespace wick::pico2
