#include "vargp/data/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "vargp/core/error.h"

extern char** environ;

namespace vargp {

ProcessResult run_process(const std::vector<std::string>& command,
                          const std::filesystem::path& folder) {
  VARGP_CHECK(!command.empty());
  std::vector<std::string> words = command;  // execvp's arguments are not const
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  int ends[2];
  const bool piped = pipe2(ends, O_CLOEXEC) == 0;
  require(piped, "cannot start {}: {}", command[0], std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);

  ProcessResult result;
  if (error == 0) {
    char buffer[4096];
    ssize_t n = 0;
    while ((n = read(ends[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))
      if (n > 0) result.output.append(buffer, static_cast<std::size_t>(n));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.started = true;
  }
  close(ends[0]);
  require(error == 0 || error == ENOENT, "cannot start {}: {}", command[0], std::strerror(error));
  return result;
}

}  // namespace vargp
