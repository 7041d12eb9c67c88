import Foundation
import Quotes

/// The viewers' samples in W4: the arrival of each change at each viewer, and the final windows.
struct FanOutSamples {
  struct Sample {
    var viewer: Int
    var milliseconds: Int64
    var nanoseconds: Int64
  }

  struct Row: Equatable {
    var key: Int
    var milliseconds: Int64
    var price: Double
  }

  struct Window {
    var start: Int
    var total: Int
    var rows: [Row]
  }

  private(set) var samples: [Sample] = []
  private(set) var windows: [Window] = []

  init(path: String, viewers: Int) throws {
    let data = try Data(contentsOf: URL(filePath: path))
    var place = 0
    func next() -> Int64 {
      defer { place += 8 }
      return data.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: Int64.self) }
    }
    for _ in 0..<next() {
      samples.append(Sample(viewer: Int(next()), milliseconds: next(), nanoseconds: next()))
    }
    for _ in 0..<viewers {
      _ = next()
      let (start, total, count) = (Int(next()), Int(next()), Int(next()))
      var rows: [Row] = []
      for _ in 0..<count {
        let (key, milliseconds) = (Int(next()), next())
        rows.append(Row(key: key, milliseconds: milliseconds, price: Double(bitPattern: UInt64(bitPattern: next()))))
      }
      windows.append(Window(start: start, total: total, rows: rows))
    }
  }

  /// Returns the first error in a viewer's window; `nil` if it is correct.
  func complaint(_ mirror: FanOutMirror, isSame: Bool) -> String? {
    var orders: [Int: [Int]] = [:]
    for (viewer, window) in windows.enumerated() {
      let number = isSame ? 0 : viewer
      let kind = number % 4 < 3 ? number % 4 : 3 + number / 4 % 20
      let order = orders[kind] ?? mirror.order(kind)
      orders[kind] = order
      guard window.total == order.count, window.rows.count == min(60, order.count) else {
        return "viewer \(viewer) shows \(window.rows.count) rows of \(window.total), not of \(order.count)"
      }
      let wanted = order.dropFirst(window.start).prefix(window.rows.count).map(mirror.row)
      if wanted != window.rows {
        let place = zip(wanted, window.rows).enumerated().first { $1.0 != $1.1 }
        return
          "viewer \(viewer) shows \(place.map { "\($0.element.1) at \($0.offset), not \($0.element.0)" } ?? "less")"
      }
    }
    return nil
  }
}

/// A plain copy of the table after all batches.
struct FanOutMirror {
  private var prices: [Double]
  private var sizes: [Int]
  private var stamps: [Int64]
  private let symbols: [Int]

  init(rows: Int, batches: [Int64], of size: Int) {
    let quotes = Quotes()
    let all = (0..<rows).map(quotes.row)
    (prices, sizes, stamps) = (all.map(\.price), all.map(\.size), all.map(\.milliseconds))
    symbols = all.map(\.symbol)
    for (number, milliseconds) in batches.enumerated() {
      for counter in number * size..<(number + 1) * size {
        let update = quotes.update(counter, of: rows)
        (prices[update.id], sizes[update.id], stamps[update.id]) = (update.price, update.size, milliseconds)
      }
    }
  }

  func row(_ key: Int) -> FanOutSamples.Row {
    FanOutSamples.Row(key: key, milliseconds: stamps[key], price: prices[key])
  }

  /// Returns the rows of a view in order: 0 to 2 are the views of the workloads, 3 and above the
  /// sectors.
  func order(_ kind: Int) -> [Int] {
    func sorted(_ rows: [Int], _ precedes: (Int, Int) -> Bool) -> [Int] {
      rows.sorted { precedes($0, $1) || (!precedes($1, $0) && $0 < $1) }
    }
    let all = Array(prices.indices)
    switch kind {
    case 0: return sorted(all) { stamps[$0] > stamps[$1] }
    case 1: return sorted(all) { prices[$0] > prices[$1] }
    case 2: return sorted(all) { symbols[$0] < symbols[$1] }
    default: return sorted(all.filter { symbols[$0] % 20 == kind - 3 }) { sizes[$0] > sizes[$1] }
    }
  }
}
