// See usb_descriptors.h.
#include "sim/usb_descriptors.h"

#include "sim/refusal.h"

namespace wick::sim {
namespace {

enum Type : uint8_t { kConfiguration = 2, kInterface = 4, kEndpoint = 5, kAssociation = 11, kFunctional = 0x24 };

std::string number(unsigned value) { return std::to_string(value); }

struct Reader {
  const std::vector<uint8_t>& bytes;
  CdcEndpoints out{};
  unsigned interface = ~0u, interfaces = 0, endpoints_due = 0;
  bool header = false, acm = false, unites = false, association = false;

  bool wrong(const std::string& what) {
    if (out.error.empty()) out.error = what;
    return false;
  }

  bool take_interface(const uint8_t* d) {
    if (endpoints_due != 0) return wrong("interface " + number(interface) + " lacks endpoints that it announces");
    if (d[0] != 9) return wrong("an interface descriptor of " + number(d[0]) + " bytes");
    interface = d[2];
    ++interfaces;
    endpoints_due = d[4];
    if (interface == 0 && (d[5] != 2 || d[6] != 2)) return wrong("interface 0 is not CDC-ACM (02/02)");
    if (interface == 1 && d[5] != 10) return wrong("interface 1 is not CDC data (0a)");
    return true;
  }

  bool take_functional(const uint8_t* d) {
    if (interface != 0) return wrong("a functional descriptor outside interface 0");
    if (d[2] == 0) header = d[0] == 5;
    if (d[2] == 2) acm = d[0] == 4 && (d[3] & 2);
    if (d[2] == 6) unites = d[0] == 5 && d[3] == 0 && d[4] == 1;
    return true;
  }

  bool take_endpoint(const uint8_t* d) {
    if (d[0] != 7) return wrong("an endpoint descriptor of " + number(d[0]) + " bytes");
    if (endpoints_due == 0) return wrong("more endpoints in interface " + number(interface) + " than announced");
    --endpoints_due;
    const unsigned address = d[2] & 0xF, kind = d[3] & 3, size = d[4] | d[5] << 8;
    const bool in = d[2] & 0x80;
    if (address == 0) return wrong("an endpoint descriptor for endpoint 0");
    if (kind == 2 && size != 8 && size != 16 && size != 32 && size != 64)
      return wrong("a bulk endpoint with packets of " + number(size) + " bytes: full speed knows 8, 16, 32 and 64");
    if (kind == 3 && (size > 64 || d[6] == 0)) return wrong("an interrupt endpoint with impossible size or interval");
    if (interface == 0 && kind == 3 && in) out.notify = address;
    if (interface == 1 && kind == 2) (in ? out.in : out.out) = address;
    return true;
  }

  bool take(const uint8_t* d) {
    switch (d[1]) {
      case kInterface:
        return take_interface(d);
      case kFunctional:
        return take_functional(d);
      case kEndpoint:
        return take_endpoint(d);
      case kAssociation:
        association = d[0] == 8 && d[2] == 0 && d[3] == 2 && d[4] == 2 && d[5] == 2;
        return association || wrong("an interface association that is not of interfaces 0 and 1 as CDC-ACM");
      default:
        return true;
    }
  }

  void read() {
    if (bytes.size() < 9 || bytes[0] != 9 || bytes[1] != kConfiguration)
      return void(wrong("no configuration descriptor"));
    if ((bytes[2] | bytes[3] << 8) != static_cast<int>(bytes.size()))
      return void(wrong("wTotalLength is " + number(bytes[2] | bytes[3] << 8) + ", " +
                        number(static_cast<unsigned>(bytes.size())) + " bytes came"));
    if (!(bytes[7] & 0x80)) return void(wrong("bit 7 of bmAttributes is clear"));
    for (size_t at = 9; at < bytes.size(); at += bytes[at]) {
      if (bytes[at] < 2 || at + bytes[at] > bytes.size())
        return void(
            wrong("a descriptor at byte " + number(static_cast<unsigned>(at)) + " that leaves the configuration"));
      if (!take(&bytes[at])) return;
    }
    if (endpoints_due != 0) return void(wrong("interface " + number(interface) + " lacks endpoints that it announces"));
    if (bytes[4] != interfaces)
      return void(wrong("announces " + number(bytes[4]) + " interfaces and has " + number(interfaces)));
    if (!association) return void(wrong("no interface association"));
    if (!header || !acm || !unites)
      return void(wrong("a functional descriptor is missing: header, ACM with line coding, union of 0 and 1"));
    if (out.in == 0 || out.out == 0 || out.notify == 0)
      wrong("a bulk IN, bulk OUT or notification endpoint is missing");
  }
};

}  // namespace

CdcEndpoints read_cdc_configuration(const std::vector<uint8_t>& bytes) {
  Reader reader{bytes};
  reader.read();
  return reader.out;
}

std::string judge_device_descriptor(const std::vector<uint8_t>& d) {
  if (d.size() != 18 || d[0] != 18 || d[1] != 1) return "no device descriptor of 18 bytes";
  if (d[2] != 0 || d[3] != 2) return "bcdUSB " + hex(d[2] | d[3] << 8) + " instead of 0x200";
  if (d[4] != 0xEF || d[5] != 2 || d[6] != 1)
    return "device class is not ef/02/01, which an interface association needs";
  if (d[7] != 8 && d[7] != 16 && d[7] != 32 && d[7] != 64) return "packets of endpoint 0 of " + number(d[7]) + " bytes";
  if (d[17] != 1) return number(d[17]) + " configurations instead of 1";
  return "";
}

}  // namespace wick::sim
