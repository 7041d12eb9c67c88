import Glibc

/// The file in which tokens lie: only its owner may read it.
///
/// A line is a role and a token; empty lines and those that begin with `#` are passed over.
///
///     operator 8XwJ...
///     viewer   pQ2k...
public enum TokenFile {
  /// Why a file's tokens are not used: the operator's fault, or the world's.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is not there.
    case missing(String)
    /// It is there and cannot be read, or is no plain file.
    case unreadable(String)
    /// Others than its owner may read or change it, or it is somebody else's.
    case exposed(String)
    /// A folder that belongs to another user, or that others may write to.
    case exposedFolder(String)
    /// A line is not as it should be. What stands in it is not repeated.
    case badLine(String, line: Int)
    /// There is no token in it.
    case empty(String)
    /// It cannot be made.
    case notWritten(String)

    /// One line for people.
    public var description: String {
      switch self {
      case .missing(let path): "there is no token file at \(path)"
      case .unreadable(let path): "the token file \(path) cannot be read"
      case .exposed(let path): "the token file \(path) must be yours, and no one else's to read or write (chmod 600)"
      case .exposedFolder(let path): "the folder \(path) must be yours, and writable by nobody else (chmod 700)"
      case .badLine(let path, let line):
        "\(path):\(line): a line is “operator TOKEN” or “viewer TOKEN”, the token "
          + "\(AccessToken.leastLength) to \(AccessToken.greatestLength) letters, digits, - and _"
      case .empty(let path): "the token file \(path) has no token in it"
      case .notWritten(let path): "the token file \(path) cannot be written"
      }
    }
  }

  private static let greatestByteCount = 65_536
  private static let greatestTokenCount = 64

  /// Reads the tokens of a file.
  public static func read(_ path: String) throws(Failure) -> [AccessToken] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard file >= 0 else { throw errno == ENOENT ? .missing(path) : .unreadable(path) }
    defer { close(file) }
    // What is looked at is what was opened, whatever has come to the path since.
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

  /// Writes tokens into a new file that only its owner may read; what was there is replaced as a whole.
  public static func write(_ tokens: [AccessToken], to path: String) throws(Failure) {
    let text =
      "# Whoever has one of these is let in by rowcast.\n"
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

  /// The path of the token file that a server on this address makes and keeps across restarts.
  ///
  /// Creates the folder if it is missing.
  public static func standardPath(for address: ListenAddress, port: Int) throws(Failure) -> String {
    let folder = try stateFolder()
    if case .unix(let path) = address {
      return "\(folder)/\(Base64URL.encode(Cryptography.digest(Array(path.utf8))).prefix(16)).token"
    }
    return "\(folder)/\(port).token"
  }

  /// The folder for what must survive a restart of the server. Only its owner may write to it; created if missing.
  public static func stateFolder() throws(Failure) -> String {
    let folder = stateFolderPath
    // Creates the missing parents, as `mkdir -p` does.
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

  /// The same, without symbolic links; `nil` if it is missing. Nothing is created.
  public static var realStateFolder: String? { real(stateFolderPath) }

  /// A path without symbolic links; `nil` if nothing is there.
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
    // Set by systemd for `StateDirectory=`; may list several folders. With `DynamicUser=` it is a link that systemd has made.
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
