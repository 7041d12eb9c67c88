import ListEngine

/// Columns of well-known commands whose numbers have a unit that their output does not state.
enum KnownHeaders {
  /// The least total of `free` in KiB; smaller numbers are MiB or GiB.
  private static let leastMemory = 200_000.0

  /// Returns the declarations for the names in a header and the values below it.
  static func hints(_ names: [String], _ row: [String]) -> [String: ColumnHint] {
    let known = Set(names)
    var hints: [String: ColumnHint] = [:]
    func declare(_ names: String..., kind: ColumnKind) { for name in names { hints[name] = ColumnHint(kind) } }
    if known.contains("PID") || known.contains("%MEM") { declare("VSZ", "RSS", kind: .bytes(1024)) }
    if known.isSuperset(of: ["VIRT", "RES", "SHR"]) {
      declare("VIRT", "RES", "SHR", "SWAP", "CODE", "DATA", "USED", kind: .bytes(1024))
      declare("%CPU", "%MEM", kind: .percent)
    }
    if known.contains("USER"), known.contains("%CPU"), known.contains("%MEM") {
      declare("%CPU", "%MEM", kind: .percent)
    }
    if known.contains("1K-blocks") { declare("1K-blocks", "Used", "Available", kind: .bytes(1024)) }
    // `iostat -h` prints `296.6k` and `1.2M`.
    for (name, value) in zip(names, row) where name.hasPrefix("kB_") && value.last?.isLetter ?? false {
      declare(name, kind: .bytes(1024))
    }
    let sizes = row.dropFirst().compactMap { Int64($0) }
    // Sizes in bytes are those of whole pages.
    let areBytes = sizes.count >= 3 && sizes.allSatisfy { $0.isMultiple(of: 4096) } && sizes.contains { $0 > 0 }
    if known.contains("buff/cache"), !areBytes, row.count < 2 || Double(row[1]).map({ $0 >= leastMemory }) ?? true {
      declare("total", "used", "free", "shared", "buff/cache", "available", kind: .bytes(1024))
    }
    if known.isSuperset(of: ["Filename", "Type", "Size", "Used"]) { declare("Size", "Used", kind: .bytes(1024)) }
    return hints
  }
}
