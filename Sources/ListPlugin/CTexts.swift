import CListPlugin
import Glibc

/// NUL-terminated copies of texts for calls to the host; valid for the lifetime of this object.
final class CTexts {
  private var texts: [UnsafeMutablePointer<CChar>] = []

  deinit { texts.forEach { free($0) } }

  func keep(_ text: String) -> UnsafePointer<CChar> {
    let copy = strdup(text)!
    texts.append(copy)
    return UnsafePointer(copy)
  }

  func cell(_ value: ActionValue) -> list_cell {
    switch value {
    case .integer(let integer): list_integer(integer)
    case .number(let number): list_number(number)
    case .boolean(let flag): list_boolean(flag ? 1 : 0)
    case .text(let text): list_text(keep(text))
    }
  }
}
