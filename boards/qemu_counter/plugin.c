// TCG plugin for QEMU: each time that the core executes the marker `mov r10, r10`, the number of instructions executed
// so far (markers not counted) is appended to a file, as 8 little-endian bytes. Knows nothing of the firmware.
//
// Option: out=FILE. Debian's package has no qemu-plugin.h, so the few functions used are declared here (API version 1).
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*tb_trans_cb)(qemu_plugin_id_t, struct qemu_plugin_tb*);
typedef void (*exec_cb)(unsigned int, void*);
typedef void (*atexit_cb)(qemu_plugin_id_t, void*);
enum { kNoRegisters = 0, kInlineAddU64 = 0 };
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, tb_trans_cb);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, atexit_cb, void*);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb*);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb*, size_t);
const void* qemu_plugin_insn_data(const struct qemu_plugin_insn*);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn*, exec_cb, int, void*);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn*, int, void*, uint64_t);

EXPORT int qemu_plugin_version = 1;

enum { kMarker = 0x46D2 };

static uint64_t executed;
static FILE* out;

static void on_marker(unsigned int cpu, void* unused) {
  (void)cpu;
  (void)unused;
  uint8_t bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(executed >> (8 * i));
  fwrite(bytes, 1, sizeof bytes, out);
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb* tb) {
  (void)id;
  const size_t count = qemu_plugin_tb_n_insns(tb);
  for (size_t i = 0; i < count; i++) {
    struct qemu_plugin_insn* instruction = qemu_plugin_tb_get_insn(tb, i);
    uint16_t first;  // halfword; the size that QEMU tells may be wrong next to the end of a page
    memcpy(&first, qemu_plugin_insn_data(instruction), sizeof first);
    if (first == kMarker)
      qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_marker, kNoRegisters, NULL);
    else
      qemu_plugin_register_vcpu_insn_exec_inline(instruction, kInlineAddU64, &executed, 1);
  }
}

static void on_exit_of_emulator(qemu_plugin_id_t id, void* unused) {
  (void)id;
  (void)unused;
  fclose(out);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void* info, int argc, char** argv) {
  (void)info;
  for (int i = 0; i < argc; i++) {
    if (strncmp(argv[i], "out=", 4) == 0)
      out = fopen(argv[i] + 4, "wb");
    else
      fprintf(stderr, "wick_counter: unknown option %s\n", argv[i]);
  }
  if (out == NULL) {
    perror("wick_counter: out");
    return -1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
  qemu_plugin_register_atexit_cb(id, on_exit_of_emulator, NULL);
  return 0;
}
