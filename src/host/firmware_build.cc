// See firmware_build.h.
#include "host/firmware_build.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <sstream>
#include <system_error>
#include <thread>

#include "boards/frames.h"
#include "files/failure.h"
#include "host/child_process.h"

namespace wick::host {
namespace {

namespace fs = std::filesystem;
using files::fail;
using files::text;

constexpr FirmwareBoard kBoards[] = {
    {"pico2", "pico2", "cortex-m33", nullptr, true},
    {"qemu-m0plus", "cortex-m0plus", "cortex-m0plus", "mps2-an385", false},
    {"qemu-m4", "cortex-m4", "cortex-m4", "mps2-an386", true},
    {"qemu-m33", "cortex-m33", "cortex-m33", "mps2-an505", true},
    {"qemu-m55", "cortex-m55", "cortex-m55", "mps3-an547", false},
};

void progress(const std::string& line) {
  if (isatty(STDERR_FILENO)) std::cerr << "\r\033[K" << line << std::flush;
}

std::vector<std::string> lines_of(const fs::path& path) {
  const files::Bytes bytes = files::read_file(path);
  std::istringstream stream(std::string(bytes.begin(), bytes.end()));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::string hex(uint32_t value) {
  std::ostringstream out;
  out << std::hex << value;
  return out.str();
}

// Kernels that others can stand in for, as the linker knows them (boards/pico2/two_cores.cc, boards/cmsis_nn).
constexpr const char* kReplaceableKernels[] = {
    "_ZN4wick7kernels3dsp14conv2d_s8_planERNS0_8Conv2dS8E",
    "_ZN4wick7kernels3dsp17conv2d_s8_prepareERNS0_8Conv2dS8EPv",
    "_ZN4wick7kernels3dsp9conv2d_s8ERKNS0_8Conv2dS8EPKaPaPv",
    "_ZN4wick7kernels3dsp24depthwise_conv2d_s8_planERNS0_17DepthwiseConv2dS8E",
    "_ZN4wick7kernels3dsp27depthwise_conv2d_s8_prepareERNS0_17DepthwiseConv2dS8EPv",
    "_ZN4wick7kernels3dsp19depthwise_conv2d_s8ERKNS0_17DepthwiseConv2dS8EPKaPaPv",
    "_ZN4wick7kernels3dsp14linear_s8_planERNS0_8LinearS8E",
    "_ZN4wick7kernels3dsp17linear_s8_prepareERNS0_8LinearS8EPv",
    "_ZN4wick7kernels3dsp9linear_s8ERKNS0_8LinearS8EPKaPaPv",
};

uint32_t crc_of(const std::string& bytes) { return frames::crc32(0, bytes.data(), bytes.size()); }

// --- compiler --------------------------------------------------------------------------------------------------

// Folders where Arm's own packages and package managers put it.
std::vector<fs::path> usual_places() {
  std::vector<fs::path> places = {"/usr/local/bin", "/opt/homebrew/bin", "/opt/local/bin"};
  std::vector<fs::path> parents = {"/opt", "/usr/local", "/Applications/ArmGNUToolchain"};
  if (const char* home = std::getenv("HOME")) {
    for (const char* folder : {"", ".local", "opt", "tools", "toolchains"}) parents.push_back(fs::path(home) / folder);
  }
  for (const fs::path& parent : parents) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(parent, error)) {
      const std::string name = entry.path().filename().string();
      if (name.find("arm") == std::string::npos && name.find("Arm") == std::string::npos &&
          !std::isdigit(static_cast<unsigned char>(name[0])))
        continue;
      places.push_back(entry.path() / "bin");
      places.push_back(entry.path() / "arm-none-eabi/bin");
    }
  }
  return places;
}

fs::path find_toolchain() {
  const std::string compiler = "arm-none-eabi-g++";
  const auto holds = [&](const fs::path& folder) { return access((folder / compiler).c_str(), X_OK) == 0; };
  if (const char* given = std::getenv("ARM_TOOLCHAIN_PATH"); given != nullptr && *given != '\0') {
    for (const fs::path& folder : {fs::path(given), fs::path(given) / "bin"}) {
      if (holds(folder)) return folder;
    }
    fail(given, ": ARM_TOOLCHAIN_PATH is set to this, but neither it nor its bin/ has ", compiler);
  }
  if (const auto found = find_in_path(compiler)) return found->parent_path();
  for (const fs::path& folder : usual_places()) {
    if (holds(folder)) return folder;
  }
  fail(compiler,
       ": not found in PATH or the usual places; install it (Debian, Ubuntu: apt-get install gcc-arm-none-eabi "
       "libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib; Fedora: dnf install arm-none-eabi-gcc-cs-c++; macOS: "
       "brew install --cask gcc-arm-embedded), or set ARM_TOOLCHAIN_PATH to its folder");
}

// --- kit -------------------------------------------------------------------------------------------------------

struct Kit {
  fs::path folder;
  std::vector<std::string> compile, link;
};

fs::path kit_folder(const FirmwareBoard& board) {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  std::string searched;
  for (const fs::path& folder : {here / "lib/wick/kits", here / "../lib/wick/kits"}) {
    const fs::path kit = (folder / board.name).lexically_normal();
    if (fs::exists(fs::symlink_status(kit, error))) return kit;
    searched += (searched.empty() ? "" : ", ") + folder.lexically_normal().string();
  }
  fail("the kit of board ", board.name, " is not in ", searched, ": build and install it with `cmake --preset ",
       board.preset, " && cmake --build --preset ", board.preset, " --target wick_kit`");
}

void run_or_fail(const std::vector<std::string>& command, const fs::path& folder, const std::string& what) {
  const ChildResult result = run_child(command, folder);
  if (result.status == 0) return;
  progress("");
  std::string said = result.output;
  constexpr size_t kMost = 3000;
  if (said.size() > kMost) said = "..." + said.substr(said.size() - kMost);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  fail(what, " failed: ", said);
}

// In the project's own tree the kit is a link into the build folder of the board's preset, which is brought up to date.
void build_kit(const FirmwareBoard& board, const fs::path& link, const fs::path& toolchain, unsigned jobs) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(link, error))) return;
  const fs::path build = fs::read_symlink(link).parent_path(), source = build.parent_path().parent_path();
  if (!fs::exists(source / "CMakePresets.json")) return;
  progress(text("building wick for ", board.name, " ..."));
  setenv("ARM_TOOLCHAIN_PATH", toolchain.c_str(), 1);
  if (!fs::exists(build / "build.ninja"))
    run_or_fail({"cmake", "--preset", board.preset, "--log-level=WARNING"}, source, "configuring the board's build");
  run_or_fail({"cmake", "--build", build.string(), "--target", "wick_kit", "--parallel", std::to_string(jobs)}, source,
              "building wick for the board");
  progress("");
}

Kit open_kit(const FirmwareSpec& spec, const fs::path& toolchain) {
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  Kit kit;
  kit.folder = kit_folder(*spec.board);
  build_kit(*spec.board, kit.folder, toolchain, spec.jobs > 0 ? spec.jobs : processors);
  kit.folder = fs::canonical(kit.folder);
  kit.compile = lines_of(kit.folder / "compile.txt");
  for (std::string line : lines_of(kit.folder / "link.txt")) {
    if (const size_t at = line.find("@KIT@"); at != std::string::npos) line.replace(at, 5, kit.folder.string());
    kit.link.push_back(line);
  }
  return kit;
}

// --- one image -------------------------------------------------------------------------------------------------

class Image {
 public:
  explicit Image(const FirmwareSpec& spec) : spec_(spec) {}

  FirmwareBuild operator()() {
    toolchain_ = find_toolchain();
    kit_ = open_kit(spec_, toolchain_);
    if (!spec_.cmsis_nn.empty()) cmsis_nn_ = find_cmsis_nn_library(spec_.cmsis_nn);
    FirmwareBuild build;
    build.folder = folder();
    build.elf = build.folder / "image.elf";
    if (spec_.clean) fs::remove_all(build.folder);
    fs::create_directories(build.folder);
    const std::string wanted = stamp();
    build.up_to_date = fs::exists(build.elf) && read_stamp(build.folder) == wanted;
    if (!build.up_to_date) {
      fs::remove(build.folder / "stamp");
      progress("building the image ...");
      compile(build.folder);
      link(build.folder);
      progress("");
      files::write_file(build.folder / "stamp", wanted);
    }
    build.image = read_elf(build.elf);
    build.pieces = read_link_map(build.folder / "image.map");
    return build;
  }

 private:
  std::string tool(const char* name) const { return (toolchain_ / (std::string("arm-none-eabi-") + name)).string(); }

  // What tells sets of options apart.
  std::string options() const {
    std::string o =
        text(spec_.board->name, "|", spec_.app, "|", spec_.weights_in_sram, spec_.all_operators, spec_.kernels_in_sram,
             spec_.two_cores, spec_.brief_errors, "|", spec_.cmsis_nn, "|", spec_.stack_bytes);
    for (const EmbeddedFile& program : spec_.programs) o += "|" + program.path;
    return o;
  }

  fs::path folder() const {
    fs::path parent = spec_.build_folder;
    if (parent.empty()) {
      const char* cache = std::getenv("XDG_CACHE_HOME");
      const char* home = std::getenv("HOME");
      parent = cache != nullptr && *cache != '\0' ? fs::path(cache)
               : home != nullptr                  ? fs::path(home) / ".cache"
                                                  : fs::temp_directory_path();
      parent = parent / "wick" / "firmware";
    }
    return fs::absolute(parent) / text(spec_.board->name, "-", spec_.app, "-", hex(crc_of(options())));
  }

  std::string table_source() const { return operator_table_source(spec_.operators); }
  std::string programs_source() const { return embedded_programs_source(spec_.programs, spec_.weights_in_sram); }

  // Everything that the image is made from; files of the kit by size and time.
  std::string stamp() const {
    std::string s = options() + "\n" + table_source() + programs_source();
    for (const EmbeddedFile& program : spec_.programs) {
      const files::Bytes bytes = files::read_file(program.path);
      s += text(bytes.size(), " ", hex(frames::crc32(0, bytes.data(), bytes.size())), "\n");
    }
    std::vector<fs::path> made_of = {fs::path(tool("g++"))};
    if (!cmsis_nn_.empty()) made_of.push_back(cmsis_nn_);
    for (const char* folder : {"lib", "ld", "."}) {
      for (const fs::directory_entry& entry : fs::directory_iterator(kit_.folder / folder)) {
        if (fs::is_regular_file(entry.path())) made_of.push_back(entry.path());
        if (std::string(folder) != "ld" || !fs::is_directory(entry.path())) continue;
        for (const fs::directory_entry& script : fs::recursive_directory_iterator(entry.path())) {
          if (script.path().extension() == ".ld") made_of.push_back(script.path());
        }
      }
    }
    std::sort(made_of.begin(), made_of.end());
    for (const fs::path& path : made_of) {
      s += text(path.string(), " ", fs::file_size(path), " ", fs::last_write_time(path).time_since_epoch().count(),
                "\n");
    }
    return s;
  }

  static std::string read_stamp(const fs::path& folder) {
    if (!fs::exists(folder / "stamp")) return "";
    const files::Bytes bytes = files::read_file(folder / "stamp");
    return {bytes.begin(), bytes.end()};
  }

  void compile(const fs::path& folder) const {
    files::write_file(folder / "programs.S", programs_source());
    std::vector<std::string> assembler = {tool("gcc")};
    for (const std::string& flag : kit_.compile) {
      if (flag.rfind("-std=", 0) != 0 && flag != "-fno-rtti") assembler.push_back(flag);
    }
    assembler.insert(assembler.end(), {"-c", "programs.S", "-o", "programs.o"});
    run_or_fail(assembler, folder, "assembling the programs");
    if (!cmsis_nn_.empty()) compile_adapter(folder);
    if (spec_.all_operators) return;
    files::write_file(folder / "operators.cc", table_source());
    std::vector<std::string> compiler = {tool("g++")};
    compiler.insert(compiler.end(), kit_.compile.begin(), kit_.compile.end());
    compiler.insert(compiler.end(),
                    {"-I" + (kit_.folder / "include").string(), "-c", "operators.cc", "-o", "operators.o"});
    run_or_fail(compiler, folder, "compiling the table of operators");
  }

  void compile_adapter(const fs::path& folder) const {
    std::vector<std::string> compiler = {tool("g++")};
    compiler.insert(compiler.end(), kit_.compile.begin(), kit_.compile.end());
    compiler.insert(compiler.end(), {"-DWICK_ISA=\"3dsp\"", "-I" + (kit_.folder / "include").string(), "-isystem",
                                     spec_.cmsis_nn + "/Include", "-c", (kit_.folder / "cmsis_nn/adapter.cc").string(),
                                     "-o", "cmsis_nn_adapter.o"});
    run_or_fail(compiler, folder, "compiling the adapter against " + spec_.cmsis_nn + "/Include");
  }

  void link(const fs::path& folder) const {
    std::vector<std::string> command = {tool("g++")};
    command.insert(command.end(), kit_.compile.begin(), kit_.compile.end());
    if (!spec_.board->is_emulated()) {
      const char* where = spec_.kernels_in_sram ? "kernels_in_sram" : "kernels_in_flash";
      command.push_back("-L" + (kit_.folder / "ld" / spec_.board->name / where).string());
    }
    command.insert(command.end(), kit_.link.begin(), kit_.link.end());
    if (spec_.stack_bytes > 0) command.push_back(text("-Wl,--defsym=__stack_bytes=", spec_.stack_bytes));
    if (spec_.two_cores || !cmsis_nn_.empty()) {
      for (const char* kernel : kReplaceableKernels) command.push_back(text("-Wl,--wrap=", kernel));
    }
    if (spec_.app == "run" && (spec_.scalar_inputs || spec_.all_operators))
      command.push_back("-Wl,-u,wick_set_scalar_input");
    // Before the archives: what is defined here is not taken from them.
    if (!spec_.all_operators) command.push_back("operators.o");
    command.push_back("programs.o");
    if (!cmsis_nn_.empty()) command.push_back("cmsis_nn_adapter.o");
    command.push_back("-Wl,--start-group");
    const std::string errors = spec_.brief_errors ? "_brief" : "";
    for (const std::string& library : {"app_" + spec_.app, std::string("board_code"), "runtime" + errors,
                                       "format" + errors, std::string("kernels"), std::string("core")}) {
      command.push_back((kit_.folder / "lib" / ("libwick_" + library + ".a")).string());
    }
    if (spec_.two_cores) command.push_back((kit_.folder / "lib" / "libwick_two_cores.a").string());
    if (!cmsis_nn_.empty()) command.push_back(cmsis_nn_.string());
    command.insert(command.end(), {"-Wl,--end-group", "-Wl,-Map=image.map", "-o", "image.elf"});
    run_or_fail(command, folder, "linking the image");
  }

  const FirmwareSpec& spec_;
  fs::path toolchain_, cmsis_nn_;
  Kit kit_;
};

}  // namespace

const FirmwareBoard* find_firmware_board(const std::string& name) {
  for (const FirmwareBoard& board : kBoards) {
    if (name == board.name) return &board;
  }
  return nullptr;
}

FirmwareBuild build_firmware(const FirmwareSpec& spec) { return Image(spec)(); }

fs::path find_cmsis_nn_library(const std::string& folder) {
  if (!fs::exists(fs::path(folder) / "Include/arm_nnfunctions.h"))
    fail(folder, ": is no CMSIS-NN folder: it has no Include/arm_nnfunctions.h");
  for (const char* sub : {".", "lib", "build"}) {
    for (const char* name : {"libcmsis-nn.a", "libcmsis_nn.a", "libarm_cmsis_nn.a"}) {
      const fs::path library = fs::path(folder) / sub / name;
      if (fs::exists(library)) return fs::absolute(library).lexically_normal();
    }
  }
  fail(folder,
       ": has no library libcmsis-nn.a (looked for in it, its lib/ and its build/): build CMSIS-NN for the "
       "board's core first");
}

}  // namespace wick::host
