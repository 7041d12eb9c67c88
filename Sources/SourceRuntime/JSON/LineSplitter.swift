import CSimdjson
import Glibc

/// Splits a byte stream into lines, skipping overlong ones without storing them.
///
///     var lines = LineSplitter()
///     let room = lines.room()
///     let count = read(file, room.baseAddress, room.count)
///     lines.take(count)
///     while let line = lines.next() { ... }     // valid until the next take
///
/// The memory is bounded by the longest line. ``JSONParser/padding`` bytes behind each line are
/// readable.
package struct LineSplitter: ~Copyable {
  /// One line without its line break.
  package enum Line {
    /// A complete line, with its number counted from 1.
    case whole(UnsafeRawBufferPointer, number: Int)
    /// A line above the limit, whose content was dropped.
    case tooLong(number: Int)
  }

  /// The maximum length of a line in bytes, without its line break.
  package let limit: Int
  private let chunk: Int
  private var buffer: UnsafeMutableRawPointer
  /// The size of the buffer in bytes.
  package private(set) var capacity: Int
  /// The offset of the first byte after the lines returned so far.
  private var start = 0
  /// The offset of the first byte not yet searched for a line break.
  private var seen = 0
  private var end = 0
  /// Whether the input is in the middle of an overlong line.
  private var isSkipping = false
  package private(set) var number = 0

  /// Creates a splitter for lines of at most `limit` bytes, read in chunks of about `chunk` bytes.
  package init(limit: Int = 1 << 20, chunk: Int = 1 << 16) {
    precondition(limit > 0 && chunk > 0, "lines of \(limit) bytes read in pieces of \(chunk)")
    self.limit = limit
    self.chunk = chunk
    capacity = 2 * chunk
    buffer = .allocate(byteCount: capacity + JSONParser.padding, alignment: 64)
  }

  deinit { buffer.deallocate() }

  /// Returns the buffer for the next read.
  ///
  /// It is never empty.
  package mutating func room() -> UnsafeMutableRawBufferPointer {
    if start > 0 {
      memmove(buffer, buffer + start, end - start)
      seen -= start
      end -= start
      start = 0
    }
    shrink()
    if capacity - end < chunk { resize(to: capacity * 2) }
    return UnsafeMutableRawBufferPointer(start: buffer + end, count: capacity - end)
  }

  /// Releases the memory of a long line if no input is pending, because the next input may take a
  /// long time.
  ///
  /// Lines returned by ``next()`` become invalid.
  package mutating func shrink() {
    guard end == start, capacity > 4 * chunk else { return }
    (start, seen, end) = (0, 0, 0)
    resize(to: 2 * chunk)
  }

  private mutating func resize(to wanted: Int) {
    let larger = UnsafeMutableRawPointer.allocate(byteCount: wanted + JSONParser.padding, alignment: 64)
    memcpy(larger, buffer, end)
    buffer.deallocate()
    buffer = larger
    capacity = wanted
  }

  /// Adds the bytes read into ``room()``.
  package mutating func take(_ count: Int) { end += count }

  /// Returns the next complete line, or `nil` when there is none.
  package mutating func next() -> Line? {
    while true {
      guard let newline = memchr(buffer + seen, 0x0A, end - seen) else {
        seen = end
        if end - start > limit + 1 { isSkipping = true }  // 1 for a carriage return
        if isSkipping { start = end }
        return nil
      }
      let first = start
      let last = newline - buffer
      start = last + 1
      seen = start
      return line(first, last)
    }
  }

  /// Returns the text after the last line break at the end of the input; `nil` when it is empty.
  package mutating func rest() -> Line? {
    guard end > start || isSkipping else { return nil }
    let first = start
    start = end
    seen = end
    return line(first, end)
  }

  /// Whether the input is in the middle of a line.
  package var isInsideLine: Bool { end > start || isSkipping }

  private mutating func line(_ first: Int, _ last: Int) -> Line {
    number += 1
    defer { isSkipping = false }
    // Strip the carriage return of Windows line endings.
    let isReturned = last > first && buffer.load(fromByteOffset: last - 1, as: UInt8.self) == 0x0D
    let count = last - first - (isReturned ? 1 : 0)
    guard !isSkipping, count <= limit else { return .tooLong(number: number) }
    return .whole(UnsafeRawBufferPointer(start: buffer + first, count: count), number: number)
  }
}
