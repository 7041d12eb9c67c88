import CSimdjson
import Glibc

/// Cuts a stream of bytes into lines, and skips those that are too long without keeping them.
///
///     var lines = LineSplitter()
///     let count = read(file, lines.room.baseAddress, lines.room.count)
///     lines.take(count)
///     while let line = lines.next() { ... }     // valid until the next take
///
/// What it keeps is bounded by the longest line. Behind each line ``JSONParser/padding`` bytes can be read.
struct LineSplitter: ~Copyable {
  /// One line without its end.
  enum Line {
    /// With the number that people count: the first line is 1.
    case whole(UnsafeRawBufferPointer, number: Int)
    /// It had more bytes than a line may have; where it ended is known, what it said is not.
    case tooLong(number: Int)
  }

  /// How many bytes a line may have, without its end.
  let limit: Int
  private let chunk: Int
  private var buffer: UnsafeMutableRawPointer
  /// How many bytes it has room for.
  private(set) var capacity: Int
  /// Where the first byte lies that belongs to no line yet that was given out.
  private var start = 0
  /// Bytes from here on were not looked at.
  private var seen = 0
  private var end = 0
  /// In the middle of a line that is too long.
  private var isSkipping = false
  private(set) var number = 0

  /// For lines of at most this many bytes, read in pieces of about this size.
  init(limit: Int = 1 << 20, chunk: Int = 1 << 16) {
    precondition(limit > 0 && chunk > 0, "lines of \(limit) bytes read in pieces of \(chunk)")
    self.limit = limit
    self.chunk = chunk
    capacity = 2 * chunk
    buffer = .allocate(byteCount: capacity + JSONParser.padding, alignment: 64)
  }

  deinit { buffer.deallocate() }

  /// Where the next bytes are to be read to; never empty.
  mutating func room() -> UnsafeMutableRawBufferPointer {
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

  /// Gives back what a long line has taken, when nothing waits: nobody knows when the next bytes come. What ``next()`` gave is not valid then.
  mutating func shrink() {
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

  /// So many bytes were read.
  mutating func take(_ count: Int) { end += count }

  /// The next line, when it is there as a whole.
  mutating func next() -> Line? {
    while true {
      guard let newline = memchr(buffer + seen, 0x0A, end - seen) else {
        seen = end
        if end - start > limit + 1 { isSkipping = true }  // one for a return
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

  /// What stands behind the last line's end, when nothing more will come; `nil` when that is nothing.
  mutating func rest() -> Line? {
    guard end > start || isSkipping else { return nil }
    let first = start
    start = end
    seen = end
    return line(first, end)
  }

  /// Whether the beginning of a line has come, and not its end.
  var isInsideLine: Bool { end > start || isSkipping }

  private mutating func line(_ first: Int, _ last: Int) -> Line {
    number += 1
    defer { isSkipping = false }
    // Lines may end as on Windows.
    let isReturned = last > first && buffer.load(fromByteOffset: last - 1, as: UInt8.self) == 0x0D
    let count = last - first - (isReturned ? 1 : 0)
    guard !isSkipping, count <= limit else { return .tooLong(number: number) }
    return .whole(UnsafeRawBufferPointer(start: buffer + first, count: count), number: number)
  }
}
