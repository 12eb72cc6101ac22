// See emulator.h. The child process is QEMU itself, started without a shell in a folder of its own that is removed
// afterwards; it dies with this process.
#include "host/emulator.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace wick::host {
namespace {

namespace fs = std::filesystem;
using End = EmulatorRun::End;

constexpr int kFaultStatus = 81;  // boards/qemu/semihosting.h
constexpr const char* kBuildHint =
    "build it with `cmake --preset host && cmake --build --preset host` (needs arm-none-eabi-gcc: apt-get install "
    "gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib), or set WICK_RUNNERS to its folder";

struct Board {
  const char* target;
  const char* machine;  // QEMU's name
};
constexpr Board kBoards[] = {
    {"cortex-m0plus", "mps2-an385"},  // a Cortex-M3, as QEMU has no roomy M0+
    {"cortex-m4", "mps2-an386"},
    {"cortex-m33", "mps2-an505"},
    {"cortex-m55", "mps3-an547"},
};

const Board* find_board(const std::string& target) {
  for (const Board& board : kBoards)
    if (target == board.target) return &board;
  return nullptr;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    fs::path parent = fs::temp_directory_path(error);
    if (error) parent = "/tmp";
    std::string name = (parent / "wick-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::vector<uint8_t> read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool write_bytes(const fs::path& path, const std::vector<uint8_t>& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return file.good();
}

// Looks for a file of lib/wick; when there is none, `searched` says where it was looked for.
fs::path find_support_file(const std::string& name, std::string* searched) {
  std::vector<fs::path> folders;
  if (const char* runners = std::getenv("WICK_RUNNERS")) {
    folders.emplace_back(runners);
  } else {
    std::error_code error;
    const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
    folders = {here / "lib/wick", here / "../lib/wick"};
  }
  for (const fs::path& folder : folders) {
    std::error_code error;
    if (fs::exists(folder / name, error)) return fs::absolute(folder / name);
    *searched += (searched->empty() ? "" : ", ") + folder.lexically_normal().string();
  }
  return {};
}

// In the child: never returns, and calls nothing that would allocate.
[[noreturn]] void become_emulator(const char* folder, char* const* arguments, int report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const int input = open("/dev/null", O_RDONLY);
  if (chdir(folder) == 0 && input >= 0) {
    const int console = open("console", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(input, STDIN_FILENO);
    dup2(console, STDOUT_FILENO);
    dup2(console, STDERR_FILENO);
    execvp(arguments[0], arguments);
  }
  const int why = errno;
  [[maybe_unused]] const ssize_t written = write(report, &why, sizeof(why));
  _exit(127);
}

struct Child {
  pid_t pid = -1;
  int start_error = 0;  // errno when it could not be started
};

Child start(const fs::path& folder, std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  Child child;
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) {
    child.start_error = errno;
    return child;
  }
  child.pid = fork();
  if (child.pid == 0) become_emulator(folder.c_str(), pointers.data(), report[1]);
  if (child.pid < 0) child.start_error = errno;
  close(report[1]);
  // Closed unread when the emulator has started.
  if (child.pid > 0 && read(report[0], &child.start_error, sizeof(int)) == sizeof(int)) {
    waitpid(child.pid, nullptr, 0);
    child.pid = -1;
  }
  close(report[0]);
  return child;
}

// Waits for the child's end, or ends it when the time is up. Returns false then.
bool wait_for(pid_t pid, uint32_t seconds, int* status) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  bool ended = false;
  for (;;) {
    const auto left = deadline - std::chrono::steady_clock::now();
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(left).count();
    if (milliseconds <= 0) break;
    pollfd waiting = {handle, POLLIN, 0};
    const int wait = static_cast<int>(milliseconds < 60000 ? milliseconds + 1 : 60000);
    const int ready = handle >= 0 ? poll(&waiting, 1, wait) : usleep(2000);  // old kernels have no such handles
    if (ready < 0 && errno != EINTR) break;
    if (waitpid(pid, status, WNOHANG) == pid) {
      ended = true;
      break;
    }
  }
  if (!ended) {
    kill(pid, SIGKILL);
    waitpid(pid, status, 0);
  }
  if (handle >= 0) close(handle);
  return ended;
}

std::string console_text(const fs::path& folder) {
  const std::vector<uint8_t> bytes = read_bytes(folder / "console");
  return {bytes.begin(), bytes.end()};
}

// The first line with `word` in it, or the first line.
std::string line_with(const std::string& text, const char* word) {
  const size_t found = text.find(word);
  const size_t at = found == std::string::npos ? 0 : text.rfind('\n', found) + 1;  // npos + 1 is 0
  return text.substr(at, text.find('\n', at) - at);
}

std::vector<uint64_t> read_markers(const fs::path& path) {
  const std::vector<uint8_t> bytes = read_bytes(path);
  std::vector<uint64_t> markers(bytes.size() / 8);
  for (size_t i = 0; i < markers.size() * 8; ++i) markers[i / 8] |= static_cast<uint64_t>(bytes[i]) << (8 * (i % 8));
  return markers;
}

// QEMU's options end at commas; doubled ones are part of the text.
std::string option_text(const std::string& text) {
  std::string escaped;
  for (char c : text) escaped.append(c == ',' ? 2 : 1, c);
  return escaped;
}

EmulatorRun not_started(std::string text) {
  EmulatorRun run;
  run.text = std::move(text);
  return run;
}

void judge_end(bool ended, int status, const fs::path& folder, EmulatorRun* run) {
  const std::string console = console_text(folder);
  if (!ended) {
    run->end = End::kTimeout;
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    run->end = End::kExit;
    run->markers = read_markers(folder / "markers");
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == kFaultStatus) {
    run->end = End::kFault;
    const std::string line = line_with(console, "FAULT ");
    run->text = line.rfind("FAULT ", 0) == 0 ? line.substr(6) : "fault without a word";
  } else {
    run->end = End::kEmulator;
    run->text = line_with(console, "Lockup");
    if (run->text.empty())
      run->text = WIFSIGNALED(status) ? std::string("ended by signal ") + strsignal(WTERMSIG(status))
                                      : "ended with status " + std::to_string(WEXITSTATUS(status));
  }
}

}  // namespace

std::optional<std::filesystem::path> runner_image(const std::string& target) {
  std::string searched;
  const fs::path image = find_support_file(target + ".elf", &searched);
  return image.empty() ? std::nullopt : std::optional(image);
}

bool is_emulated_target(const std::string& target) { return find_board(target) != nullptr; }

EmulatorRun run_in_emulator(const std::string& target, const std::vector<uint8_t>& requests,
                            uint32_t time_limit_seconds) {
  const Board* board = find_board(target);
  if (board == nullptr) return not_started("there is no emulated board for " + target);
  std::string searched;
  const fs::path image = find_support_file(target + ".elf", &searched);
  if (image.empty()) return not_started("no runner image " + target + ".elf in " + searched + ": " + kBuildHint);
  searched.clear();
  const fs::path plugin = find_support_file("wick_counter.so", &searched);
  if (plugin.empty()) return not_started("no emulator plugin wick_counter.so in " + searched + ": " + kBuildHint);

  const TemporaryFolder folder;
  if (folder.path().empty() || !write_bytes(folder.path() / "requests", requests))
    return not_started("cannot write to the temporary folder: " + std::string(std::strerror(errno)));
  const char* emulator = std::getenv("WICK_QEMU");
  std::vector<std::string> arguments = {emulator != nullptr ? emulator : "qemu-system-arm",
                                        "-M",
                                        board->machine,
                                        "-nographic",
                                        "-monitor",
                                        "none",
                                        "-serial",
                                        "null",
                                        "-semihosting-config",
                                        "enable=on,target=native",
                                        "-plugin",
                                        option_text(plugin.string()) + ",out=markers",
                                        "-kernel",
                                        image.string()};
  const Child child = start(folder.path(), arguments);
  if (child.pid < 0) {
    if (child.start_error == ENOENT)
      return not_started(arguments[0] + " not found: apt-get install qemu-system-arm (scripts/setup.sh does it)");
    return not_started("cannot start " + arguments[0] + ": " + std::strerror(child.start_error));
  }
  EmulatorRun run;
  int status = 0;
  const bool ended = wait_for(child.pid, time_limit_seconds, &status);
  judge_end(ended, status, folder.path(), &run);
  run.replies = read_bytes(folder.path() / "replies");
  return run;
}

}  // namespace wick::host
