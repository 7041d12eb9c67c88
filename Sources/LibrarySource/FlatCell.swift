import CListPlugin

/// One `list_cell`, read from a plugin's buffer.
///
/// The three words are read at fixed offsets, which `layout.c` asserts. Swift has no cheaper access
/// to a C union.
struct FlatCell {
  let type: UInt32
  let length: UInt32
  let payload: UInt64

  /// Reads the cell at the given index.
  @inline(__always)
  init(_ cells: UnsafeRawPointer, _ index: Int) {
    let place = cells + index * MemoryLayout<list_cell>.stride
    type = place.load(as: UInt32.self)
    length = place.load(fromByteOffset: 4, as: UInt32.self)
    payload = place.load(fromByteOffset: 8, as: UInt64.self)
  }

  @inline(__always)
  var integer: Int64 { Int64(bitPattern: payload) }

  /// Returns the bytes of a text or an image key.
  @inline(__always)
  func bytes(_ count: UInt32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: UInt(payload)), count: payload == 0 ? 0 : Int(count))
  }

  /// The numbers of a series.
  var numbers: UnsafeBufferPointer<Double> {
    UnsafeBufferPointer(
      start: length == 0 ? nil : UnsafePointer<Double>(bitPattern: UInt(payload)), count: payload == 0 ? 0 : Int(length)
    )
  }

  /// Returns the number of bytes that the cell refers to, or nil when the cell is malformed.
  @inline(__always)
  func byteCount(limit: Int) -> Int? {
    switch type {
    case LIST_TEXT.rawValue, LIST_IMAGE.rawValue:
      return length == 0 || (payload != 0 && length <= limit) ? Int(length) : nil
    case LIST_SERIES.rawValue:
      let bytes = Int(length) * MemoryLayout<Double>.stride
      return length == 0 || (payload != 0 && payload % 8 == 0 && bytes <= limit) ? bytes : nil
    default:
      return type <= LIST_SERIES.rawValue ? 0 : nil
    }
  }

  /// Describes why the cell is malformed, or returns nil when it is valid.
  func fault(limit: Int) -> String? {
    guard byteCount(limit: limit) == nil else { return nil }
    switch type {
    case LIST_TEXT.rawValue, LIST_IMAGE.rawValue:
      return payload == 0 ? "is NULL with \(length) bytes" : "has \(length) bytes, more than \(limit)"
    case LIST_SERIES.rawValue:
      if payload == 0 { return "is NULL with \(length) numbers" }
      if payload % 8 != 0 { return "is a series that is not aligned" }
      return "has \(length) numbers, more than \(limit / MemoryLayout<Double>.stride)"
    default:
      return "has the unknown type \(type)"
    }
  }
}
