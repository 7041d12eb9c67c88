import Foundation
import ListEngine
import Wire

/// An error in reading or writing a recording, for the operator to correct.
public enum RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file cannot be opened or read.
  case unreadable(String)
  /// The file is empty.
  case empty
  /// The file does not start like a recording.
  case noRecording
  /// The file is a trace of `rowcast plugin run --trace`.
  case trace
  /// The file ends before its first record.
  case cutOff
  /// The recording has an unsupported version.
  case wrongVersion(Int)
  /// The content at this offset is damaged.
  case damaged(atByte: UInt64)
  /// Writing the recording failed.
  case unwritable(String)

  /// A one-line message.
  public var description: String {
    switch self {
    case .unreadable(let reason): "reading the recording failed: \(reason)"
    case .empty: "the file is empty: nothing was recorded in it"
    case .noRecording: "this is not a recording: it does not begin with ROWCAST"
    case .trace: "this is the trace of a plugin, no recording: rowcast plugin replay shows it"
    case .cutOff: "the file ends before the first record of the recording: nothing was recorded in it"
    case .wrongVersion(let version):
      "the recording is of version \(version), and this rowcast reads "
        + "\(RecordingHeader.readableVersions.lowerBound) to \(RecordingHeader.currentVersion)"
    case .damaged(let place): "the recording is damaged at byte \(place)"
    case .unwritable(let reason): "writing the recording failed: \(reason)"
    }
  }
}

/// Reads a recording one record at a time; memory is bounded by the longest record.
struct RecordingReader {
  /// The recording's header.
  let header: RecordingHeader
  /// The read position; all bytes before it are valid.
  private(set) var place: UInt64
  /// Whether the file ends within a record, because its writer was terminated.
  private(set) var isTorn = false
  private let file: FileHandle

  /// Opens a recording.
  init(path: String) throws(RecordingError) {
    guard let file = FileHandle(forReadingAtPath: path) else { throw .unreadable(String(cString: strerror(errno))) }
    var status = stat()
    // Serving a recording reads the file twice, which only a regular file allows.
    guard fstat(file.fileDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .unreadable("it is not a regular file")
    }
    self.file = file
    let beginning = try Self.read(file, RecordingHeader.magic.count)
    guard beginning == RecordingHeader.magic else {
      if beginning.isEmpty { throw .empty }
      if beginning.starts(with: Array("{\"at\":".utf8)) { throw .trace }
      throw RecordingHeader.magic.starts(with: beginning) ? .cutOff : .noRecording
    }
    place = UInt64(RecordingHeader.magic.count)
    let contents: [UInt8]
    switch try Self.frame(file, at: place) {
    case .contents(let found): contents = found
    case .end, .torn: throw .cutOff
    }
    guard let version = try? JSONDecoder().decode(Version.self, from: Data(contents)) else {
      throw .damaged(atByte: place)
    }
    guard RecordingHeader.readableVersions.contains(version.version) else { throw .wrongVersion(version.version) }
    guard let header = try? JSONDecoder().decode(RecordingHeader.self, from: Data(contents)) else {
      throw .damaged(atByte: place)
    }
    self.header = header
    place += UInt64(8 + contents.count)
  }

  /// Returns the next record; `nil` at the end.
  mutating func next() throws(RecordingError) -> Record? {
    guard !isTorn else { return nil }
    switch try Self.frame(file, at: place) {
    case .end: return nil
    case .torn:
      isTorn = true
      return nil
    case .contents(let contents):
      guard let record = Record(decoding: contents) else { throw .damaged(atByte: place) }
      place += UInt64(8 + contents.count)
      return record
    }
  }

  private struct Version: Decodable {
    var version: Int
  }

  private enum Frame {
    case contents([UInt8])
    case end, torn
  }

  private static func frame(_ file: FileHandle, at place: UInt64) throws(RecordingError) -> Frame {
    let head = try read(file, 8)
    guard !head.isEmpty else { return .end }
    guard head.count == 8 else { return .torn }
    let (length, checksum) = head.withUnsafeBytes { numbers(in: $0) }
    guard length <= RecordingHeader.greatestFrame else { throw .damaged(atByte: place) }
    let contents = try read(file, Int(length))
    guard contents.count == Int(length) else {
      guard !isWhole(contents, checksum) else { throw .damaged(atByte: place) }
      return .torn
    }
    guard Checksum.of(contents) == checksum else { throw .damaged(atByte: place) }
    return .contents(contents)
  }

  /// Whether the end of the file is a complete record with a damaged length, not a truncated
  /// record.
  ///
  /// The record is complete if its checksum is right for some length, and another complete record
  /// or the end of the file follows.
  private static func isWhole(_ rest: [UInt8], _ checksum: UInt32) -> Bool {
    Checksum.lengths(rest, having: checksum).contains { count in
      let next = rest[count...]
      guard !next.isEmpty else { return true }
      guard next.count >= 8 else { return false }
      let (length, checksum) = next.withUnsafeBytes { numbers(in: $0) }
      return length <= next.count - 8 && Checksum.of(Array(next.dropFirst(8).prefix(Int(length)))) == checksum
    }
  }

  /// Returns the length and checksum at the start of a frame.
  private static func numbers(in head: UnsafeRawBufferPointer) -> (length: UInt32, checksum: UInt32) {
    (
      UInt32(littleEndian: head.loadUnaligned(as: UInt32.self)),
      UInt32(littleEndian: head.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    )
  }

  private static func read(_ file: FileHandle, _ count: Int) throws(RecordingError) -> [UInt8] {
    do {
      return count == 0 ? [] : Array(try file.read(upToCount: count) ?? Data())
    } catch {
      throw .unreadable("\(error)")
    }
  }
}
