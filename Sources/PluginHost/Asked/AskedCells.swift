import CListPlugin
import Glibc
import ListEngine

/// Keys and values on their way to a plugin, as cells of C; valid as long as this lives.
final class AskedCells {
  private var texts: [UnsafeMutablePointer<CChar>] = []

  deinit { texts.forEach { free($0) } }

  /// A text that ends in NUL.
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

  /// A plain value, as an argument is.
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

  /// All bytes of a text, its NULs too, and one behind them.
  func bytes(_ text: String) -> UnsafePointer<CChar> {
    let bytes = Array(text.utf8)
    let copy = malloc(bytes.count + 1)!.assumingMemoryBound(to: CChar.self)
    bytes.withUnsafeBytes { if let base = $0.baseAddress { memcpy(copy, base, bytes.count) } }
    copy[bytes.count] = 0
    texts.append(copy)
    return UnsafePointer(copy)
  }

  /// A text may have NULs of its own: its length counts.
  private func cell(_ text: String) -> list_cell {
    var cell = list_null()
    cell.type = LIST_TEXT.rawValue
    cell.length = UInt32(text.utf8.count)
    cell.text = bytes(text)
    return cell
  }
}
