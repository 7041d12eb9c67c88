import Glibc
import Wire

/// A file of tokens that only its owner may read.
///
/// Each line consists of a role and a token; empty lines and lines that begin with `#` are ignored.
///
///     operator 8XwJ...
///     viewer   pQ2k...
public enum TokenFile {
  /// A problem with a token file.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file does not exist.
    case missing(String)
    /// The file is not readable or not a regular file.
    case unreadable(String)
    /// The file has another owner, or permissions for other users.
    case exposed(String)
    /// The folder has another owner, or is writable for other users.
    case exposedFolder(String)
    /// A line is malformed; its content is not repeated, because it may be secret.
    case badLine(String, line: Int)
    /// The file contains no tokens.
    case empty(String)
    /// The file is not writable.
    case notWritten(String)

    /// A description of the error for operators.
    public var description: String {
      switch self {
      case .missing(let path): "missing token file: \(path)"
      case .unreadable(let path): "reading the token file \(path) failed"
      case .exposed(let path): "the token file \(path) must be yours, and no one else's to read or write (chmod 600)"
      case .exposedFolder(let path): "the folder \(path) must be yours, and writable by you only (chmod 700)"
      case .badLine(let path, let line):
        "\(path):\(line): a line is “operator TOKEN”, “viewer TOKEN” or “writer TOKEN”, the token "
          + "\(AccessToken.leastLength) to \(AccessToken.greatestLength) letters, digits, - and _"
      case .empty(let path): "the token file \(path) has no token in it"
      case .notWritten(let path): "writing the token file \(path) failed"
      }
    }
  }

  private static let greatestByteCount = 65_536
  private static let greatestTokenCount = 64

  /// Reads the tokens from a file.
  public static func read(_ path: String) throws(Failure) -> [AccessToken] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard file >= 0 else { throw errno == ENOENT ? .missing(path) : .unreadable(path) }
    defer { close(file) }
    // Check the open file, because the path may have been replaced meanwhile.
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .unreadable(path) }
    guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o077 == 0 else { throw .exposed(path) }
    var bytes = [UInt8](repeating: 0, count: greatestByteCount + 1)
    let count = Glibc.read(file, &bytes, bytes.count)
    guard count >= 0, count <= greatestByteCount else { throw .unreadable(path) }
    return try tokens(in: String(decoding: bytes[..<count], as: UTF8.self), of: path)
  }

  private static func tokens(in text: String, of path: String) throws(Failure) -> [AccessToken] {
    var tokens: [AccessToken] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.split(whereSeparator: \.isWhitespace)
      if words.isEmpty || line.hasPrefix("#") { continue }
      guard words.count == 2, let role = Role(rawValue: String(words[0])),
        let token = AccessToken(role: role, text: String(words[1])), tokens.count < greatestTokenCount
      else { throw .badLine(path, line: number + 1) }
      tokens.append(token)
    }
    guard !tokens.isEmpty else { throw .empty(path) }
    return tokens
  }

  /// Writes tokens to a file that only its owner may read, replacing it atomically.
  public static func write(_ tokens: [AccessToken], to path: String) throws(Failure) {
    let text =
      "# Each line is a token that gives access to rowcast.\n"
      + tokens.map { "\($0.role.rawValue) \($0.text)\n" }.joined()
    let draft = path + ".\(getpid())"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .notWritten(path) }
    let bytes = Array(text.utf8)
    let isWritten = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress!, $0.count) } == bytes.count
    close(file)
    guard isWritten, rename(draft, path) == 0 else {
      unlink(draft)
      throw .notWritten(path)
    }
  }

  /// Returns the path of the token file that a server on this address keeps across restarts.
  ///
  /// The folder is created if it is missing.
  public static func standardPath(for address: ListenAddress, port: Int) throws(Failure) -> String {
    let folder = try stateFolder()
    if case .unix(let path) = address {
      return "\(folder)/\(Base64.url.text(of: Cryptography.digest(Array(path.utf8))).prefix(16)).token"
    }
    return "\(folder)/\(port).token"
  }

  /// Returns the folder for persistent state, writable only for its owner; created if missing.
  public static func stateFolder() throws(Failure) -> String {
    let folder = stateFolderPath
    // Create the missing parents, like `mkdir -p`.
    var path = ""
    for part in folder.split(separator: "/") {
      path += "/\(part)"
      mkdir(path, 0o700)
    }
    var status = stat()
    guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { throw .notWritten(folder) }
    guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else { throw .exposedFolder(folder) }
    return folder
  }

  /// The resolved path of the state folder; `nil` if it is missing.
  public static var realStateFolder: String? { real(stateFolderPath) }

  /// Returns the resolved path, or `nil` if it does not exist.
  public static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  private static var stateFolderPath: String {
    func variable(_ name: String) -> String? {
      guard let value = getenv(name).map({ String(cString: $0) }), value.hasPrefix("/") else { return nil }
      return value
    }
    // Set by systemd for `StateDirectory=`; may list several folders. With `DynamicUser=` it is a
    // symbolic link.
    if let folders = variable("STATE_DIRECTORY") {
      let folder = folders.split(separator: ":").first.map(String.init) ?? folders
      guard let path = realpath(folder, nil) else { return folder }
      defer { free(path) }
      return String(cString: path)
    }
    if let folder = variable("XDG_STATE_HOME") { return "\(folder)/rowcast" }
    return "\(variable("HOME") ?? "/root")/.local/state/rowcast"
  }
}
