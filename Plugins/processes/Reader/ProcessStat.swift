/// The fields of a line of `/proc/PID/stat`.
///
/// The name is in parentheses. It may contain spaces, parentheses and invalid UTF-8, so it ends at
/// the line's last parenthesis, and all other fields are counted from there.
struct ProcessStat {
  var name: String
  var state: UInt8
  var cpuTicks: UInt64
  var threads: Int64
  var startTicks: UInt64
  var residentPages: Int64
  /// Whether the process is a thread of the kernel (`PF_KTHREAD`).
  var isKernel: Bool

  /// Parses a line; nil if the format is wrong.
  init?(_ text: UnsafeRawBufferPointer) {
    guard let open = text.firstIndex(of: UInt8(ascii: "(")), let close = text.lastIndex(of: UInt8(ascii: ")")),
      open < close,
      close + 2 < text.count
    else { return nil }
    name = String(decoding: text[(open + 1)..<close], as: UTF8.self)
    state = text[close + 2]

    // Fields are numbered as in proc(5). The state is field 3.
    var field = 3
    var place = close + 3
    var flags: UInt64 = 0
    var user: UInt64?, system: UInt64?, threads: UInt64?, start: UInt64?, pages: UInt64?
    while place < text.count, field < 24 {
      while place < text.count, text[place] == 32 { place += 1 }
      field += 1
      var value: UInt64 = 0
      let first = place
      while place < text.count, case let digit = text[place], digit > 32 {
        // Some other fields are negative. Their values are wrong here, and unused.
        value = value &* 10 &+ UInt64(digit &- 48)
        place += 1
      }
      guard place > first else { return nil }
      switch field {
      case 9: flags = value
      case 14: user = value
      case 15: system = value
      case 20: threads = value
      case 22: start = value
      case 24: pages = value
      default: break
      }
    }
    guard let user, let system, let threads, let start, let pages else { return nil }
    cpuTicks = user &+ system
    self.threads = Int64(truncatingIfNeeded: threads)
    startTicks = start
    residentPages = Int64(truncatingIfNeeded: pages)
    isKernel = flags & 0x0020_0000 != 0
  }

  /// The state as a word.
  var stateName: String {
    switch state {
    case UInt8(ascii: "R"): "running"
    case UInt8(ascii: "S"): "sleeping"
    case UInt8(ascii: "D"): "waiting"
    case UInt8(ascii: "I"): "idle"
    case UInt8(ascii: "Z"): "zombie"
    case UInt8(ascii: "T"): "stopped"
    case UInt8(ascii: "t"): "traced"
    case UInt8(ascii: "P"): "parked"
    case UInt8(ascii: "X"), UInt8(ascii: "x"): "dead"
    default: "unknown"
    }
  }
}
