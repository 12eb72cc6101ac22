// See child_process.h.
#include "host/child_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "files/failure.h"

namespace wick::host {

ChildResult run_child(const std::vector<std::string>& arguments, const std::filesystem::path& folder) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) files::fail(arguments[0], ": cannot be started: ", std::strerror(errno));
  const std::string directory = folder.string();
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(out[1], STDERR_FILENO);
    if (chdir(directory.c_str()) == 0) execvp(pointers[0], pointers.data());
    const char* why = std::strerror(errno);
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, why, std::strlen(why));
    _exit(127);
  }
  close(out[1]);
  if (pid < 0) {
    close(out[0]);
    files::fail(arguments[0], ": cannot be started: ", std::strerror(errno));
  }
  ChildResult result;
  char buffer[4096];
  for (ssize_t got; (got = read(out[0], buffer, sizeof(buffer))) != 0;) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) result.output.append(buffer, static_cast<size_t>(got));
  }
  close(out[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::optional<std::filesystem::path> find_in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path file = std::filesystem::path(folder) / name;
    if (access(file.c_str(), X_OK) == 0 && !std::filesystem::is_directory(file)) return file;
  }
  return std::nullopt;
}

}  // namespace wick::host
