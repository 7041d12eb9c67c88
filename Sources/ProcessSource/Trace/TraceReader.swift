import ListEngine
import SourceRuntime

/// An entry of a trace.
enum TraceEntry: Equatable {
  case begin
  case end
  case line(TraceDirection, [UInt8])
}

/// Parses the lines written by a ``TraceWriter``.
struct TraceReader {
  /// The beginning of every line.
  static let beginning = Array("{\"at\":".utf8)

  private let parser = JSONParser()

  /// Parses one line into its time, the number of the plugin's instance and the entry; `nil` when
  /// it is malformed.
  func read(_ line: [UInt8]) -> (at: Duration, instance: Int, entry: TraceEntry)? {
    var padded = line
    padded.append(contentsOf: repeatElement(0, count: JSONParser.padding))
    return padded.withUnsafeBytes { bytes -> (Duration, Int, TraceEntry)? in
      guard let root = try? parser.parse(UnsafeRawBufferPointer(rebasing: bytes[..<line.count])),
        let milliseconds = root["at"]?.number, milliseconds >= 0, milliseconds < 1e12
      else { return nil }
      let at = Duration.nanoseconds(Int64(milliseconds * 1_000_000))
      var instance = 1
      if let value = root["instance"] {
        guard let number = value.integer, (1...1_000_000_000).contains(number) else { return nil }
        instance = Int(number)
      }
      switch root["event"]?.text {
      case "start": return (at, instance, .begin)
      case "end": return (at, instance, .end)
      default: break
      }
      guard let direction = root["from"]?.text.flatMap(TraceDirection.init) else { return nil }
      if let text = root["line"]?.text { return (at, instance, .line(direction, Array(text.utf8))) }
      guard let list = root["bytes"], list.kind == .list else { return nil }
      var bytes: [UInt8] = []
      for item in list.items {
        guard let byte = item.integer, (0...255).contains(byte) else { return nil }
        bytes.append(UInt8(byte))
      }
      return (at, instance, .line(direction, bytes))
    }
  }
}
