import CListPlugin
import Glibc
import ListEngine

/// Keys and values converted to C for a plugin, valid during the lifetime of this object.
final class RequestMemory {
  private var texts: [UnsafeMutablePointer<CChar>] = []

  deinit { texts.forEach { free($0) } }

  /// Returns a NUL-terminated copy of a text.
  func text(_ text: String) -> UnsafePointer<CChar> {
    let copy = strdup(text)!
    texts.append(copy)
    return UnsafePointer(copy)
  }

  func key(_ key: RowKey?) -> list_cell {
    switch key {
    case .integer(let value)?: list_integer(value)
    case .text(let value)?: cell(value)
    case nil: list_null()
    }
  }

  /// Converts an argument's value.
  func value(_ value: Cell) -> list_cell {
    switch value {
    case .integer(let integer): list_integer(integer)
    case .number(let number): list_number(number)
    case .boolean(let flag): list_boolean(flag ? 1 : 0)
    case .text(let text): cell(text)
    case .null, .timestamp, .image, .series: list_null()
    }
  }

  func place(_ cell: DeferredCell) -> list_place {
    list_place(key: key(cell.key), column: UInt32(cell.column), reserved: 0)
  }

  /// Copies all bytes of a text, which may include NULs, and appends a NUL.
  func bytes(_ text: String) -> UnsafePointer<CChar> {
    let bytes = Array(text.utf8)
    let copy = malloc(bytes.count + 1)!.assumingMemoryBound(to: CChar.self)
    bytes.withUnsafeBytes { if let base = $0.baseAddress { memcpy(copy, base, bytes.count) } }
    copy[bytes.count] = 0
    texts.append(copy)
    return UnsafePointer(copy)
  }

  /// Converts a text that may contain NULs, so its length is passed along.
  private func cell(_ text: String) -> list_cell {
    var cell = list_null()
    cell.type = LIST_TEXT.rawValue
    cell.length = UInt32(text.utf8.count)
    cell.text = bytes(text)
    return cell
  }
}
