/// A minimal XML parser for checking that a report is well-formed: elements, attributes, the five
/// entities.
struct XMLReading {
  private(set) var isWellFormed = true
  /// The attributes of the last element of each name.
  private(set) var attributes: [String: [String: String]] = [:]
  /// The number of elements of each name.
  private(set) var counts: [String: Int] = [:]

  init(_ text: String) {
    if text.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\n" && $0 != "\t" }) { isWellFormed = false }
    var open: [String] = []
    var rest = text[...]
    while let start = rest.firstIndex(of: "<") {
      if Self.plain(String(rest[..<start])) == nil { isWellFormed = false }
      guard let end = rest[start...].firstIndex(of: ">") else { break }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("?") { continue }
      if tag.hasPrefix("/") {
        if open.popLast() != String(tag.dropFirst()) { isWellFormed = false }
        continue
      }
      let isEmpty = tag.hasSuffix("/")
      let body = isEmpty ? tag.dropLast() : tag
      let name = String(body.prefix { $0 != " " })
      counts[name, default: 0] += 1
      attributes[name] = [:]
      var pairs = body.dropFirst(name.count)
      while let equals = pairs.firstIndex(of: "=") {
        let key = pairs[..<equals].drop { $0 == " " || $0 == "\n" }
        let value = pairs[equals...].dropFirst(2).prefix { $0 != "\"" }
        guard let plain = Self.plain(String(value)) else {
          isWellFormed = false
          break
        }
        attributes[name]![String(key)] = plain
        pairs = pairs[value.endIndex...].dropFirst()
      }
      if !isEmpty { open.append(name) }
    }
    if !open.isEmpty || !rest.allSatisfy(\.isWhitespace) { isWellFormed = false }
  }

  /// Resolves entities; returns `nil` when one is unknown.
  private static func plain(_ text: String) -> String? {
    var result = ""
    var rest = text[...]
    while let place = rest.firstIndex(of: "&") {
      result += rest[..<place]
      guard let end = rest[place...].firstIndex(of: ";") else { return nil }
      let known = ["&amp": "&", "&lt": "<", "&gt": ">", "&quot": "\"", "&apos": "'"]
      guard let character = known[String(rest[place..<end])] else { return nil }
      result += character
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }
}
