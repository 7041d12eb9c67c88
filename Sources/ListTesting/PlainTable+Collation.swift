import ListEngine

/// Comparison of texts by their collation, without sort keys.
extension PlainTable {
  static func order(_ a: String, _ b: String, by collation: Collation) -> Int {
    let order =
      switch collation {
      case .codeUnit: 0
      case .natural: naturalOrder(Array(a.lowercased().unicodeScalars), Array(b.lowercased().unicodeScalars))
      case .locale: codeUnitOrder(InventedLanguage.essence(of: a), InventedLanguage.essence(of: b))
      }
    return order == 0 ? codeUnitOrder(a, b) : order
  }

  private static func codeUnitOrder(_ a: String, _ b: String) -> Int {
    a.utf8.elementsEqual(b.utf8) ? 0 : a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1
  }

  /// Compares character by character, and runs of digits as numbers.
  private static func naturalOrder(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var (a, b) = (a[...], b[...])
    func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
    while let x = a.first, let y = b.first {
      guard isDigit(x), isDigit(y) else {
        // A number is ordered like a digit.
        let (x, y) = (isDigit(x) ? "0" : x, isDigit(y) ? "0" : y)
        if x != y { return x < y ? -1 : 1 }
        a.removeFirst()
        b.removeFirst()
        continue
      }
      let (p, q) = (a.prefix(while: isDigit), b.prefix(while: isDigit))
      let (m, n) = (p.drop { $0 == "0" }, q.drop { $0 == "0" })
      if m.count != n.count { return m.count < n.count ? -1 : 1 }
      if let (i, j) = zip(m, n).first(where: { $0 != $1 }) { return i < j ? -1 : 1 }
      a.removeFirst(p.count)
      b.removeFirst(q.count)
    }
    return a.isEmpty ? (b.isEmpty ? 0 : -1) : 1
  }
}
