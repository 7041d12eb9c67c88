import Glibc

/// The members of a process group, read from /proc.
enum ProcessGroup {
  /// Returns the running processes of a group, without its leader and without zombies.
  static func members(of leader: pid_t) -> [pid_t] {
    guard let folder = opendir("/proc") else { return [] }
    defer { closedir(folder) }
    var members: [pid_t] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard let number = pid_t(name), number != leader, let (state, group) = status(number) else { continue }
      if group == leader, state != "Z", state != "X" { members.append(number) }
    }
    return members
  }

  /// Reads the state and group from /proc/N/stat, after the name, which may contain blanks and
  /// brackets.
  private static func status(_ number: pid_t) -> (state: Substring, group: pid_t)? {
    let file = open("/proc/\(number)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 512)
    let count = read(file, &buffer, buffer.count)
    guard count > 0 else { return nil }
    let text = String(decoding: buffer[..<count], as: UTF8.self)
    guard let bracket = text.lastIndex(of: ")") else { return nil }
    let fields = text[text.index(after: bracket)...].split(separator: " ")
    guard fields.count > 2, let group = pid_t(fields[2]) else { return nil }
    return (fields[0], group)
  }
}
