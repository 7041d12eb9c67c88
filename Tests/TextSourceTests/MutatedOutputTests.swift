import Foundation
import ListEngine
import SourceTesting
import Testing

/// Damaged outputs, which must become some table without a trap.
@Suite struct MutatedOutputTests {
  private static let outputs: [[Substring]] = {
    let folder = Workshop.root.appending(path: "Tests/Fixtures/outputs").path
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".txt") }
    return names.sorted().compactMap { try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
      .map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
  }()

  /// A linear congruential generator, so that a seed repeats a run.
  private struct Draw {
    var state: UInt64
    mutating func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % max(1, bound)
    }
  }

  @Test(arguments: 0..<8) func `damaged outputs become a table or lines`(_ seed: Int) {
    var draw = Draw(state: UInt64(seed) &* 77 &+ 5)
    for _ in 0..<40 {
      var lines = Self.outputs[draw.next(Self.outputs.count)].prefix(40).map { String($0) }
      for _ in 0...draw.next(4) { damage(&lines, &draw) }
      #expect(!CommandOutputTests.table(lines.joined(separator: "\n")).isEmpty, "seed \(seed)")
    }
  }

  private func damage(_ lines: inout [String], _ draw: inout Draw) {
    guard !lines.isEmpty else { return }
    let place = draw.next(lines.count)
    let line = lines[place]
    let cut = line.index(line.startIndex, offsetBy: draw.next(line.count + 1))
    switch draw.next(8) {
    case 0: lines.remove(at: place)
    case 1: lines.insert(lines[draw.next(lines.count)], at: place)
    case 2: lines[place] = String(line[..<cut])
    case 3: lines[place] = String(line[cut...])
    case 4:
      lines[place] =
        line[..<cut] + ["   ", "|", ":", "\t", "=", "[", "é", "名", "\u{1b}[1m", "\""][draw.next(10)] + line[cut...]
    case 5: lines.insert("", at: place)
    case 6: lines += Self.outputs[draw.next(Self.outputs.count)].prefix(5).map { String($0) }
    default: lines.swapAt(place, draw.next(lines.count))
    }
  }
}
