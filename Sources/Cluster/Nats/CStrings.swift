import Glibc

/// Copies of strings for structs of C, freed together.
final class CStrings {
  private var copies: [UnsafeMutablePointer<CChar>] = []
  private var lists: [UnsafeMutablePointer<UnsafePointer<CChar>?>] = []

  /// Returns a copy that lives as long as this object.
  func copy(_ text: String) -> UnsafePointer<CChar> {
    guard let copy = strdup(text) else { fatalError("no memory is left for \(text.utf8.count) bytes") }
    copies.append(copy)
    return UnsafePointer(copy)
  }

  /// Returns a list of strings that lives as long as this object.
  func list(_ texts: [String]) -> UnsafeMutablePointer<UnsafePointer<CChar>?> {
    let list = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: max(1, texts.count))
    for (place, text) in texts.enumerated() { (list + place).initialize(to: copy(text)) }
    lists.append(list)
    return list
  }

  deinit {
    for copy in copies { free(copy) }
    for list in lists { list.deallocate() }
  }
}
