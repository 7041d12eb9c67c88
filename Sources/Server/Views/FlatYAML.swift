/// A YAML document that is one mapping from names to single-line texts.
///
///     name: cpu-hogs
///     title: "CPU hogs"   # a comment
///
/// Other constructs of YAML, such as lists, anchors and blocks, are refused. The YAML library of
/// the configuration composes nested nodes by recursion, whose depth a client would choose.
enum FlatYAML {
  /// Parses a document.
  ///
  /// - Throws: ``ViewFault`` with the number of the first faulty line.
  /// - Complexity: O(*n*) in the bytes.
  static func parse(_ bytes: [UInt8]) throws(ViewFault) -> [String: String] {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw ViewFault(422, "The view is not in UTF-8.") }
    var values: [String: String] = [:]
    var number = 0
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      let trimmed = line.trimmingBlanks()
      if trimmed.isEmpty || trimmed.hasPrefix("#") || line == "---" { continue }
      guard let (name, value) = pair(line) else {
        throw ViewFault(422, "Line \(number) is not of the form “name: value” with a value on one line.")
      }
      guard values.updateValue(value, forKey: name) == nil else {
        throw ViewFault(422, "Line \(number): “\(name)” is given twice.")
      }
    }
    return values
  }

  private static func pair(_ line: Substring) -> (String, String)? {
    guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return nil }
    let name = line[..<colon]
    guard name.utf8.count <= 40, name.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else { return nil }
    let rest = line[line.index(after: colon)...]
    guard rest.isEmpty || rest.first == " " else { return nil }
    return scalar(rest.trimmingBlanks()).map { (String(name), $0) }
  }

  private static func scalar(_ text: Substring) -> String? {
    switch text.first {
    case nil: return ""
    case "\"": return doubleQuoted(text.dropFirst())
    case "'": return singleQuoted(text.dropFirst())
    case "[", "]", "{", "}", "&", "*", "!", "|", ">", "%", "@", "`", ",": return nil
    default:
      let end = text.firstRange(of: " #")?.lowerBound ?? text.endIndex
      let value = text[..<end].trimmingBlanks()
      return value.contains(": ") || value.hasPrefix("- ") || value.hasPrefix("#") ? nil : String(value)
    }
  }

  private static func isEnd(_ rest: Substring) -> Bool {
    let rest = rest.trimmingBlanks()
    return rest.isEmpty || rest.hasPrefix("#")
  }

  private static func singleQuoted(_ text: Substring) -> String? {
    var (rest, value) = (text, "")
    while let character = rest.popFirst() {
      if character != "'" {
        value.append(character)
      } else if rest.first == "'" {
        value.append(rest.removeFirst())
      } else {
        return isEnd(rest) ? value : nil
      }
    }
    return nil
  }

  private static func doubleQuoted(_ text: Substring) -> String? {
    var rest = text.unicodeScalars[...]
    var units: [UInt16] = []
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"":
        guard isEnd(Substring(rest)) else { return nil }
        return String(validating: units, as: UTF16.self)
      case "\\":
        guard let escape = rest.popFirst() else { return nil }
        switch escape {
        case "\"", "\\", "/": units.append(UInt16(escape.value))
        case "n": units.append(0x0A)
        case "r": units.append(0x0D)
        case "t": units.append(0x09)
        case "u":
          let digits = rest.prefix(4)
          guard digits.count == 4, digits.allSatisfy({ $0.properties.isASCIIHexDigit }),
            let unit = UInt16(String(digits), radix: 16)
          else { return nil }
          units.append(unit)
          rest = rest.dropFirst(4)
        default: return nil
        }
      default: units.append(contentsOf: String(scalar).utf16)
      }
    }
    return nil
  }

  /// Returns a text as a double-quoted string, which is valid in YAML and JSON.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.properties.generalCategory == .control || [0x2028, 0x2029, 0xFEFF].contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
