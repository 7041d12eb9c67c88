// The lines to and from the host.

#ifndef LOGS_CONVERSATION_H
#define LOGS_CONVERSATION_H

#include <mutex>
#include <string>

#include "text.h"

namespace logs {

/// Writes messages, one line at a time, from any thread.
class Conversation {
 public:
  void send(const std::string &line);
  /// Reports a state. Equal reports are sent once.
  void state(bool isStale, const std::string &message);
  void refuse(const std::string &setting, const std::string &reason);
  /// Writes to the server's log.
  static void log(const std::string &line);

 private:
  std::mutex mutex_;
  std::string lastState_;
};

/// Reads lines of standard input.
class LineReader {
 public:
  /// Returns false at the end of the input.
  bool next(std::string &line);

 private:
  std::string buffer_;
  size_t from_ = 0;
};

}  // namespace logs

#endif
