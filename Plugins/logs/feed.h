// The output of a command, kept in temporary files of bounded size.

#ifndef LOGS_FEED_H
#define LOGS_FEED_H

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "part.h"

namespace logs {

/// Runs a command and appends what it writes to a temporary file. When the file has its size,
/// another one follows. A command that fails is run again after a pause.
class Feed {
 public:
  Feed(std::string command, uint64_t fileBytes) : command_(std::move(command)), fileBytes_(fileBytes) {}

  /// Starts the command on a thread of its own.
  void start();
  /// Ends the command; called at the end of the process.
  void stop();

  struct File {
    std::shared_ptr<Descriptor> file;
    uint64_t size = 0;
    int number = 0;
  };
  /// The file that is written now.
  File current();
  /// Waits until there is a line and the command pauses, or there are many. Returns false after a
  /// while without.
  bool waitForLines(File &file);
  /// The state of the command: empty while it runs.
  std::string state();

  /// The callback for a growth, with the file that grew.
  std::function<void(const File &)> onGrowth;

 private:
  void run();
  void runOnce();
  void append(const char *bytes, size_t length);
  void setState(const std::string &state);

  std::string command_;
  uint64_t fileBytes_;
  std::mutex mutex_;
  std::condition_variable change_;
  File file_;
  std::string state_;
  bool isComplete_ = false;
  std::atomic<pid_t> process_{0};
};

}  // namespace logs

#endif
