import CWebSockets
import ListEngine
import Wire

/// Who waits for which image, and what was asked of which source: each image once, however many wait.
///
///     switch requests.ask(table, key, for: socket, until: now + patience) {
///     case .begun(let number): source.send(.image(number, key))
///     case .joined, .full: ...
///     }
///     requests.finish(number)            // who waited for it
///     requests.leave(socket)             // the load that nobody waits for any more
struct ImageRequests {
  /// How many loads of one table may be under way.
  static let greatestForTable = 64
  /// How large an image may be.
  static let greatestByteCount = ImageKind.greatestByteCount
  /// How long a key may be.
  static let greatestKey = 1_024
  /// How long a source may take.
  static let patience: Duration = .seconds(10)

  enum Answer: Equatable {
    /// The source is to be asked, with this number.
    case begun(UInt64)
    /// It was asked already.
    case joined
    /// Too many are under way.
    case full
  }

  private struct Name: Hashable {
    var table: TableID
    var key: ExactText
  }

  private struct Load {
    var name: Name
    var readers: [OpaquePointer]
    var deadline: Instant
  }

  private var loads: [UInt64: Load] = [:]
  private var numbers: [Name: UInt64] = [:]
  private var places: [OpaquePointer: UInt64] = [:]
  private var last: UInt64 = 0

  /// When the first should have been answered.
  var deadline: Instant? { loads.values.map(\.deadline).min() }

  /// Somebody wants an image.
  mutating func ask(_ table: TableID, _ key: String, for reader: OpaquePointer, until deadline: Instant) -> Answer {
    let name = Name(table: table, key: ExactText(key))
    if let number = numbers[name] {
      loads[number]?.readers.append(reader)
      places[reader] = number
      return .joined
    }
    guard loads.values.count(where: { $0.name.table == table }) < Self.greatestForTable else { return .full }
    last += 1
    numbers[name] = last
    places[reader] = last
    loads[last] = Load(name: name, readers: [reader], deadline: deadline)
    return .begun(last)
  }

  /// It is over; the result is who waited for it.
  mutating func finish(_ number: UInt64) -> [OpaquePointer] {
    guard let load = loads.removeValue(forKey: number) else { return [] }
    numbers[load.name] = nil
    for reader in load.readers { places[reader] = nil }
    return load.readers
  }

  /// Somebody does not wait any more; the result is what nobody waits for now, and its table.
  mutating func leave(_ reader: OpaquePointer) -> (number: UInt64, table: TableID)? {
    guard let number = places.removeValue(forKey: reader) else { return nil }
    loads[number]?.readers.removeAll { $0 == reader }
    guard let load = loads[number], load.readers.isEmpty else { return nil }
    loads[number] = nil
    numbers[load.name] = nil
    return (number, load.name.table)
  }

  /// Those that should have been answered by now, and their tables.
  func overdue(at now: Instant) -> [(number: UInt64, table: TableID)] {
    loads.filter { $0.value.deadline <= now }.map { ($0.key, $0.value.name.table) }.sorted { $0.number < $1.number }
  }
}
