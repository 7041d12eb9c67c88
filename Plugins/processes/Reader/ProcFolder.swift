import Glibc

/// The `/proc` folder: lists process ids and reads files into one shared buffer.
final class ProcFolder {
  private let path: String
  private var folder: OpaquePointer?
  private let name = UnsafeMutablePointer<CChar>.allocate(capacity: 64)
  // A line of `stat` has about 400 bytes. The first 4 KiB of a command line are enough.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 16)

  init(_ path: String) { self.path = path }

  deinit {
    close()
    name.deallocate()
    buffer.deallocate()
  }

  /// Opens the folder and returns the process ids in ascending order.
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
    // procfs lists ids in order, but other file systems do not, and the order must be stable.
    pids.sort()
    return pids
  }

  func close() {
    if let folder { closedir(folder) }
    folder = nil
  }

  /// Returns the owner of a process; nil if it has ended.
  ///
  /// The owner of the folder is the effective user. Files in it may belong to root instead, if the
  /// process is not dumpable.
  func owner(of pid: Int32) -> uid_t? {
    guard let folder else { return nil }
    write(pid, "")
    var status = stat()
    return fstatat(dirfd(folder), name, &status, 0) == 0 ? status.st_uid : nil
  }

  /// Reads the start of a process's file, or the end of a machine-wide file; nil if it does not
  /// exist.
  ///
  /// The result is valid until the next call.
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
    // The wanted line of the machine-wide file is near its end, so keep the last part.
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

  /// Returns the process id that a file name contains, or nil.
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

  /// Stores `PID/file` in `name`.
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
