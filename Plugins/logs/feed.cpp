#include "feed.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "follower.h"

extern char **environ;

namespace logs {

/// The pauses before a failed command is run again, in milliseconds.
static constexpr int firstPause = 500, longestPause = 30'000;

void Feed::start() {
  file_.file = openTemporary();
  if (!file_.file) {
    setState("no temporary file can be made for the command (TMPDIR)");
    return;
  }
  std::thread([this] { run(); }).detach();
}

void Feed::stop() {
  pid_t process = process_;
  if (process > 0) kill(process, SIGTERM);
  // What it has started in turn, if the group is this program's alone.
  if (getpgrp() == getpid()) {
    signal(SIGTERM, SIG_IGN);
    kill(0, SIGTERM);
  }
}

Feed::File Feed::current() {
  std::lock_guard<std::mutex> lock(mutex_);
  return file_;
}

std::string Feed::state() {
  std::lock_guard<std::mutex> lock(mutex_);
  return state_;
}

void Feed::setState(const std::string &state) {
  std::lock_guard<std::mutex> lock(mutex_);
  state_ = state;
  change_.notify_all();
}

bool Feed::waitForLines(File &file) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (file_.size == 0) change_.wait_for(lock, std::chrono::milliseconds(500));
  if (file_.size == 0) return false;
  // Lines that come at once belong to the sample.
  while (file_.size < 65536 && change_.wait_for(lock, std::chrono::milliseconds(300)) == std::cv_status::no_timeout) continue;
  file = file_;
  return true;
}

void Feed::run() {
  int pause = firstPause;
  while (true) {
    auto began = std::chrono::steady_clock::now();
    runOnce();
    if (isComplete_) return;
    if (std::chrono::steady_clock::now() - began > std::chrono::seconds(10)) pause = firstPause;
    poll(nullptr, 0, pause);
    pause = std::min(longestPause, pause * 2);
  }
}

void Feed::runOnce() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return setState(std::string("the command was not started: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const char *arguments[] = {"/bin/sh", "-c", command_.c_str(), nullptr};
  pid_t process = 0;
  int error = posix_spawn(&process, "/bin/sh", &actions, &attributes, const_cast<char **>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  Descriptor output(ends[0]);
  if (error != 0) return setState(std::string("the command was not started: ") + std::strerror(error));
  process_ = process;
  setState("");
  std::vector<char> buffer(1 << 18);
  while (true) {
    ssize_t got = read(output.number(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    append(buffer.data(), static_cast<size_t>(got));
  }
  int status = 0;
  waitpid(process, &status, 0);
  process_ = 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    isComplete_ = true;
    setState("the command has ended");
  } else if (WIFEXITED(status)) {
    setState("the command ended with code " + std::to_string(WEXITSTATUS(status)) + " and is run again");
  } else {
    setState("the command was ended by signal " + std::to_string(WTERMSIG(status)) + " and is run again");
  }
}

void Feed::append(const char *bytes, size_t length) {
  // A file ends with a whole line, if one of a usual length comes.
  while (length > 0) {
    size_t part = length;
    bool isFull = false;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (file_.size + length >= fileBytes_) {
        const void *feed = memrchr(bytes, '\n', length);
        isFull = feed != nullptr || file_.size + length >= 2 * fileBytes_;
        if (feed != nullptr) part = static_cast<size_t>(static_cast<const char *>(feed) - bytes) + 1;
      }
    }
    size_t done = 0;
    while (done < part) {
      ssize_t written = write(file_.file->number(), bytes + done, part - done);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        return setState(std::string("lines are lost; writing the temporary file failed: ") +
                        std::strerror(errno));
      }
      done += static_cast<size_t>(written);
    }
    bytes += part;
    length -= part;
    File file;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      file_.size += part;
      file = file_;
      change_.notify_all();
    }
    if (onGrowth) onGrowth(file);
    if (!isFull) continue;
    auto next = openTemporary();
    if (!next) continue;
    std::lock_guard<std::mutex> lock(mutex_);
    file_ = {next, 0, file_.number + 1};
  }
}

}  // namespace logs
