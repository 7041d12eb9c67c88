/// Why a plugin cannot be loaded, or a source not be started.
public enum PluginError: Error, Hashable, Sendable {
  // MARK: For the operator, who named the file or wrote the settings

  /// A path must begin at the root, so that no search path decides which file is loaded.
  case relativePath(String)
  /// There is no such file, or it may not be looked at.
  case missingFile(String)
  /// A folder, a device or the like.
  case notRegularFile(String)
  /// Others could have put it there or changed it; the reason begins with what it is about.
  case untrusted(String, reason: String)
  /// It is not the file whose SHA-256 was written down.
  case otherDigest(String, found: String, wanted: String)
  /// It has crashed the process too often; `notes` is where that stands.
  case quarantined(String, times: Int, notes: String)
  /// A file that was to be told again is no trace.
  case noTrace(String, reason: String)
  /// A setting was refused; `key` is nil when the plugin did not say which.
  case badSetting(source: String, key: String?, message: String)

  // MARK: For the plugin's author

  /// The dynamic loader refuses the file: no shared library, another machine's, or a symbol is missing.
  case notALibrary(String, reason: String)
  /// It exports no entry function.
  case noEntryPoint(String)
  /// Its entry function gave nothing.
  case emptyEntry(String)
  /// It was built for another version of the border.
  case wrongVersion(String, found: UInt32, wanted: UInt32)
  /// Its description is shorter than its version says.
  case wrongSize(String, found: Int, wanted: Int)
  /// A function that every plugin must have is NULL.
  case missingFunction(String, name: String)
  /// Its name is NULL, empty, longer than 255 bytes or not UTF-8.
  case badName(String)
  /// `create` gave no instance.
  case notCreated(source: String, message: String)

  // MARK: For whoever runs the machine

  /// The system gave no thread, with this error number.
  case noThread(source: String, code: Int32)
  /// No file descriptor was left to wake its threads with.
  case noDescriptor(source: String)
}

extension PluginError: CustomStringConvertible {
  /// A sentence that names the file or the source, and what to do where that is known.
  public var description: String {
    switch self {
    case .relativePath(let path): "\(path): a plugin needs an absolute path"
    case .missingFile(let path): "\(path): no such file"
    case .notRegularFile(let path): "\(path): not a regular file"
    case .untrusted(let path, let reason): "\(path): not trusted: \(reason)"
    case .otherDigest(let path, let found, let wanted):
      "\(path): not the file that was pinned: its SHA-256 is \(found), and \(wanted) is wanted"
    case .quarantined(let path, let times, let notes):
      "\(path): in quarantine: it has crashed the server \(times) times; it is loaded again when its file is another one, or its lines in \(notes) are gone"
    case .noTrace(let path, let reason): "\(path): \(reason)"
    case .badSetting(let source, let key?, let message): "\(source).\(key): \(message)"
    case .badSetting(let source, nil, let message): "\(source): \(message)"
    case .notALibrary(let path, let reason):
      "\(path): cannot be loaded: \(reason)"
        + (path.hasSuffix(".so") ? "" : "; a program must be one that may be run (chmod +x)")
    case .noEntryPoint(let path): "\(path): not a Rowcast plugin: it exports no list_plugin_entry_v1"
    case .emptyEntry(let path): "\(path): list_plugin_entry_v1 gave NULL"
    case .wrongVersion(let path, let found, let wanted):
      "\(path): built for version \(found) of list_plugin.h; this host speaks version \(wanted)"
    case .wrongSize(let path, let found, let wanted):
      "\(path): struct list_plugin has \(found) bytes, at least \(wanted) are needed"
    case .missingFunction(let path, let name): "\(path): list_plugin.\(name) is NULL"
    case .badName(let path): "\(path): list_plugin.name is no name: it must be 1 to 255 bytes of UTF-8"
    case .notCreated(let source, let message):
      "\(source): the plugin made no instance" + (message.isEmpty ? "" : ": \(message)")
    case .noThread(let source, let code): "\(source): no thread to run it (error \(code))"
    case .noDescriptor(let source):
      "\(source): no file descriptor is left to run it: raise the limit (LimitNOFILE= in a systemd unit, ulimit -n)"
    }
  }
}
