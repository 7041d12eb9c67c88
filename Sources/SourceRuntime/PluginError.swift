/// The reason why a plugin failed to load or a source failed to start.
package enum PluginError: Error, Hashable, Sendable {
  // MARK: For the operator, who named the file or wrote the settings

  /// The path is relative.
  ///
  /// Plugin paths must be absolute, so that no search path decides which file is loaded.
  case relativePath(String)
  /// The file does not exist or is not accessible.
  case missingFile(String)
  /// The path names a folder, a device or another special file.
  case notRegularFile(String)
  /// Other users could have created or changed the file.
  ///
  /// The reason names the file or folder at fault.
  case untrusted(String, reason: String)
  /// The file's SHA-256 differs from the pinned one.
  case otherDigest(String, found: String, wanted: String)
  /// The plugin has crashed the process too often.
  ///
  /// `notes` is the path of the crash notes.
  case quarantined(String, times: Int, notes: String)
  /// The file to replay is not a valid trace.
  case noTrace(String, reason: String)
  /// A setting was refused.
  ///
  /// `key` is nil when the plugin did not report one.
  case badSetting(source: String, key: String?, message: String)

  // MARK: For the plugin's author

  /// The dynamic loader refused the file: not a shared library, a wrong architecture, or a missing
  /// symbol.
  case notALibrary(String, reason: String)
  /// The library exports no entry function.
  case noEntryPoint(String)
  /// The entry function returned NULL.
  case emptyEntry(String)
  /// The plugin was built for another version of the plugin interface.
  case wrongVersion(String, found: UInt32, wanted: UInt32)
  /// The plugin's description is shorter than its version requires.
  case wrongSize(String, found: Int, wanted: Int)
  /// A required function is NULL.
  case missingFunction(String, name: String)
  /// The plugin's name is NULL, empty, longer than 255 bytes or invalid UTF-8.
  case badName(String)
  /// The plugin's `create` returned no instance.
  case notCreated(source: String, message: String)

  // MARK: For the administrator of the machine

  /// The system failed to create a thread, with this error number.
  case noThread(source: String, code: Int32)
  /// No file descriptor is left for waking the source's threads.
  case noDescriptor(source: String)
}

extension PluginError: CustomStringConvertible {
  /// A sentence that names the file or the source and, where known, the remedy.
  package var description: String {
    switch self {
    case .relativePath(let path): "\(path): a plugin needs an absolute path"
    case .missingFile(let path): "\(path): no such file"
    case .notRegularFile(let path): "\(path): not a regular file"
    case .untrusted(let path, let reason): "\(path): not trusted: \(reason)"
    case .otherDigest(let path, let found, let wanted):
      "\(path): not the file that was pinned: its SHA-256 is \(found), and \(wanted) is wanted"
    case .quarantined(let path, let times, let notes):
      "\(path): in quarantine: it has crashed the server \(times) times; "
        + "it is loaded again when its file is another one, or its lines in \(notes) are gone"
    case .noTrace(let path, let reason): "\(path): \(reason)"
    case .badSetting(let source, let key?, let message): "\(source).\(key): \(message)"
    case .badSetting(let source, nil, let message): "\(source): \(message)"
    case .notALibrary(let path, let reason):
      "\(path): cannot be loaded: \(reason)"
        + (path.hasSuffix(".so") ? "" : "; a program must be one that is executable (chmod +x)")
    case .noEntryPoint(let path): "\(path): not a Rowcast plugin: it exports no list_plugin_entry_v1"
    case .emptyEntry(let path): "\(path): list_plugin_entry_v1 gave NULL"
    case .wrongVersion(let path, let found, let wanted):
      "\(path): built for version \(found) of list_plugin.h; this host speaks version \(wanted)"
    case .wrongSize(let path, let found, let wanted):
      "\(path): struct list_plugin has \(found) bytes, at least \(wanted) are needed"
    case .missingFunction(let path, let name): "\(path): list_plugin.\(name) is NULL"
    case .badName(let path): "\(path): list_plugin.name is invalid: it must be 1 to 255 bytes of UTF-8"
    case .notCreated(let source, let message):
      "\(source): the plugin made no instance" + (message.isEmpty ? "" : ": \(message)")
    case .noThread(let source, let code): "\(source): no thread to run it (error \(code))"
    case .noDescriptor(let source):
      "\(source): no file descriptor is left to run it: raise the limit (LimitNOFILE= in a systemd unit, ulimit -n)"
    }
  }
}
