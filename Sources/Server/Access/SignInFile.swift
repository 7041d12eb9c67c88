import Glibc

/// The file through which a server and `rowcast sessions` share the sign-ins; it is next to the
/// token file.
///
/// Each access holds the file's lock, so that no process overwrites what another has just written.
public enum SignInFile {
  /// The maximum size in bytes of a file that is read.
  private static let greatestByteCount = 4 << 20

  /// The path of the file for the server with this token file.
  public static func path(besideTokens path: String) -> String { "\(path).sessions" }

  /// Merges sign-ins with those of the file, applies a change, and writes the result.
  ///
  /// - Parameters:
  ///   - now: Milliseconds since 1970.
  /// - Returns: The sign-ins that the file holds now; `nil` if reading or writing it fails, or if
  /// it is not a plain file of this user.
  public static func update(
    _ path: String, with own: SignIns = SignIns(), at now: Int64, _ change: (inout SignIns) -> Void = { _ in }
  ) -> SignIns? {
    let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      status.st_mode & 0o077 == 0, status.st_size <= greatestByteCount, flock(file, LOCK_EX) == 0
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 65_536)
    let count = pread(file, &bytes, bytes.count, 0)
    guard count >= 0 else { return nil }
    let previous = String(decoding: bytes[..<count], as: UTF8.self)
    var merged = SignIns(text: previous, at: now)
    merged.merge(own, at: now)
    change(&merged)
    let text = merged.text
    if text == previous { return merged }
    let written = Array(text.utf8)
    guard pwrite(file, written, written.count, 0) == written.count, ftruncate(file, off_t(written.count)) == 0 else {
      return nil
    }
    return merged
  }
}
