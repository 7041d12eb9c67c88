import Glibc

/// The folder of the processes: lists the pids, and reads small files of theirs into one buffer.
final class ProcFolder {
  private let path: String
  private var folder: OpaquePointer?
  private let name = UnsafeMutablePointer<CChar>.allocate(capacity: 64)
  // A line of `stat` has some 400 bytes; of a command line, the first 4 KiB are enough for a table.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 16)

  init(_ path: String) { self.path = path }

  deinit {
    close()
    name.deallocate()
    buffer.deallocate()
  }

  /// Opens it and lists the pids in ascending order.
  func open() throws(ProcessReaderError) -> [Int32] {
    guard let folder = opendir(path) else { throw .cannotList(path, code: errno) }
    self.folder = folder
    var pids: [Int32] = []
    while let entry = readdir(folder) {
      let pid = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: UInt8.self, capacity: 256) { Self.pid($0) }
      }
      if let pid { pids.append(pid) }
    }
    // The kernel lists them so; another file system does not, and the order should not change by itself.
    pids.sort()
    return pids
  }

  func close() {
    if let folder { closedir(folder) }
    folder = nil
  }

  /// Whose process it is; nil when it has ended.
  ///
  /// The folder of a process tells its effective user. The files in it do not always: those of a process that must not be dumped
  /// belong to root.
  func owner(of pid: Int32) -> uid_t? {
    guard let folder else { return nil }
    write(pid, "")
    var status = stat()
    return fstatat(dirfd(folder), name, &status, 0) == 0 ? status.st_uid : nil
  }

  /// The beginning of a file of a process, or of the whole machine; nil when it is not there any more. Valid until the next one.
  func read(_ pid: Int32?, _ file: StaticString) -> UnsafeRawBufferPointer? {
    guard let folder else { return nil }
    write(pid, file)
    let descriptor = openat(dirfd(folder), name, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { Glibc.close(descriptor) }
    guard pid == nil else {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      return count < 0 ? nil : UnsafeRawBufferPointer(rebasing: buffer[0..<count])
    }
    // What is asked of the machine stands near the end of a long file: keep the last piece of it.
    var kept = 0
    while true {
      if kept == buffer.count {
        buffer.baseAddress!.copyMemory(from: buffer.baseAddress! + kept / 2, byteCount: kept - kept / 2)
        kept -= kept / 2
      }
      let count = Glibc.read(descriptor, buffer.baseAddress! + kept, buffer.count - kept)
      guard count > 0 else { return UnsafeRawBufferPointer(rebasing: buffer[0..<kept]) }
      kept += count
    }
  }

  /// The number that a name is; nil when it is none.
  private static func pid(_ name: UnsafePointer<UInt8>) -> Int32? {
    var value: Int32 = 0
    var place = 0
    while name[place] != 0 {
      guard (48...57).contains(name[place]), place < 9 else { return nil }
      value = value * 10 + Int32(name[place] - 48)
      place += 1
    }
    return place > 0 ? value : nil
  }

  /// Puts `PID/file` into `name`.
  private func write(_ pid: Int32?, _ file: StaticString) {
    var place = 0
    if let pid {
      var digits = 1
      var power: Int32 = 1
      while pid / power >= 10 {
        power *= 10
        digits += 1
      }
      for _ in 0..<digits {
        name[place] = CChar(48 + pid / power % 10)
        power /= 10
        place += 1
      }
      if file.utf8CodeUnitCount > 0 {
        name[place] = 47
        place += 1
      }
    }
    for index in 0..<file.utf8CodeUnitCount {
      name[place] = CChar(file.utf8Start[index])
      place += 1
    }
    name[place] = 0
  }
}
