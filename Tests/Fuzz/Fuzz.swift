import Foundation

/// Feeds the decoders with inputs from libFuzzer; `Tests/Fuzz/run` builds and starts it.
///
///     rowcast-fuzz client|lines|child|address|filter|windowed [libFuzzer's options] [folder]
@main enum Fuzz {
  static func main() {
    let words = CommandLine.arguments
    guard words.count > 1, let target = Target(rawValue: words[1]) else {
      print("usage: rowcast-fuzz \(Target.allCases.map(\.rawValue).joined(separator: "|")) [options] [folder]")
      exit(2)
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = ([words[0]] + words.dropFirst(2)).map { strdup($0) }
    var count = Int32(arguments.count)
    arguments.append(nil)
    // libFuzzer calls exit() at the end.
    atexit {
      try? FileHandle.standardError.write(
        contentsOf: Data("answers of windowed sources: \(WindowedFuzz.answers)\n".utf8))
    }
    let status = arguments.withUnsafeMutableBufferPointer { buffer in
      var base = buffer.baseAddress
      return switch target {
      case .client: drive(&count, &base) { ClientFuzz.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
      case .lines: drive(&count, &base) { ChildFuzz.decode(UnsafeRawBufferPointer(start: $0, count: $1)) }
      case .child: drive(&count, &base) { ChildFuzz.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
      case .address: drive(&count, &base) { AddressFuzz.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
      case .filter: drive(&count, &base) { FilterTextFuzz.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
      case .windowed: drive(&count, &base) { WindowedFuzz.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
      }
    }
    exit(status)
  }

  /// The decoder that is fuzzed.
  enum Target: String, CaseIterable {
    /// Messages of clients.
    case client
    /// Output of child processes, only decoded.
    case lines
    /// Output of child processes, decoded and handled by an engine.
    case child
    /// The query string of a table's address.
    case address
    /// Filters written as text.
    case filter
    /// Answers of windowed sources, as a script.
    case windowed
  }
}

/// libFuzzer's own main function, which calls the given one with each input.
@_silgen_name("LLVMFuzzerRunDriver")
private func drive(
  _ count: UnsafeMutablePointer<Int32>,
  _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
