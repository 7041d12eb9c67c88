// The settings of the program.

#ifndef LOGS_SETTINGS_H
#define LOGS_SETTINGS_H

#include <string>

#include "format.h"
#include "json.h"

namespace logs {

struct Settings {
  std::string path, command;
  FormatSettings format;
  bool hasParts = false, isMerged = false, isNewestFirst = true, follows = true;
  std::string zone = "local";
  size_t limit = 16384;
  uint64_t spoolBytes = 4096ull << 20;
  int threads = 2;

  /// The description of the settings for the host.
  static std::string schema();
  /// Reads the settings. Returns an error and the setting at fault, or an empty text.
  std::string read(JSON settings, std::string &setting);
};

}  // namespace logs

#endif
