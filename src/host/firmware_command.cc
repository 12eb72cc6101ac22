// See firmware_command.h.
#include "host/firmware_command.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "files/failure.h"
#include "files/files.h"
#include "files/text_table.h"
#include "host/firmware_build.h"
#include "host/firmware_checks.h"
#include "host/firmware_parts.h"
#include "host/operator_facts.h"
#include "host/uf2.h"

namespace wick::host {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string file_type(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  return extension == ".uf2" || extension == ".elf" || extension == ".bin" ? extension.substr(1) : "";
}

class Firmware {
 public:
  explicit Firmware(const FirmwareOptions& options) : options_(options) {}

  int operator()() {
    make_spec();
    const FirmwareNeeds needs = check_programs(spec_, infos_);
    build_ = build_firmware(spec_);
    parts_ = image_parts(build_);
    check_fit(parts_, needs, spec_);
    write_output();
    print(needs);
    if (!options_.json.empty()) files::write_file(options_.json, json(needs).dump(2) + "\n");
    return 0;
  }

 private:
  void make_spec() {
    spec_.board = find_firmware_board(options_.board);
    if (spec_.board == nullptr) fail("board ", options_.board, " is not known");
    const std::string type = file_type(options_.output);
    if (type.empty()) fail(options_.output, ": the image's name must end with .uf2, .elf or .bin");
    if (type != "elf" && spec_.board->is_emulated())
      fail(options_.output, ": an emulated board takes an .elf file, not .", type);
    spec_.app = options_.app;
    spec_.weights_in_sram = options_.weights == "sram";
    spec_.all_operators = options_.operators == "all";
    spec_.kernels_in_sram = options_.kernel_code == "sram";
    if (options_.kernels == "cmsis-nn") {
      if (options_.cmsis_nn.empty())
        fail("--kernels cmsis-nn needs --cmsis-nn DIR: the folder of your own copy of CMSIS-NN");
      if (!spec_.board->has_dsp)
        fail("--kernels cmsis-nn is for boards with the DSP extension: pico2, qemu-m4, qemu-m33, not ", options_.board);
      if (options_.cores == 2) fail("--cores 2 goes with wick's own kernels only, not with --kernels cmsis-nn");
      find_cmsis_nn_library(options_.cmsis_nn);
      spec_.cmsis_nn = fs::absolute(options_.cmsis_nn).lexically_normal().string();
    }
    spec_.two_cores = options_.cores == 2;
    if (spec_.two_cores && spec_.board->is_emulated()) fail("--cores 2: board ", options_.board, " has one core");
    // Where a host is at the other end it can tell the whole text.
    spec_.brief_errors =
        !spec_.board->is_emulated() && (options_.errors.empty() ? spec_.app == "run" : options_.errors == "brief");
    spec_.stack_bytes = options_.stack_bytes;
    spec_.jobs = options_.jobs;
    spec_.clean = options_.clean;
    spec_.build_folder = options_.build_folder;
    infos_.reserve(options_.programs.size());
    std::vector<const ProgramInfo*> all;
    for (const std::string& path : options_.programs) {
      infos_.push_back(read_program_info(files::read_file(path), path));
      all.push_back(&infos_.back());
      const std::vector<std::string> names = operators_of({&infos_.back()});
      for (const MethodInfo& m : infos_.back().methods) {
        for (size_t i = 0; i < m.inputs.size(); ++i)
          spec_.scalar_inputs = spec_.scalar_inputs || m.input(i).kind != ValueInfo::Kind::kTensor;
      }
      const bool is_int8 = std::any_of(names.begin(), names.end(), [](const std::string& name) {
        return name.rfind("cortex_m::quantized_", 0) == 0;
      });
      spec_.programs.push_back(
          {fs::path(path).stem().string(), is_int8 ? "INT8" : "FP32", fs::absolute(path).lexically_normal().string()});
    }
    spec_.operators = operators_of(all);
  }

  files::Bytes output_bytes() const {
    const std::string type = file_type(options_.output);
    if (type == "elf") return files::read_file(build_.elf);
    return type == "bin" ? format_bin(build_.image.load) : format_uf2(build_.image.load);
  }

  void write_output() const {
    const files::Bytes bytes = output_bytes();
    if (fs::exists(options_.output) && files::read_file(options_.output) == bytes) return;
    if (const fs::path parent = fs::path(options_.output).parent_path(); !parent.empty()) {
      std::error_code error;
      fs::create_directories(parent, error);
      if (error) fail(parent.string(), ": cannot be made: ", error.message());
    }
    files::write_file(options_.output, bytes.data(), bytes.size());
  }

  static void line(const std::string& label, const std::string& value) {
    std::cout << label << std::string(label.size() < 14 ? 14 - label.size() : 1, ' ') << value << "\n";
  }

  void print(const FirmwareNeeds& needs) const {
    line("image", text(options_.output, ", ", grouped(fs::file_size(options_.output)), " bytes",
                       build_.up_to_date ? " (nothing had changed)" : ""));
    line("board", text(spec_.board->name, ", app ", spec_.app, ", weights in ", options_.weights, ", kernels ",
                       options_.kernels, spec_.kernels_in_sram ? " (their code in SRAM)" : "",
                       spec_.two_cores ? ", both cores" : "", spec_.brief_errors ? ", brief errors" : ""));
    for (const EmbeddedFile& p : spec_.programs)
      line("program", text(p.path, " (", p.kind, ", ", grouped(fs::file_size(p.path)), " bytes)"));
    TextTable flash;
    flash.row({"flash", "bytes"});
    for (const auto& [part, bytes] : parts_.flash) flash.row({part, grouped(bytes)});
    flash.row({"total", grouped(parts_.flash_bytes)});
    flash.row({"without programs", grouped(parts_.flash_bytes - parts_.program_bytes())});
    flash.row({text("left of ", grouped(parts_.flash_capacity)), grouped(parts_.flash_capacity - parts_.flash_bytes)});
    std::cout << flash.str("");
    TextTable sram;
    sram.row({"SRAM", "bytes"});
    sram.row({text("arena", needs.arena_is_exact ? "" : " (at least)"), grouped(needs.arena_bytes)});
    if (parts_.program_copy_bytes > 0) sram.row({"programs, copied at start", grouped(parts_.program_copy_bytes)});
    sram.row({"data", grouped(parts_.data_bytes)});
    sram.row({"stack", grouped(parts_.stack_bytes)});
    sram.row({text("left of ", grouped(parts_.sram_capacity)), grouped(parts_.free_bytes - needs.arena_bytes)});
    std::cout << sram.str("");
    std::string names;
    for (const std::string& name : spec_.operators) names += (names.empty() ? "" : ", ") + name;
    line("operators", spec_.all_operators ? "all of wick's" : text(spec_.operators.size(), ": ", names));
    line("build", build_.folder.string());
    if (spec_.board->is_emulated()) {
      line("run", text("qemu-system-arm -M ", spec_.board->machine,
                       " -nographic -semihosting-config enable=on,target=native -kernel ", options_.output));
      return;
    }
    const std::string& file = options_.output;
    if (file_type(file) == "uf2") {
      line("flash it", "hold BOOTSEL while you plug the board in, then copy the file to the drive RP2350:");
      line("", text("cp ", file, " /media/$USER/RP2350/"));
      line("or", text("picotool load -f -x ", file));
    }
    line("or", text("a debug probe: openocd -f interface/cmsis-dap.cfg -f target/rp2350.cfg -c \"program ",
                    build_.elf.string(), " verify reset exit\""));
    line("without one", text("wick simulate ", file_type(file) == "uf2" ? file : "IMAGE.uf2"));
  }

  Json json(const FirmwareNeeds& needs) const {
    Json j = {{"image", options_.output},
              {"board", spec_.board->name},
              {"app", spec_.app},
              {"weights", options_.weights},
              {"kernels", options_.kernels},
              {"cores", options_.cores},
              {"up_to_date", build_.up_to_date},
              {"flash_bytes", parts_.flash_bytes},
              {"flash_bytes_without_programs", parts_.flash_bytes - parts_.program_bytes()},
              {"flash_free_bytes", parts_.flash_capacity - parts_.flash_bytes},
              {"flash", Json::object()},
              {"sram",
               {{"arena", needs.arena_bytes},
                {"arena_is_exact", needs.arena_is_exact},
                {"programs", parts_.program_copy_bytes},
                {"data", parts_.data_bytes},
                {"stack", parts_.stack_bytes},
                {"free", parts_.free_bytes - needs.arena_bytes}}},
              {"operators", spec_.operators},
              {"elf", build_.elf.string()}};
    for (const auto& [part, bytes] : parts_.flash) j["flash"][part] = bytes;
    return j;
  }

  const FirmwareOptions& options_;
  FirmwareSpec spec_;
  std::vector<ProgramInfo> infos_;
  FirmwareBuild build_;
  ImageParts parts_;
};

}  // namespace

int operator_table_command(const OperatorTableOptions& options) {
  std::vector<ProgramInfo> infos;
  for (const std::string& path : options.programs) {
    infos.push_back(read_program_info(files::read_file(path), path));
    check_operators(infos.back());
  }
  std::vector<const ProgramInfo*> all;
  for (const ProgramInfo& info : infos) all.push_back(&info);
  files::write_file(options.output, operator_table_source(operators_of(all)));
  return 0;
}

int firmware_command(const FirmwareOptions& options) { return Firmware(options)(); }

}  // namespace wick::host
